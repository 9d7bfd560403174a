/**
 * Re-checks a call after its approval: the call runs only if nothing relevant has changed since, whether it was held
 * [approval.execute-asks-again] or is sent again [approval.execute-asks-again].
 */
import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { blockedBy, sessionBlocked } from '#core/session/risk/assess.ts';
import type { GovernedAction } from './governed.ts';
import { placedNow, toolDifference } from './placement.ts';
import type { GovernPorts } from './ports.ts';
import type { WaitStrategy } from './wait.ts';

interface Needs extends Pick<GovernPorts, 'keyRisks' | 'clock' | 'executors' | 'evidence'> {
  readonly snapshots: Snapshots;
}

/**
 * Checks an approved call's key, kill switch, configuration and tool definition.
 * @param action the action with its session's current head.
 * @returns why a new decision on the call is needed: the configuration or the tool's definition has changed.
 * @throws GatewayError `authentication_error` if the key was revoked, `session_blocked` if the kill switch was tripped,
 * `policy_violation` if the tool's definition needs a human decision, `service_unavailable` if it could not be read.
 */
export async function changedMeanwhile(
  ports: Needs,
  action: GovernedAction,
  wait: WaitStrategy,
): Promise<'policy_changed' | 'upstream_changed' | undefined> {
  const { envelope, principal, snapshot, own } = action;
  const { tenant, key_id } = envelope;
  const now = await ports.snapshots.current({ of: principal });
  if (!(await recall(now, key_id, principal.federated)))
    throw new GatewayError(
      'authentication_error',
      'The key of this call was revoked while the call was waiting for approval. Nothing was sent; use another key.',
    );
  const key = principal.kind === 'agent' ? await ports.keyRisks.of(tenant, key_id) : undefined;
  const head = own ? await ports.evidence.head(tenant, own.envelope.actor.session) : action.head;
  const stopped = blockedBy(now.configuration.behavior, { session: head?.risk, key }, ports.clock.now());
  if (stopped) throw sessionBlocked(stopped);
  if (now.version !== snapshot.version || now.sha256 !== snapshot.sha256) return 'policy_changed';
  return (await isToolChanged(ports, action, wait)) ? 'upstream_changed' : undefined;
}

/**
 * Checks whether the tool's definition has changed since the approval was requested. Re-reads the server's tools.
 * @throws GatewayError, RpcFault if the tools could not be read, or the definition needs a human decision.
 */
export async function isToolChanged(
  ports: Pick<GovernPorts, 'executors'>,
  { envelope, snapshot }: GovernedAction,
  { placed = () => placedNow(ports, snapshot, envelope, envelope.upstream) }: Pick<WaitStrategy, 'placed'>,
): Promise<boolean> {
  return envelope.definition !== undefined && toolDifference(envelope, await placed()) !== undefined;
}
