/**
 * Effects of a call for the policy: shell text, SQL, URLs and paths are parsed by their own grammars before rules are
 * matched. The decision is the worst of all parts, and at least review if any text cannot be parsed.
 */
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { BranchWrite } from './git/branches.ts';

export interface Effect extends ToolCall {
  /** The branches that a Git command in a shell writes to; empty if there are none. Absent for any other command. */
  readonly branches?: readonly BranchWrite[];
}

export interface Effects {
  /** The effects, each as a separate call. Empty if the call itself is its only effect. */
  readonly parts: readonly Effect[];
  /**
   * The call only carries other commands (`shell.run`, `bash -c`, `sql.query`). Rules that name it apply, but if none
   * matches, the policy's default does not apply to it.
   */
  readonly carrier: boolean;
  /** Reason why the text could not be parsed with certainty. The decision is then at least `review`. */
  readonly unclear?: string;
  /**
   * Lines within a call of another protocol that could not be parsed. The rules for shell lines match against their
   * text.
   */
  readonly unreadLines?: readonly string[];
  /** Set if the only uncertainty is in the output: `changes` to files that Git tracks, or `secrets` from a store. */
  readonly shows?: 'changes' | 'secrets';
}

/**
 * Reader of the effects of one protocol's calls. Never throws: reports text that it cannot parse in `unclear`. The
 * shell reader also handles the programs described in the configuration.
 */
export type EffectReader = (call: ToolCall, programs?: OwnPrograms) => Effects;

/**
 * Function that returns the effects of a call. Never rejects because of the call's text.
 * @param programs programs described in the configuration.
 */
export type ReadEffects = (call: ToolCall, programs: OwnPrograms) => Promise<Effects>;

/** Parts of the gateway's configuration that are needed to read lines. */
export interface WalkSettings {
  readonly workspace?: string | undefined;
  /** Programs described in the configuration. */
  readonly programs?: OwnPrograms | undefined;
}
