/** What a rule of the tool guard is: the words that it is asked at, and what must stand near them. */
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

/** Whether a word of the class stands within a number of words before; sentence ends count ten words, paragraphs thirty. */
export type Near = (name: WordClass, words: number) => boolean;

export interface Rule {
  readonly on: readonly WordClass[];
  /** Absent where the rule only notes a class. */
  readonly cue?: Cue;
  /** A strong cue is a finding by itself, a weak one together with another. */
  readonly strong?: boolean;
  readonly holds: (near: Near) => boolean;
  /** Noted as a word of this class, for rules that want an order. */
  readonly sets?: WordClass;
}
