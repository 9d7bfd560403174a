/** What may have changed while a call was held for its approval: the call is made only where it would still be asked for like this [approval.hold-asks-again]. */
import { blockedBy, sessionBlocked } from '#core/behavior/assess.ts';
import { recall } from '#core/identity/federation/recall.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { GovernedAction } from './governed.ts';
import type { GovernPorts } from './ports.ts';

/**
 * @param action with the head of its session as it is now.
 * @returns whether another configuration is in force: the call has to be decided by it.
 * @throws GatewayError `authentication_error` for a key that was taken back, `session_blocked` where the kill switch was tripped.
 */
export async function changedMeanwhile(
  ports: Pick<GovernPorts, 'snapshots' | 'keyRisks' | 'clock'>,
  { envelope: { tenant, key_id }, principal, snapshot, head }: GovernedAction,
): Promise<boolean> {
  const now = await ports.snapshots.current();
  if (!(await recall(now, key_id, principal.federated)))
    throw new GatewayError(
      'authentication_error',
      'The key of this call was taken back while the call waited for its approval. Nothing was sent; use another key.',
    );
  const key = principal.kind === 'agent' ? await ports.keyRisks.of(tenant, key_id) : undefined;
  const stopped = blockedBy(now.configuration.behavior, { session: head?.risk, key }, ports.clock.now());
  if (stopped) throw sessionBlocked(stopped);
  return now.version !== snapshot.version || now.sha256 !== snapshot.sha256;
}
