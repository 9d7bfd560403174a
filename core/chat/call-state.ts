/** The state of a call: what its one evidence entry will record. Filled in by the stages on the way. */

import type { Standing } from '#core/behavior/assess.ts';
import { cancelledBy } from '#core/cancellation/watch.ts';
import type { Verdict } from '#core/content-policy/ports.ts';
import type { ChatOutcome, ChatRecord, Finding, Usage } from '#core/contracts/chat.ts';
import type { RolloutMark } from '#core/contracts/rollout.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { follow } from '#core/kernel/follow-signal.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { costOf } from '#core/limits/prices.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import type { Provider } from '#core/providers/ports.ts';
import type { ChatCall } from './call.ts';
import { boundedNames, leftOutHeader } from './left-out.ts';
import { forcedTool, governsTools } from './structured-output.ts';

export interface ChatCallState {
  readonly call: ChatCall;
  readonly startedMs: number;
  /** The session as read beside the reservation. */
  head: SessionHead | null;
  /** What was counted against the caller before the call. */
  standing?: Standing;
  reserved: boolean;
  /** SHA-256 of the canonical request as it came. */
  requestSha256?: string;
  /** The provider was called: what a crash now leaves behind is charged. */
  begun?: Promise<void>;
  /** The reservation says so already. */
  startNoted?: boolean;
  outcome: ChatOutcome;
  decision: 'allow' | 'review' | 'block';
  status: number;
  error?: string;
  matchedRule?: string;
  readonly findings: Finding[];
  provider?: string;
  region?: string | undefined;
  /** Which side of a rollout the call is on. */
  rollout: RolloutMark | undefined;
  attempts: readonly { readonly provider: string; readonly error: string }[];
  /** What the provider counted so far: later counts replace earlier ones. */
  counted: Partial<Usage>;
  /** Characters the model put out, where the provider reports no count. */
  outputCharacters: number;
  finishReason?: string;
  firstTokenMs?: number;
  /** The answer is a stream, begun or over. */
  streamed?: boolean;
  /** What the output policy found in it. */
  verdict?: Verdict | undefined;
  cache?: ChatRecord['cache'];
  /** The call's entry in evidence, once it is written. */
  recorded?: { readonly hash: string; readonly at: string; readonly latencyMs: number };
  /** The provider's id of the response that it keeps. */
  provider_id?: string;
  /** Id of the file, batch or response that the call has made. */
  resource?: string;
  /** The approval whose lease this call holds. */
  approvalId?: string;
  /** What the caller sent and the provider did not get. */
  leftOut: readonly string[];
  readonly headers: Record<string, string>;
  /** Ends the call from our side while the model speaks. */
  readonly halt: AbortController;
  /** The caller has gone, or the call was halted: closes the provider's connection. */
  readonly signal: AbortSignal;
  /** To be called when the call is over: its signal follows the caller's until then. */
  readonly release: () => void;
}

export function startCallState(call: ChatCall, clock: Clock): ChatCallState {
  const halt = new AbortController();
  return {
    halt,
    signal: halt.signal,
    release: follow(halt, call.signal),
    call,
    startedMs: clock.now(),
    head: null,
    reserved: false,
    outcome: 'refused',
    decision: 'allow',
    status: 200,
    findings: [],
    rollout: undefined,
    attempts: [],
    counted: {},
    outputCharacters: 0,
    leftOut: call.leftOut,
    headers: { 'x-envelope-id': call.envelopeId, 'x-session-id': call.sessionId, ...leftOutHeader(call.leftOut) },
  };
}

/** What the provider that is asked, or was asked for a cached answer, did not get beside what no provider gets. */
export function noteLeftOut(state: ChatCallState, names: readonly string[]): void {
  state.leftOut = [...new Set([...state.call.leftOut, ...names])];
  delete state.headers['x-left-out'];
  Object.assign(state.headers, leftOutHeader(state.leftOut));
}

/** Of a provider that keeps responses, the id of this one. */
export function noteKept(
  state: ChatCallState,
  { keepsResponses }: Pick<Provider, 'keepsResponses'>,
  { id }: JsonObject,
): void {
  if (!state.call.keep || !keepsResponses || state.provider_id !== undefined) return;
  if (typeof id === 'string' && /^[\w.:-]{1,200}$/.test(id)) state.provider_id = id;
}

/** Why we ended the call, if we did. */
export const abortReason = ({ signal }: ChatCallState): GatewayError | undefined =>
  signal.aborted && signal.reason instanceof GatewayError ? signal.reason : undefined;

/** The call ends with this error. */
export function ended(state: ChatCallState, outcome: ChatOutcome, error: GatewayError): void {
  state.outcome = outcome;
  state.error = error.code;
  // The caller of a stream has already seen the status line.
  if (!state.streamed) state.status = state.call.wire.statusOf(error);
}

/**
 * The caller went away or cancelled the call: what was streamed until then is billed and recorded.
 * @returns the error for a caller who cancelled; undefined for one who disconnected.
 */
export function disconnectError(state: ChatCallState): GatewayError | undefined {
  state.outcome = 'aborted';
  state.status = 499;
  if (cancelledBy(state.call.signal) === undefined) return undefined;
  const error = new GatewayError('request_cancelled', 'The request was cancelled by its own key.');
  state.error = error.code;
  return error;
}

/** What the call is charged with: the provider's counts, else estimates; nothing where no provider took the call. */
export function usageOf(state: ChatCallState): Usage {
  const { call, counted, outputCharacters, begun, finishReason } = state;
  if (!begun || refusedByAll(state)) return { input_tokens: 0, output_tokens: 0 };
  // A stream cut short has counts of its beginning: Anthropic's says one token before the first word.
  const whole = !call.stream || finishReason !== undefined;
  const complete = whole && counted.input_tokens !== undefined && counted.output_tokens !== undefined;
  return {
    ...counted,
    input_tokens: counted.input_tokens ?? call.inputTokens,
    output_tokens: Math.max(counted.output_tokens ?? 0, complete ? 0 : Math.ceil(outputCharacters / 4)),
    ...(!complete && { estimated: true }),
  };
}

/** Attempts that providers ask no money for: not reached, or answered with an error status. */
const free = /^([45]\d\d|unreachable|unavailable|breaker_open)$/;

const refusedByAll = ({ provider, attempts }: ChatCallState): boolean =>
  provider === undefined && attempts.every(({ error }) => free.test(error));

export function costOfCall(state: ChatCallState): { microusd: number; estimated: boolean } {
  const { configuration } = state.call.snapshot;
  return costOf(configuration, state.call.resolvedModel, usageOf(state), surchargeOf(state.call.body));
}

/** Body of the entry: counts and names, never content. */
export function recordOf(
  state: ChatCallState,
  clock: Clock,
  traceId: string,
  evictions: number,
  delivered?: 'unknown',
): ChatRecord {
  const { call } = state;
  const { configuration, version } = call.snapshot;
  const cost = costOfCall(state);
  const by = cancelledBy(call.signal);
  const tool = governsTools(call) && configuration.messages.structured_output === 'data' ? forcedTool(call) : undefined;
  return {
    operation: call.operation,
    decision: state.decision,
    outcome: state.outcome,
    status: state.status,
    ...(state.error !== undefined && { error: state.error }),
    ...(tool !== undefined && { structured_output: tool.slice(0, 256) }),
    ...(state.resource !== undefined && { resource: state.resource }),
    ...(state.leftOut.length > 0 && { left_out: boundedNames(state.leftOut) }),
    ...(by !== undefined && state.outcome === 'aborted' && { aborted_by: by }),
    ...(delivered !== undefined && { delivered }),
    model: call.model,
    resolved_model: call.resolvedModel,
    ...(state.provider !== undefined && { provider: state.provider }),
    ...(state.region !== undefined && { region: state.region }),
    stream: call.stream,
    transport: call.transport,
    policy_version: version,
    ...(state.matchedRule !== undefined && { matched_rule: state.matchedRule }),
    ...(state.findings.length > 0 && { findings: state.findings }),
    usage: usageOf(state),
    cost_microusd: cost.microusd,
    ...(cost.estimated && { cost_estimated: true }),
    ...(state.cache !== undefined && { cache: state.cache }),
    ...(evictions > 0 && { cache_evictions: evictions }),
    ...(state.finishReason !== undefined && { finish_reason: state.finishReason }),
    latency_ms: Math.max(0, clock.now() - state.startedMs),
    ...(state.firstTokenMs !== undefined && { first_token_ms: state.firstTokenMs }),
    ...(state.attempts.length > 0 && { attempts: state.attempts }),
    ...(state.rollout && { rollout: state.rollout }),
    request_id: call.requestId,
    request_sha256: state.requestSha256 ?? digestOf(call.body),
    ...(traceId !== '' && { trace_id: traceId }),
    ...(state.approvalId !== undefined && { approval_ref: state.approvalId }),
    ...(configuration.policies.break_glass && { break_glass: true }),
  };
}
