/** Re-verifies contradicted chains, so that a repaired chain is no longer reported [evidence.contradicted]. */
import { firstEntries } from './bundle.ts';
import type { Contradiction, ContradictionStore } from './contradiction.ts';
import { entriesWithCopies } from './entries-with-copies.ts';
import type { EvidenceLog } from './ports.ts';
import { originNotChecked, verifyChain } from './verify.ts';
import { type WitnessPorts, witnessOf } from './witness.ts';

interface RecheckPorts extends WitnessPorts {
  readonly evidence: EvidenceLog;
  readonly contradictions: Pick<ContradictionStore, 'remove'>;
}

/**
 * Re-verifies the chain of a contradiction. The contradiction is resolved if rows, checkpoint and copies agree.
 * @param expires whether rows may be read from the archive, because a retention policy removes them.
 * @returns the reason why the contradiction is not resolved.
 */
export async function recheckContradiction(
  ports: RecheckPorts,
  row: Contradiction,
  expires: boolean,
): Promise<string | undefined> {
  const { tenant, session_id } = row;
  const { evidence, archived, contradictions, telemetry } = ports;
  const { head, witness } = await witnessOf(ports, tenant, session_id);
  if (!head) return 'the session has no head';
  const rows =
    archived && expires
      ? entriesWithCopies({ evidence, archived }, tenant, session_id, () => {})
      : evidence.rows(tenant, session_id);
  const { broken_link, not_checked } = await verifyChain(firstEntries(rows, head.total_entries), { head, witness });
  // The manifest's signature is not needed, since the checkpoint is signed.
  const unchecked = not_checked.find((each) => each !== originNotChecked);
  const reason = broken_link ? `entry ${broken_link.index}: ${broken_link.reason}` : unchecked;
  if (reason !== undefined) return reason;
  await contradictions.remove(row);
  telemetry.log('info', 'a chain is consistent again', { tenant, session_id });
  return undefined;
}
