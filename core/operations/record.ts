/** Records every administrative act as evidence, in the session `admin-<tenant>-<UTC day>`. */

import { personActor } from '#core/configuration/identity/principal.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import type { Change, CommitOutcome } from '#core/evidence/ports.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Call } from './operation.ts';

/** Actor of an act, and the ports that record it. */
export interface Actor {
  readonly ports: Pick<Call['ports'], 'clock' | 'ids' | 'ledger'>;
  readonly principal: Pick<Call['principal'], 'tenant' | 'key_id' | 'federated'> & {
    readonly name?: string;
    readonly person?: string;
  };
}

/** Records an act. @returns the hash of the entry. */
export async function recordAct(actor: Actor, action: string, details: Record<string, unknown>): Promise<string> {
  const outcome = await commitAct(actor, action, details);
  if (!outcome.ok) throw new Error('an administrative entry carries no conditions');
  return outcome.entry.hash;
}

/** Records an act together with the changes it makes. */
export function commitAct(
  { ports, principal }: Actor,
  action: string,
  details: Record<string, unknown>,
  changes: readonly Change[] = [],
): Promise<CommitOutcome> {
  const now = ports.clock.now();
  return ports.ledger.commit({
    changes,
    draft: {
      tenant: principal.tenant,
      session_id: adminSession(principal.tenant, now),
      timestamp: isoTime(now),
      kind: 'admin',
      envelope_id: ports.ids.uuid(),
      actor: personActor(principal),
      body: { action, ...details },
    },
  });
}
