/**
 * Tasks: a call that is pending approval immediately gets a response with a task id (2025-11-25 `params.task`, the
 * tasks extension of 2026-07-28). The task is the approval's row; a call without a reviewer is a completed task.
 */
import { executeApproved } from '#core/actions/execute-approved.ts';
import type { ApprovedActionPorts, ReviewPorts } from '#core/actions/ports.ts';
import { approvalUrl } from '#core/approvals/approval-url.ts';
import { withdrawRequest } from '#core/approvals/withdraw.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type JsonObject, parseStrictBytes } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { metaKeys } from '../protocol/era.ts';
import {
  invalidParams,
  mcpCodes,
  type RpcError,
  RpcFault,
  type RpcOutcome,
  type RpcRequest,
} from '../protocol/messages.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';
import { keptResult } from '../tools/executor.ts';
import { denialError } from './denial-error.ts';

type Needs = ApprovedActionPorts & ReviewPorts;

const pollMs = 1_000;
/**
 * Announced lifetime. The record itself is kept as long as the approval or the stored object; the limit spares clients
 * from polling forever.
 */
const ttlMs = 24 * 3_600_000;

type Status = 'working' | 'completed' | 'failed' | 'cancelled';

interface Task {
  readonly id: string;
  readonly status: Status;
  readonly message?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly outcome?: RpcOutcome;
}

/**
 * Returns the task for a call after the decision on it. Returns undefined for a block, for a request that is no longer
 * pending, and for a call whose sensitive arguments were withheld, which only its caller can resend.
 */
export async function taskFor(
  ports: Needs,
  caller: Caller,
  { decision, envelope_id }: DecisionResult,
  outcome: RpcOutcome | undefined,
  params: JsonObject,
): Promise<JsonObject | undefined> {
  if (decision === 'review') {
    const row = await ports.approvals.get(caller.principal.tenant, envelope_id);
    if (row?.status !== 'pending' || row.withheld.length > 0) return undefined;
    return taskCreatedResult(caller, await taskOf(ports, row));
  }
  // In 2026-07-28 the server chooses whether to create a task. In earlier revisions, a client that requests a task gets
  // one.
  if (decision !== 'allow' || outcome === undefined || caller.era === 'stateless' || !isObject(params.task))
    return undefined;
  const now = isoTime(ports.clock.now());
  const kept: JsonObject = { task: 1, tenant: caller.principal.tenant, key_id: caller.principal.key_id, at: now };
  const bytes = Buffer.from(JSON.stringify({ ...kept, nonce: ports.ids.randomHex(16), outcome }));
  try {
    return taskCreatedResult(caller, doneTask(await ports.results.put(bytes), now, outcome));
  } catch (fault) {
    // The call ran: its response is returned directly, so that it is not lost with the task.
    ports.telemetry.log('error', 'a task was not stored', { envelope_id, error: (fault as Error).name });
    return undefined;
  }
}

const doneTask = (sha256: string, at: string, outcome: RpcOutcome): Task => ({
  id: `done-${sha256}`,
  status: 'error' in outcome ? 'failed' : 'completed',
  createdAt: at,
  updatedAt: at,
  outcome,
});

/**
 * Answers `tasks/get`, `tasks/result`, `tasks/update` and `tasks/cancel`.
 * @throws RpcFault -32602 for an id that does not belong to the caller.
 */
export async function answerTask(
  ports: Needs,
  caller: Caller,
  { method, params }: RpcRequest,
  exchange: Exchange,
): Promise<RpcOutcome> {
  if (typeof params.taskId !== 'string') throw invalidParams('params.taskId must name a task.');
  const id = params.taskId;
  switch (method) {
    case 'tasks/get':
      return { result: taskAnswer(caller, await advanced(ports, caller, id, exchange)) };
    case 'tasks/result':
      return awaitResult(ports, caller, id, exchange);
    case 'tasks/cancel':
      return { result: cancelResult(caller, await cancel(ports, caller, id)) };
    default: // tasks/update: a client cannot send a human's vote
      await ownTask(ports, caller, id);
      return { result: { resultType: 'complete' } };
  }
}

/** Runs an approved call when its client polls. The row ensures that the call runs only once. */
async function advanced(ports: Needs, caller: Caller, id: string, exchange: Exchange): Promise<Task> {
  const found = await ownTask(ports, caller, id);
  if (!('envelope_id' in found)) return found;
  if (found.status === 'approved') exchange.later(executeApproved(ports, found));
  return taskOf(ports, found);
}

/** Waits for the end of the task (2025-11-25). */
async function awaitResult(ports: Needs, caller: Caller, id: string, exchange: Exchange): Promise<RpcOutcome> {
  for (;;) {
    exchange.signal.throwIfAborted();
    let found = await ownTask(ports, caller, id);
    if ('envelope_id' in found && found.status === 'approved') found = await executeApproved(ports, found);
    const task = 'envelope_id' in found ? await taskOf(ports, found) : found;
    if (task.outcome) return withTaskId(task);
    await ports.pause(pollMs);
  }
}

const withTaskId = ({ id, outcome }: Task): RpcOutcome => {
  if (!outcome || 'error' in outcome) return outcome!;
  const meta = isObject(outcome.result._meta) ? outcome.result._meta : {};
  return { result: { ...outcome.result, _meta: { ...meta, [metaKeys.relatedTask]: { taskId: id } } } };
};

/** Withdraws a pending request. */
async function cancel(ports: Needs, caller: Caller, id: string): Promise<Task> {
  const found = await ownTask(ports, caller, id);
  if (!('envelope_id' in found) || found.status !== 'pending') {
    const { status } = 'envelope_id' in found ? await taskOf(ports, found) : found;
    throw invalidParams(`The task is ${status} and can no longer be cancelled.`);
  }
  try {
    return taskOf(ports, await withdrawRequest(ports, found, caller.principal));
  } catch (fault) {
    if (!(fault instanceof GatewayError) || fault.code !== 'conflict') throw fault;
    throw invalidParams('The task was approved or denied a moment ago and can no longer be cancelled.');
  }
}

/** Returns the caller's task. Another principal's task is reported as not found. */
async function ownTask(ports: Needs, { principal }: Caller, id: string): Promise<ApprovalRow | Task> {
  const { tenant, key_id } = principal;
  const sha256 = /^done-([0-9a-f]{64})$/.exec(id)?.[1];
  if (sha256 !== undefined) {
    const bytes = await ports.results.get(sha256);
    const kept =
      bytes &&
      parseStrictBytes(bytes, {
        nesting: 256,
        values: Number.POSITIVE_INFINITY,
        numbers: 'double',
        protoKeys: 'carried',
      });
    if (isObject(kept) && kept.task === 1 && kept.tenant === tenant && kept.key_id === key_id)
      return doneTask(sha256, String(kept.at), kept.outcome as unknown as RpcOutcome);
  } else if (/^[0-9a-f-]{36}$/.test(id)) {
    const row = await ports.approvals.get(tenant, id);
    if (row?.key_id === key_id) return row;
  }
  throw invalidParams('Task not found.');
}

const undecidedInTime = 'No reviewer decided in time. Send the call again to open a new request.';

async function taskOf(ports: Needs, row: ApprovalRow): Promise<Task> {
  const url = approvalUrl(ports.adminUrl, row.envelope_id);
  const times = { id: row.envelope_id, createdAt: row.queued_at, updatedAt: row.decided_at ?? row.queued_at };
  const failed = (code: number, message: string, reason: string): Task => {
    const error: RpcError = { code, message, data: { reason, approval_url: url, envelope_id: row.envelope_id } };
    return { ...times, status: 'failed', message, outcome: { error } };
  };
  switch (row.status) {
    case 'pending':
      if (row.expires_at > isoTime(ports.clock.now()))
        return { ...times, status: 'working', message: `Waiting for a human's approval: ${url}` };
      return failed(mcpCodes.approvalRequired, undecidedInTime, 'expired');
    case 'denied':
      if (row.reason === 'withdrawn') {
        const error: RpcError = { code: mcpCodes.upstreamFailed, message: 'The task was cancelled.' };
        return { ...times, status: 'cancelled', message: error.message, outcome: { error } };
      }
      return row.reason === 'timeout'
        ? failed(mcpCodes.approvalRequired, undecidedInTime, 'expired')
        : { ...times, status: 'failed', message: 'The call was denied.', outcome: { error: denialError(row) } };
    case 'approved':
    case 'executing':
      if (row.status === 'approved' && (row.use_expires_at ?? row.expires_at) <= isoTime(ports.clock.now()))
        return failed(mcpCodes.approvalRequired, 'The approval was not used in time.', 'expired');
      return { ...times, status: 'working', message: 'Approved; the call is being carried out.' };
    case 'consumed':
      if (row.outcome === 'executed') return { ...times, ...(await endedOutcome(ports, row)) };
      return failed(
        mcpCodes.upstreamFailed,
        `${row.tool} was approved; its execution ended as ${row.outcome ?? 'unknown'}.`,
        row.refused_because ?? row.outcome ?? 'unknown',
      );
  }
}

/** Returns the outcome of a task that ran: its result, or the reason why the result is not available. */
async function endedOutcome(ports: Needs, row: ApprovalRow): Promise<Pick<Task, 'status' | 'message' | 'outcome'>> {
  try {
    return { status: 'completed', outcome: { result: await keptResult(ports, row.tool, row) } };
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return { status: 'failed', message: fault.message, outcome: { error: fault.toError() } };
  }
}

/** Returns the response to a call that became a task. */
function taskCreatedResult(caller: Caller, task: Task): JsonObject {
  return caller.era === 'stateless' ? { resultType: 'task', ...fields(caller, task) } : { task: fields(caller, task) };
}

/** Returns the response to `tasks/get`, including the outcome in revisions without `tasks/result`. */
function taskAnswer(caller: Caller, task: Task): JsonObject {
  if (caller.era === 'session') return fields(caller, task);
  return { resultType: 'complete', ...fields(caller, task), ...(task.outcome as JsonObject | undefined) };
}

const cancelResult = (caller: Caller, task: Task): JsonObject =>
  caller.era === 'session' ? fields(caller, task) : { resultType: 'complete' };

function fields({ era }: Caller, { id, status, message, createdAt, updatedAt }: Task): JsonObject {
  return {
    taskId: id,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt,
    lastUpdatedAt: updatedAt,
    ...(era === 'session' ? { ttl: ttlMs, pollInterval: pollMs } : { ttlMs, pollIntervalMs: pollMs }),
  };
}
