/** The terms that the current configuration sets for a pending request [approval.strictest-terms]. */
import type { FindCurrentTerms } from '#core/approvals/terms.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { blockedBy } from '#core/session/risk/assess.ts';
import type { TermsPorts } from './current-terms.ts';
import type { GovernPorts } from './ports.ts';

/** Loaded on demand: most requests were queued under the current configuration. */
const evaluating = lazyImport(() => import('./current-terms.ts'));

type Risks = Parameters<typeof blockedBy>[1];
type FindRisks = (row: ApprovalRow, kind: Principal['kind']) => Promise<Risks>;

/**
 * Returns a function that finds the current terms of pending requests.
 * @throws GatewayError `payload_too_large`, `service_unavailable` if a worker could not evaluate a large call.
 */
export function currentTermsFinder(
  ports: Pick<GovernPorts, 'keyRisks'> & TermsPorts,
  snapshot: Snapshot,
): FindCurrentTerms {
  // Requests in a list share sessions and keys, so each session and key is read once.
  const risks = new RecentMap<string, Promise<Risks>>({ max: 1_000 });
  const risksOf: FindRisks = ({ tenant, session_id, key_id }, kind) =>
    risks.getOrInsertComputed(JSON.stringify([tenant, session_id, key_id]), async () => {
      const [head, key] = await Promise.all([
        ports.evidence.head(tenant, session_id),
        kind === 'agent' ? ports.keyRisks.of(tenant, key_id) : undefined,
      ]);
      return { session: head?.risk, key };
    });
  return async (row) => {
    if (row.status !== 'pending') return undefined;
    const { version } = snapshot;
    const terms =
      row.policy_version === version ? undefined : await (await evaluating()).currentTerms(ports, snapshot, row);
    const obstacle = await obstacleOf(ports, snapshot, row, terms?.obstacle, risksOf);
    return obstacle === undefined
      ? terms
      : { ...(terms ?? { version, requires: [], require_passkey: false }), obstacle };
  };
}

/**
 * Returns why the call could not run now even if approved [approval.obstacle]: its key was revoked, a rule blocks it,
 * or the kill switch stopped its session or key.
 * @param byRule the obstacle set by the current rules.
 */
async function obstacleOf(
  { clock }: Pick<GovernPorts, 'clock'>,
  snapshot: Snapshot,
  row: ApprovalRow,
  byRule: string | undefined,
  risksOf: FindRisks,
): Promise<string | undefined> {
  const { key_id, federated, tenant } = row;
  const caller = await recall(snapshot, key_id, federated);
  if (!caller) return keyTakenBack;
  if (byRule !== undefined) return byRule;
  const { behavior } = ofTenant(snapshot, tenant).configuration;
  if (!behavior.enabled) return undefined;
  const stopped = blockedBy(behavior, await risksOf(row, caller.kind), clock.now());
  return stopped && `${stopped.reason} Until then an approval does not let the call run.`;
}

const keyTakenBack =
  'The key of this call was revoked after the call was requested. An approval does not let the call run.';
