/**
 * A table of rows. Each column has a priority, so that a narrow screen keeps the decisive ones. If it is still too wide, it scrolls in its
 * own region, also by keyboard.
 */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** 1 is always shown, 2 from a table of 40 rem on, 3 from 56 rem on. @default 1 */
  readonly priority?: 1 | 2 | 3;
  /** Right-aligned, with figures of equal width. */
  readonly number?: boolean;
  /** The head is for screen readers only: a column of buttons. */
  readonly unseen?: boolean;
  /** Takes the room that the others leave, and breaks lines there. */
  readonly wide?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.unseen ? <span class="unseen">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const classOf = ({ priority = 1, number, wide }: Pick<Column<never>, 'priority' | 'number' | 'wide'>): string =>
  `p${priority}${number ? ' number' : ''}${wide ? ' wide' : ''}`;
