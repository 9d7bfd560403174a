/** Every administrative act is evidence, in the session `admin-<tenant>-<UTC day>`. */
import { personActor } from '#core/identity/principal.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Call } from './operation.ts';

/** @param ms milliseconds since 1970 */
export const adminSession = (tenant: string, ms: number): string => `admin-${tenant}-${isoTime(ms).slice(0, 10)}`;

/** @returns the hash of the entry. */
export async function recordAct(
  {
    ports,
    principal,
  }: {
    ports: Call['ports'];
    principal: Pick<Call['principal'], 'tenant' | 'key_id' | 'federated'> & {
      readonly name?: string;
      readonly person?: string;
    };
  },
  action: string,
  details: Record<string, unknown>,
): Promise<string> {
  const now = ports.clock.now();
  const outcome = await ports.ledger.commit({
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
  if (!outcome.ok) throw new Error('an administrative entry carries no conditions');
  return outcome.entry.hash;
}
