/**
 * Results of the stages of a chat call. Each stage extends the previous result with its own facts; each fact has one
 * writer.
 */

import type { ChatOutcome, ChatRecord } from '#core/contracts/chat.ts';
import type { RolloutMark } from '#core/contracts/rollout.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { ErrorCode } from '#core/kernel/errors.ts';
import { follow } from '#core/kernel/follow-signal.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { Lookup } from '#core/models/cache/ports.ts';
import type { Verdict } from '#core/models/content-policy/ports.ts';
import type { ProviderAttempt } from '#core/models/providers/ports.ts';
import type { RiskRecords } from '#core/session/risk/assess.ts';
import type { ChatCall } from './call.ts';
import type { ModelProgress } from './model-progress.ts';

/** Call before its first stage. */
export interface RunningCall {
  readonly call: ChatCall;
  readonly startedMs: number;
  /** Ends a stream on the gateway's side while the model is responding. Undefined for a call without a stream. */
  readonly halt: AbortController | undefined;
  /** Aborts when the caller disconnects or the call is halted, which closes the provider's connection. */
  readonly signal: AbortSignal;
  /** Detaches the signal from the caller's signal. Called when the call is over. */
  readonly release: () => void;
}

/** Result of `admit`, the first store step. */
export interface AdmittedCall extends RunningCall {
  /** False if a limit refused the call, so that there is no reservation to settle. */
  readonly reserved: boolean;
  /** True if the reservation records the provider call, so that the call is charged even after a crash. */
  readonly startNoted: boolean;
  readonly limitHeaders: Readonly<Record<string, string>>;
  /** Session as read when the reservation was made. */
  readonly head: SessionHead | null;
  /** Risk counted against the caller before the call. */
  readonly standing: RiskRecords;
  /** SHA-256 of the canonical request as received. */
  readonly requestSha256: string;
}

/** Result of `screen`: the request after transforms, filters and the tool guard. */
export interface ScreenedCall extends AdmittedCall {
  /** Request as sent to the provider. */
  readonly body: JsonObject;
  /** Requests of an uploaded batch, as sent to the provider. */
  readonly lines: readonly JsonObject[];
  readonly inputVerdict: Verdict;
}

interface TakenApproval {
  readonly id: string;
  readonly matchedRule: string;
  /** Session after the approval was consumed. */
  readonly head: SessionHead | null;
}

/** Result of `awaitApproval`: every required review is approved. */
export interface ApprovedCall extends ScreenedCall {
  /** Undefined if no filter required a review. */
  readonly approval: TakenApproval | undefined;
}

/** Result of `lookUp` in the response cache. */
export interface LookedUpCall extends ApprovedCall {
  /** Undefined if the cache was not consulted. */
  readonly lookup: Lookup | undefined;
}

/** Call that is charged from this point on, because a provider is called. */
export type BegunCall<Before extends ApprovedCall = ApprovedCall> = Before & {
  readonly progress: ModelProgress;
};

/** Call that a provider has responded to. */
export type ModelCall<Before extends ApprovedCall = ApprovedCall> = BegunCall<Before> & {
  readonly provider: string;
  readonly region: string | undefined;
  /** True if the built-in mock answered in place of a model with a different name. */
  readonly demo: boolean;
  /** Side of the rollout to which the call was assigned. */
  readonly rollout: RolloutMark | undefined;
  /** Failed attempts. */
  readonly attempts: readonly ProviderAttempt[];
  /** Names of request members that were not sent to this provider. */
  readonly leftOut: readonly string[];
};

interface CheckedReply {
  readonly outputVerdict: Verdict;
}

/** Call whose response has been checked by the output policy. */
export type CheckedCall<Before extends RunningCall> = Before & CheckedReply;

interface MadeResource {
  /** Id of the file, batch or response that the call created. */
  readonly resource: string;
}

type AllStages = ModelCall<LookedUpCall> & CheckedReply & MadeResource;

/** Facts known when a call ends, at any stage. Facts from later stages are absent. */
export type KnownCall = RunningCall & Partial<Omit<AllStages, keyof RunningCall>>;

/** Decision that ended a call. */
export interface Ruling {
  readonly decision: ChatRecord['decision'];
  readonly matchedRule: string | undefined;
}

export interface CallEnding {
  readonly outcome: ChatOutcome;
  readonly error: ErrorCode | undefined;
  /** Set if a limit, the kill switch or a reviewer ended the call. */
  readonly ruling: Ruling | undefined;
  /** Headers of a refusal, in addition to the headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Result of the last stage of a call. */
export interface FinishedCall {
  readonly known: KnownCall;
  readonly ending: CallEnding;
}

/** Finished call, from which its evidence entry, settlement and metrics are derived. */
export interface EndedCall extends FinishedCall {
  /** HTTP status sent to the caller. */
  readonly status: number;
}

/** Evidence entry of an ended call. */
export interface RecordedEntry {
  readonly hash: string;
  readonly at: string;
  readonly latencyMs: number;
}

export function startCall(call: ChatCall, clock: Clock): RunningCall {
  if (!call.stream) return { call, startedMs: clock.now(), halt: undefined, signal: call.signal, release: () => {} };
  const halt = new AbortController();
  return { call, startedMs: clock.now(), halt, signal: halt.signal, release: follow(halt, call.signal) };
}

/** Returns an ending without an error. */
export const endedWith = (outcome: ChatOutcome, error?: ErrorCode): CallEnding => ({
  outcome,
  error,
  ruling: undefined,
  headers: {},
});
