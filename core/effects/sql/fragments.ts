/** SQL fragments in the parameters of a call without a statement: `where: "id = 1"`, `columns: ["count(*)"]`. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { StatementText } from './statement-places.ts';
import { looksLikeSql } from './texts.ts';

/**
 * Returns a complete statement around every string in the parameters that is more than a name, a number or a bound
 * value.
 */
export function fragmentsOf({ parameters }: ToolCall): StatementText[] {
  return Object.entries(parameters).flatMap(([key, value]) => {
    if (bound.has(key)) return [];
    const around = Object.hasOwn(statements, key) ? statements[key] : undefined;
    return [value]
      .flat()
      .filter((item): item is string => typeof item === 'string' && !plainFragment.test(item))
      .map((item) => {
        if (around !== undefined) return { text: `${around} ${item}`, certain: true };
        // A parameter with any other name may hold a complete statement.
        return looksLikeSql(item) ? { text: item, certain: true } : { text: `select ${item}`, certain: false };
      });
  });
}

/** Parameters whose values are never part of a statement, or only name where it runs. */
const bound: ReadonlySet<string> = new Set(
  'values set data row rows record records parameters params args bindings database db connection schema reason note notes comment description title purpose label'.split(
    ' ',
  ),
);

/** A name with dots, a star, a number, or a name with a sort order. */
const plainFragment =
  /^(?:\*|-?\d+(?:\.\d+)?|(?:[\p{L}_][\p{L}\p{N}_$]*\.)*[\p{L}_*][\p{L}\p{N}_$]*(?: (?:asc|desc))?)?$/iu;

const statements: Readonly<Record<string, string>> = {
  where: 'select 1 where',
  filter: 'select 1 where',
  filters: 'select 1 where',
  condition: 'select 1 where',
  conditions: 'select 1 where',
  match: 'select 1 where',
  having: 'select 1 having',
  columns: 'select',
  fields: 'select',
  select: 'select',
  returning: 'select',
  group_by: 'select 1 group by',
  order: 'select 1 order by',
  order_by: 'select 1 order by',
  orderBy: 'select 1 order by',
  sort: 'select 1 order by',
  limit: 'select 1 limit',
  offset: 'select 1 offset',
  from: 'select 1 from',
  table: 'select 1 from',
  tables: 'select 1 from',
  join: 'select 1 from t',
  joins: 'select 1 from t',
};
