/**
 * What may have changed while a call waited for its approval: the call is made only where it would still be asked for like this,
 * whether it was held [approval.hold-asks-again] or is sent again [approval.resend-asks-again].
 */

import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { SnapshotsPort } from '#core/configuration/store/snapshots.ts';
import type { EvidencePort } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { ClockPort } from '#core/kernel/ports.ts';
import { blockedBy, sessionBlocked } from '#core/session/risk/assess.ts';
import type { KeyRisksPort } from '#core/session/risk/ports.ts';
import type { GovernedAction } from './governed.ts';
import { placedNow, toolDifference } from './placement.ts';
import type { ExecutorsPort } from './ports.ts';
import type { WaitStrategy } from './wait.ts';

/**
 * @param action with the head of its session as it is now.
 * @returns why the call has to be decided again: another configuration is in force, or its tool is described in other words.
 * @throws GatewayError `authentication_error` for a key that was taken back, `session_blocked` where the kill switch was tripped,
 * `policy_violation` where the definition of the tool waits for a human, `service_unavailable` where it could not be read.
 */
export async function changedMeanwhile(
  ports: SnapshotsPort & KeyRisksPort & ClockPort & ExecutorsPort & EvidencePort,
  action: GovernedAction,
  wait: WaitStrategy,
): Promise<'policy_changed' | 'upstream_changed' | undefined> {
  const { envelope, principal, snapshot, own } = action;
  const { tenant, key_id } = envelope;
  const now = await ports.snapshots.current();
  if (!(await recall(now, key_id, principal.federated)))
    throw new GatewayError(
      'authentication_error',
      'The key of this call was taken back while the call waited for its approval. Nothing was sent; use another key.',
    );
  const key = principal.kind === 'agent' ? await ports.keyRisks.of(tenant, key_id) : undefined;
  const head = own ? await ports.evidence.head(tenant, own.envelope.actor.session) : action.head;
  const stopped = blockedBy(now.configuration.behavior, { session: head?.risk, key }, ports.clock.now());
  if (stopped) throw sessionBlocked(stopped);
  if (now.version !== snapshot.version || now.sha256 !== snapshot.sha256) return 'policy_changed';
  return (await isToolChanged(ports, action, wait)) ? 'upstream_changed' : undefined;
}

/**
 * Whether the server describes the tool of a call otherwise than when the approval was asked for. Its list is read again.
 * @throws GatewayError, RpcFault where the list could not be read, or the definition waits for a human.
 */
export async function isToolChanged(
  ports: ExecutorsPort,
  { envelope, snapshot }: GovernedAction,
  { placed = () => placedNow(ports, snapshot, envelope, envelope.upstream) }: Pick<WaitStrategy, 'placed'>,
): Promise<boolean> {
  return envelope.definition !== undefined && toolDifference(envelope, await placed()) !== undefined;
}
