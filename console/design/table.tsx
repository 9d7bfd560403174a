/**
 * A table of rows. Each column has a priority, so that a narrow screen keeps the most important ones. If it is still
 * too wide, it scrolls in its own region, also by keyboard.
 */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** 1 is always shown; 2 is shown if the table is at least 40 rem wide, 3 at 56 rem. @default 1 */
  readonly priority?: 1 | 2 | 3;
  /** Right-aligned, with tabular figures. */
  readonly number?: boolean;
  /** The header is for screen readers only, as for a column of buttons. */
  readonly unseen?: boolean;
  /** Takes the space that other columns leave, and wraps its lines. */
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
