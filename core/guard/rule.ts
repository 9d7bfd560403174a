/** A rule of the tool guard: the words that trigger it, and the words required near them. */
import type { WordClass } from './words.ts';

export type Cue =
  | 'override'
  | 'reveal'
  | 'conceal'
  | 'stealth'
  | 'carry-out'
  | 'secret-out'
  | 'address'
  | 'persona'
  | 'tool-call'
  | 'no-consent'
  | 'marker'
  | 'send-to'
  | 'new-instructions'
  | 'false-error'
  | 'foreign-phrase';

/**
 * Reports whether a word of the class occurs within the given number of words before; sentence ends count as ten words,
 * paragraphs as thirty.
 */
export type Near = (name: WordClass, words: number) => boolean;

export interface Rule {
  readonly on: readonly WordClass[];
  /** Absent if the rule only notes a class. */
  readonly cue?: Cue;
  /** A strong cue is a finding alone; a weak one needs another cue. */
  readonly strong?: boolean;
  readonly holds: (near: Near) => boolean;
  /** The class to note the word as, for rules that depend on word order. */
  readonly sets?: WordClass;
}
