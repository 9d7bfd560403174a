/**
 * Effects of a call for the policy: shell text, SQL, URLs and paths are parsed by their own grammars before rules are
 * matched. The decision is the worst of all parts, and at least review if a text cannot be parsed.
 */
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { BranchWrite } from './git/branches.ts';

export interface Effect extends ToolCall {
  /** The branches that a Git command in a shell writes; empty if it writes none. Absent for any other command. */
  readonly branches?: readonly BranchWrite[];
}

export interface Effects {
  /** The effects, each as a separate call. Empty if the call is its only effect. */
  readonly parts: readonly Effect[];
  /**
   * The call only carries others (`shell.run`, `bash -c`, `sql.query`): rules that name it count, but if none does, the
   * policy's default does not.
   */
  readonly carrier: boolean;
  /** Why the text could not be parsed with certainty. The decision is then at least `review`. */
  readonly unclear?: string;
  /** Lines within a call of another protocol that could not be parsed. The rules for shell lines see their text. */
  readonly unreadLines?: readonly string[];
  /** The only uncertainty is what would be shown: `changes` of files that Git tracks, or `secrets` of a store. */
  readonly shows?: 'changes' | 'secrets';
}

/**
 * Reads the effects of calls of one protocol. Never throws: reports text that it cannot parse in `unclear`. The shell
 * reader knows the programs that the configuration describes.
 */
export type EffectReader = (call: ToolCall, programs?: OwnPrograms) => Effects;

/**
 * Returns the effects of a call. Never rejects because of its text.
 * @param programs that the configuration describes.
 */
export type EffectsOf = (call: ToolCall, programs: OwnPrograms) => Promise<Effects>;

/** Facts about the gateway's configuration for reading lines. */
export interface WalkSettings {
  readonly workspace?: string | undefined;
  /** Programs that the configuration describes. */
  readonly programs?: OwnPrograms | undefined;
}
