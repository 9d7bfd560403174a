/**
 * Rows for started actions: written with the `allow` entry, closed with the `result` entry. The sweep uses them to find
 * actions that a crash left without an outcome, and they prevent a repeated request from being carried out twice.
 */
import type { DecisionResult } from '#core/contracts/envelope.ts';
import type { ActionEnd, StartedAction } from '#core/contracts/started-action.ts';
import type { Change } from '#core/evidence/ports.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError, rpcCodes } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { abandonedAt } from './deadline.ts';
import type { GovernedAction } from './governed.ts';
import { readResult } from './kept-result.ts';
import type { GovernPorts } from './ports.ts';

/**
 * Returns the row id for an idempotency key. It includes the caller's key id, so that callers do not share idempotency
 * keys.
 */
export const idOfKey = (keyId: string, idempotencyKey: string): string =>
  `key#${digestOf({ key_id: keyId, idempotency_key: idempotencyKey })}`;

/** Returns the row id for a call whose caller reports the outcome. */
export const idOfCall = (keyId: string, callId: string): string =>
  `call#${digestOf({ key_id: keyId, call_id: callId })}`;

/**
 * Returns the change that writes the row with an `allow` entry if the gateway carries out the call or its caller
 * reports the outcome. The sweep does not close a call whose caller never reports, since the gateway does not know its
 * outcome.
 * @param approvalId the approval being used. Its own lease handles crashes, so only an idempotency key needs a row.
 */
export function startOf(
  ports: Pick<GovernPorts, 'clock' | 'executors'>,
  action: GovernedAction,
  approvalId?: string,
): Extract<Change, { type: 'action.start' }> | undefined {
  const { envelope, idempotencyKey, decision, snapshot, callId } = action;
  if (action.decideOnly && callId === undefined) return undefined;
  if (!action.decideOnly && !ports.executors(snapshot).some((executor) => executor.handles(envelope))) return undefined;
  if (approvalId !== undefined && idempotencyKey === undefined && !action.decideOnly) return undefined;
  const now = ports.clock.now();
  const row: StartedAction = {
    tenant: envelope.tenant,
    id: rowIdOf(action),
    envelope_id: envelope.envelope_id,
    session_id: envelope.actor.session,
    key_id: envelope.key_id,
    tool: envelope.tool,
    call_digest: action.call_digest,
    matched_rule: decision.matched_rule,
    policy: decision.policy,
    policy_version: snapshot.version,
    ...(envelope.upstream !== undefined && { upstream: envelope.upstream }),
    started_at: isoTime(now),
    ...(approvalId === undefined
      ? !action.decideOnly && { due_at: abandonedAt(now, action.hostEndsAtMs) }
      : { approval_id: approvalId }),
  };
  return { type: 'action.start', action: row };
}

function rowIdOf({ envelope, idempotencyKey, callId }: GovernedAction): string {
  if (callId !== undefined) return idOfCall(envelope.key_id, callId);
  return idempotencyKey === undefined ? envelope.envelope_id : idOfKey(envelope.key_id, idempotencyKey);
}

/**
 * Returns the change that closes an action's row; empty if there is no row. The result is stored only if a repeated
 * request may ask for it.
 */
export function endOfStarted({ envelope, startedId: id }: GovernedAction, end: ActionEnd): Change[] {
  if (id === undefined) return [];
  const { tenant, envelope_id } = envelope;
  const kept = id === envelope_id ? { outcome: end.outcome } : end;
  return [{ type: 'action.end', tenant, id, envelope_id, end: kept }];
}

/**
 * Returns the first outcome for a repeated request; undefined if the first request did not run
 * [action.idempotency-key].
 * @throws GatewayError `conflict` if the key was used for another call, or the outcome has not been recorded yet.
 */
export async function firstOutcome(
  ports: Pick<GovernPorts, 'approvals' | 'results' | 'telemetry'>,
  found: StartedAction,
  callDigest: string,
): Promise<DecisionResult | undefined> {
  if (found.call_digest !== callDigest)
    throw new GatewayError(
      'conflict',
      `This Idempotency-Key was used for another call (${found.tool}, ${found.started_at}); nothing was done. Send another key.`,
      { data: { envelope_id: found.envelope_id } },
    );
  const ended = await endOf(ports, found);
  if (ended.outcome === undefined) throw underWay(found);
  // The tool was not called, so the repeated request may be carried out.
  if (ended.outcome === 'not_executed') return undefined;
  const { tool, outcome, error } = ended;
  return {
    envelope_id: found.envelope_id,
    decision: 'allow',
    matched_rule: found.matched_rule,
    policy: found.policy,
    policy_version: found.policy_version,
    session_id: found.session_id,
    ...(found.upstream !== undefined && { upstream: found.upstream }),
    replayed: true,
    ...(await readResult(ports, ended)),
    ...(outcome !== 'executed' && {
      error: {
        code: rpcCodes.upstreamFailed,
        message: error ?? `The first execution of ${tool} ended as ${outcome}.`,
        data: { tool, outcome },
      },
    }),
  };
}

/** Adds the outcome from the approval: the lease sweep may have closed the execution only there. */
async function endOf({ approvals }: Pick<GovernPorts, 'approvals'>, found: StartedAction): Promise<StartedAction> {
  if (found.outcome !== undefined || found.approval_id === undefined) return found;
  const row = await approvals.get(found.tenant, found.approval_id);
  if (row?.status !== 'consumed' || row.lease_owner !== found.envelope_id || row.outcome === undefined) return found;
  return { ...found, outcome: row.outcome };
}

const underWay = ({ tool, envelope_id, started_at }: StartedAction): GatewayError =>
  new GatewayError(
    'conflict',
    `${tool} was started at ${started_at} under this Idempotency-Key, and its outcome is not recorded yet. It is not carried out again: repeat the request later with the same key to learn the outcome.`,
    { data: { envelope_id, outcome: 'unknown' } },
  );

/**
 * Checks whether the same call was already allowed under this `call_id`, for example because two hooks request one
 * decision. If so, the call keeps its row.
 * @throws GatewayError `conflict` if the id was used for another call, or if the outcome was already reported.
 */
export function isAskedAgain({ callId, call_digest }: GovernedAction, found: StartedAction | undefined): boolean {
  if (callId === undefined || found === undefined) return false;
  if (found.call_digest === call_digest && found.outcome === undefined) return true;
  throw new GatewayError(
    'conflict',
    `The call_id ${callId} was used for ${found.outcome === undefined ? 'another call' : 'a call whose outcome is recorded'} (${found.tool}, ${found.started_at}); nothing was decided. Send a different id for each call.`,
    { data: { envelope_id: found.envelope_id } },
  );
}
