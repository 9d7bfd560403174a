/** Types of judges and the facts of a call that they use. `judges.ts` lists the judges; `assess.ts` runs them. */

import type { BehaviorNote, Signal } from '#core/contracts/behavior.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Drift } from '#core/contracts/drift.ts';
import type { ActionEnvelope, ToolCall } from '#core/contracts/envelope.ts';
import type { SourceNotes } from '#core/contracts/provenance.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { ArgumentSettings } from '#core/guard/decide-arguments.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import type { Verdict } from '#core/policy/rules/verdict.ts';
import type { BehaviorBlock, RiskRecords } from '#core/session/risk/assess.ts';
import type { AttachedManifests } from '#core/session/tasks/ports.ts';

/** `requested`: a caller makes the call. `approved`: the gateway is about to make a call that a human has approved. */
export type JudgementTime = 'requested' | 'approved';

/** A check of one call. The worst verdict wins; `undefined` means no objection. */
export interface Judge<Facts = CallFacts> {
  /** Name of the judge, as reported by `why` in `decided_by`. */
  readonly name: string;
  /** Prefix of `matched_rule` if this judge made the decision. */
  readonly rules?: string;
  /** Runs for blocked calls too, so that evidence records its findings. */
  readonly records?: true;
  /** Judges a call. @param earlier verdict of the preceding judges. */
  judge(
    facts: Facts,
    when: JudgementTime,
    earlier: CallVerdict,
  ): CallVerdict | undefined | Promise<CallVerdict | undefined>;
}

/** A judge that a feature adds. `features/judges.ts` lists them. */
export interface AddedJudge extends Judge {
  /** Returns a task sheet made from the prompt of a call in a session that has no sheet yet. */
  firstSheet?(configuration: Configuration, prompt: string): Promise<FirstSheet | undefined>;
}

/** The facts that do not depend on the caller. Workers also receive them [limit.hostile]. */
export interface TextFacts {
  readonly call: ToolCall;
  readonly effects: Effects;
  readonly policy: CompiledPolicy;
  readonly sandbox: Configuration['sandbox'];
  /** Absent if the call does not go to an MCP server, or its guard is off. */
  readonly guard: ArgumentSettings | undefined;
}

export interface CallFacts extends TextFacts {
  /** Absent in simulations and policy tests. */
  readonly caller?: CallerFacts | undefined;
}

/** The caller, and the stored facts about its session and key. */
export interface CallerFacts {
  readonly envelope: ActionEnvelope;
  readonly callDigest: string;
  readonly configuration: Configuration;
  readonly head: SessionHead | undefined;
  readonly attached: AttachedManifests;
  /** Keys of the drift that a human has accepted in the session. */
  readonly acceptedDrift?: readonly string[] | undefined;
  /** The task sheet that starts the session, made from the call's prompt. */
  readonly firstRequest?: FirstSheet | undefined;
  readonly standing: RiskRecords;
  /** Returns the risk signals of the call if it is allowed. */
  readonly signals: (effects: Effects) => readonly Signal[];
  readonly sourceNotes?: SourceNotes | undefined;
  /** True for agents' keys: only they are scored. */
  readonly scored: boolean;
  /** Number of times the key has reached the probe limit since its last call. */
  readonly probed: number;
  readonly nowMs: number;
}

export interface CallVerdict extends Verdict {
  /** Ways in which the call departs from its declared tasks. */
  readonly drift?: readonly Drift[];
  /** The entry's note for the risk score. */
  readonly behavior?: BehaviorNote;
  /** Set if the kill switch has stopped the session or key, or this call trips it. */
  readonly stopped?: BehaviorBlock;
}

/** The combined decision of all judges on one call. */
export type CallDecision = PolicyDecision & Omit<CallVerdict, keyof PolicyDecision>;
