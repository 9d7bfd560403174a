/** Shell text as a tree: what the grammar yields and the walk reads. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** Known only when the line runs: `$x`, `$(…)`, `<(…)`. `source` is its text. */
  | { readonly kind: 'unknown'; readonly source: string; readonly quoted: boolean };

export interface Word {
  readonly pieces: readonly Piece[];
  /** Lines that run while the word is expanded. */
  readonly inner: readonly Script[];
}

export interface Assignment {
  readonly name: string;
  /** One word, or the elements of an array. */
  readonly values: readonly Word[];
}

export type RedirectOperator = '<' | '>' | '>>' | '>|' | '<>' | '>&' | '<&' | '&>' | '&>>' | '<<' | '<<<';

export interface Redirect {
  readonly operator: RedirectOperator;
  /** For a here-document its body, which the lexer fills in at the end of the line. */
  target: Word;
}

export type Command =
  | {
      readonly kind: 'simple';
      readonly assignments: readonly Assignment[];
      readonly words: readonly Word[];
      readonly redirects: readonly Redirect[];
    }
  | {
      /** Groups, subshells, conditions and loops: every body is read, whether it would run or not. */
      readonly kind: 'compound';
      readonly words: readonly Word[];
      readonly bodies: readonly Script[];
      readonly redirects: readonly Redirect[];
      /** The variable of a loop. */
      readonly sets?: string;
      /** What becomes of the working directory: kept outside, changed for what follows, perhaps changed, or again and again. */
      readonly scope: 'subshell' | 'group' | 'branch' | 'loop';
    }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command };

/** Commands whose output is the next one's input. */
export type Pipeline = readonly Command[];

export interface AndOr {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly background: boolean;
}

export type Script = readonly AndOr[];

export const limits = {
  characters: 64 * 1024,
  nodes: 10_000,
  depth: 64,
  lines: 8,
  parts: 256,
  /** Words of one command, and the words of all effects together: each effect carries those of its command. */
  words: 1024,
  partWords: 8192,
} as const;

/** The text is not certain to mean what we think; the message is the reason shown. */
export class Unreadable extends Error {}

/** Work already done on one call, shared by all texts in it. */
export interface Budget {
  nodes: number;
  /** The first construct that shells read differently, or that runs what a variable holds. The reading goes on as bash's. */
  doubt?: string;
}

export function spend(budget: Budget): void {
  if (++budget.nodes > limits.nodes) throw new Unreadable(`the line has more than ${limits.nodes} words and commands`);
}
