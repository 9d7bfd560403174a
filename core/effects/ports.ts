/**
 * What a call would do, as the policy sees it: shell text, SQL, URLs and paths read by their own grammars before rules are
 * matched. The decision is the worst of the parts; what cannot be read is at least reviewed.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { BranchWrite } from './git/branches.ts';

/** One effect of a call. */
export interface Effect extends ToolCall {
  /** The branches that a Git command in a shell writes; empty if it writes none. Absent if the part is of no such command. */
  readonly branches?: readonly BranchWrite[];
}

export interface Effects {
  /** The effects, each as a call of its own; empty where the call stands for itself alone. */
  readonly parts: readonly Effect[];
  /**
   * The call only carries others (`shell.run`, `bash -c`, `sql.query`): rules that name it count, but where none does the
   * policy's default does not.
   */
  readonly carrier: boolean;
  /** Why the text could not be read with certainty; the decision is then `review` at least. */
  readonly unclear?: string;
  /** All that is not certain is what would be shown: `changes` of files that Git follows, or `secrets` of a store. */
  readonly shows?: 'changes' | 'secrets';
}

/** Reads the effects of calls of one protocol; never throws: what it cannot read it says. */
export type EffectReader = (call: ToolCall) => Effects;

export interface EffectsPort {
  /** What a call would do, read by its own grammar. Never rejects on behalf of the text. */
  readonly effects: (call: ToolCall) => Promise<Effects>;
}
