/** Syntax tree of shell text, produced by the parser and read by the walk. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** Text known only when the line runs: `$x`, `$(…)`, `<(…)`. `source` is the expression as written. */
  | { readonly kind: 'unknown'; readonly source: string; readonly quoted: boolean };

export interface Word {
  readonly pieces: readonly Piece[];
  /** Lines that run while the word is expanded. */
  readonly inner: readonly Script[];
}

export interface Assignment {
  readonly name: string;
  /** A single word, or the elements of an array. */
  readonly values: readonly Word[];
}

export type RedirectOperator = '<' | '>' | '>>' | '>|' | '<>' | '>&' | '<&' | '&>' | '&>>' | '<<' | '<<<';

export interface Redirect {
  readonly operator: RedirectOperator;
  /** For a here-document, its body, which the lexer fills in at the end of the line. */
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
      /** Groups, subshells, conditions and loops. Every body is read, regardless of whether it would run. */
      readonly kind: 'compound';
      readonly words: readonly Word[];
      readonly bodies: readonly Script[];
      readonly redirects: readonly Redirect[];
      /** The loop variable. */
      readonly sets?: string;
      /**
       * Effect on the working directory: none outside the subshell, changed afterwards, possibly changed, or changed
       * repeatedly.
       */
      readonly scope: 'subshell' | 'group' | 'branch' | 'loop';
    }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command };

/** Commands whose output is the input of the next one. */
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
  /**
   * Numbers of words: in one command, and in all effects together, because each effect repeats the words of its
   * command.
   */
  words: 1024,
  partWords: 8192,
} as const;

/** Error for text that may mean something other than its parsed form. The message is the reported reason. */
export class UnreadableSyntax extends Error {}

/** Work done for one call, shared by all text in the call. */
export interface Budget {
  nodes: number;
  /**
   * The first construct that shells parse differently, or that evaluates the value of a variable. Parsing continues as
   * in bash.
   */
  doubt?: string;
}

export function spend(budget: Budget): void {
  if (++budget.nodes > limits.nodes)
    throw new UnreadableSyntax(`the line has more than ${limits.nodes} words and commands`);
}
