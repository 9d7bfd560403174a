/**
 * What is known of a chat call on its way: each stage takes what the stage before it returned, and adds its own facts. A fact has
 * one writer, and is there from then on.
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
import type { Standing } from '#core/session/risk/assess.ts';
import type { ChatCall } from './call.ts';
import type { ModelProgress } from './model-progress.ts';

/** A call before its first stage. */
export interface RunningCall {
  readonly call: ChatCall;
  readonly startedMs: number;
  /** Ends the call from our side while the model speaks. */
  readonly halt: AbortController;
  /** The caller has gone, or the call was halted: closes the provider's connection. */
  readonly signal: AbortSignal;
  /** To be called when the call is over: its signal follows the caller's until then. */
  readonly release: () => void;
}

/** `admit`: what the first store step returned. */
export interface AdmittedCall extends RunningCall {
  /** False where a limit has refused the call: then there is nothing to settle. */
  readonly reserved: boolean;
  /** The reservation says that the provider is called: what a crash leaves behind is charged. */
  readonly startNoted: boolean;
  readonly limitHeaders: Readonly<Record<string, string>>;
  /** The session as read beside the reservation. */
  readonly head: SessionHead | null;
  /** What was counted against the caller before the call. */
  readonly standing: Standing;
  /** SHA-256 of the canonical request as it came. */
  readonly requestSha256: string;
}

/** `screen`: the request after transforms, filters and the tool guard. */
export interface ScreenedCall extends AdmittedCall {
  /** The request as the provider gets it. */
  readonly body: JsonObject;
  /** Of the lines of an uploaded batch, the requests as the provider gets them. */
  readonly lines: readonly JsonObject[];
  readonly inputVerdict: Verdict;
}

interface TakenApproval {
  readonly id: string;
  readonly matchedRule: string;
  /** The session, which the taken approval has moved on. */
  readonly head: SessionHead | null;
}

/** `awaitApproval`: what a review asks for is approved. */
export interface ApprovedCall extends ScreenedCall {
  /** Undefined where no filter asked for it. */
  readonly approval: TakenApproval | undefined;
}

/** `lookUp`: what the response cache knows. */
export interface LookedUpCall extends ApprovedCall {
  /** Undefined where the cache is not asked. */
  readonly lookup: Lookup | undefined;
}

/** A provider is called: the call is charged from here on. */
export type BegunCall<Before extends ApprovedCall = ApprovedCall> = Before & {
  readonly progress: ModelProgress;
};

/** A provider has answered. */
export type ModelCall<Before extends ApprovedCall = ApprovedCall> = BegunCall<Before> & {
  readonly provider: string;
  readonly region: string | undefined;
  /** The built-in mock answered for a model of another name. */
  readonly demo: boolean;
  /** The side of a rollout that the call is on. */
  readonly rollout: RolloutMark | undefined;
  /** Attempts that came to nothing. */
  readonly attempts: readonly ProviderAttempt[];
  /** What the caller sent and this provider did not get. */
  readonly leftOut: readonly string[];
};

interface CheckedReply {
  readonly outputVerdict: Verdict;
}

/** The output policy has looked at what is answered. */
export type CheckedCall<Before extends RunningCall> = Before & CheckedReply;

interface MadeResource {
  /** Id of the file, batch or response that the call has made. */
  readonly resource: string;
}

type EveryFact = ModelCall<LookedUpCall> & CheckedReply & MadeResource;

/** What is known where a call ends, which may be in any stage: a fact is absent where its stage has not come to it. */
export type KnownCall = RunningCall & Partial<Omit<EveryFact, keyof RunningCall>>;

/** What decided the end of a call. */
export interface Ruling {
  readonly decision: ChatRecord['decision'];
  readonly matchedRule: string | undefined;
}

export interface Ending {
  readonly outcome: ChatOutcome;
  readonly error: ErrorCode | undefined;
  /** Where the end itself was decided: by a limit, the kill switch, a reviewer. */
  readonly ruling: Ruling | undefined;
  /** Headers of a refusal beside those of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the last stage of a call returns. */
export interface Finished {
  readonly known: KnownCall;
  readonly ending: Ending;
}

/** A call that is over: what its evidence entry, its settlement and its metrics are made of. */
export interface EndedCall extends Finished {
  /** HTTP status that the caller sees. */
  readonly status: number;
}

export function startCall(call: ChatCall, clock: Clock): RunningCall {
  const halt = new AbortController();
  return { call, startedMs: clock.now(), halt, signal: halt.signal, release: follow(halt, call.signal) };
}

/** An end without a fault. */
export const endedWith = (outcome: ChatOutcome, error?: ErrorCode): Ending => ({
  outcome,
  error,
  ruling: undefined,
  headers: {},
});
