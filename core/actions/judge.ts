/** What a judge is, and the facts of a call that it looks at. All judges: `judges.ts`; `assess.ts` asks them. */

import type { BehaviorNote } from '#core/contracts/behavior.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Drift } from '#core/contracts/drift.ts';
import type { ActionEnvelope, ToolCall } from '#core/contracts/envelope.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { ArgumentSettings } from '#core/guard/decide-arguments.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import type { Verdict } from '#core/policy/rules/verdict.ts';
import type { Blocked, Standing } from '#core/session/risk/assess.ts';
import type { Attached } from '#core/session/tasks/ports.ts';

/** `requested`: a caller makes the call. `approved`: the gateway is about to make a call that a human has approved. */
export type When = 'requested' | 'approved';

/** Looks at the facts of one call. The worst verdict wins; `undefined` means no objection. */
export interface Judge<Facts = CallFacts> {
  /** `decided_by` of `why`. */
  readonly name: string;
  /** How `matched_rule` begins if this judge decided. */
  readonly rules?: string;
  /** Asked about blocked calls too: evidence records what it finds. */
  readonly records?: true;
  /** @param earlier what the judges before it came to. */
  judge(facts: Facts, when: When, earlier: CallVerdict): CallVerdict | undefined | Promise<CallVerdict | undefined>;
}

/** The facts that do not depend on the caller. A worker has them too [limit.heavy-call]. */
export interface TextFacts {
  readonly call: ToolCall;
  readonly effects: Effects;
  readonly policy: CompiledPolicy;
  readonly sandbox: Configuration['sandbox'];
  /** Absent if the call goes to no MCP server, or its guard is off. */
  readonly guard: ArgumentSettings | undefined;
}

export interface CallFacts extends TextFacts {
  /** Absent for a call that is not made: simulations and policy tests. */
  readonly caller?: CallerFacts | undefined;
}

/** Who makes the call, and what the gateway keeps of its session and key. */
export interface CallerFacts {
  readonly envelope: ActionEnvelope;
  readonly callDigest: string;
  readonly configuration: Configuration;
  readonly head: SessionHead | undefined;
  readonly attached: Attached;
  /** Keys of the drift that a human has accepted in the session. */
  readonly acceptedDrift?: readonly string[] | undefined;
  /** The task sheet that the call's prompt begins the session with. */
  readonly firstRequest?: FirstSheet | undefined;
  readonly standing: Standing;
  /** Whether the acting key is scored: agents' keys are. */
  readonly scored: boolean;
  /** How often the key has probed many times since it was last reported. */
  readonly probed: number;
  readonly nowMs: number;
}

export interface CallVerdict extends Verdict {
  /** Ways in which the call leaves the tasks it was declared for. */
  readonly drift?: readonly Drift[];
  /** What the entry carries for the risk score. */
  readonly behavior?: BehaviorNote;
  /** The kill switch has stopped the session or its key, or exactly this call stops it. */
  readonly stopped?: Blocked;
}

/** The decision of all judges on one call. */
export type CallDecision = PolicyDecision & Omit<CallVerdict, keyof PolicyDecision>;
