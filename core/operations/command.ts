/** A command of agentctl that calls one operation: words, options, help and the table that it prints. */

import { count, type Fields } from '#core/kernel/json-fields.ts';

/** A member of the row, also of a member (`settings.name`), or a function of the row. */
type Cell = string | ((row: Fields) => unknown);

export interface OperationCommand {
  /** Groups, name, and a word for each parameter of the path: `keys list <tenant>`. */
  readonly words: string;
  /** Default: the summary of the operation. */
  readonly summary?: string;
  /** Default: the command with sample values, and the same with `--json`. */
  readonly examples?: readonly string[];
  readonly alias?: string;
  /** The default command of its group. */
  readonly isDefault?: true;
  /**
   * Query parameters that are options: placeholder and help. A text may begin with another name for the option. Lists by
   * page have `limit` and `cursor` in addition.
   */
  readonly options?: Readonly<Record<string, string>>;
  /** The table that is printed. Default: the whole answer as an indented tree. */
  readonly table?: {
    /** Member of the answer that holds the rows. */
    readonly of: string;
    /** Printed if there are no rows. */
    readonly none: string;
    readonly columns: Readonly<Record<string, Cell>>;
  };
  /** Decides the exit code. Default: every answer is positive. */
  readonly isPositive?: (answer: Fields) => boolean;
}

/** Options of several commands. */
export const optionOf = {
  from: '<time> earliest time (ISO 8601)',
  to: '<time> latest time',
  path: '<glob> all tenants below a path of the organisations, such as acme/web or acme/**/production',
} as const;

export const usd = (value: unknown): string => `$${count(value).toFixed(count(value) >= 1 ? 2 : 6)}`;
export const percent = (value: unknown): string => `${Math.round(count(value) * 10) / 10} %`;
export const milliseconds = (value: unknown): string => `${count(value)} ms`;
