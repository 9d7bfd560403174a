/** An agentctl command that calls one operation: its words, options, help and printed table. */

import { count, type Fields } from '#core/kernel/json-fields.ts';

/** A member of the row, which may be nested (`settings.name`), or a function of the row. */
type Cell = string | ((row: Fields) => unknown);

export interface OperationCommand {
  /** Groups, a name, and one word for each path parameter: `keys list <tenant>`. */
  readonly words: string;
  /** Default: the operation's summary. */
  readonly summary?: string;
  /** Default: the command with sample values, once without and once with `--json`. */
  readonly examples?: readonly string[];
  readonly alias?: string;
  /** The default command of its group. */
  readonly isDefault?: true;
  /**
   * Query parameters that are options, with placeholder and help. The text may begin with a different name for the
   * option. Paged lists also have `limit` and `cursor`.
   */
  readonly options?: Readonly<Record<string, string>>;
  /** The table that is printed. Default: the whole response as an indented tree. */
  readonly table?: {
    /** The response member that contains the rows. */
    readonly of: string;
    /** Printed if there are no rows. */
    readonly none: string;
    readonly columns: Readonly<Record<string, Cell>>;
  };
  /** Determines the exit code. Default: every response counts as positive. */
  readonly isPositive?: (answer: Fields) => boolean;
}

/** Options shared by several commands. */
export const optionOf = {
  from: '<time> earliest time (ISO 8601)',
  to: '<time> latest time',
  path: '<glob> all tenants below a path of the organisations, such as acme/web or acme/**/production',
} as const;

export const usd = (value: unknown): string => `$${count(value).toFixed(count(value) >= 1 ? 2 : 6)}`;
export const percent = (value: unknown): string => `${Math.round(count(value) * 10) / 10} %`;
export const milliseconds = (value: unknown): string => `${count(value)} ms`;
