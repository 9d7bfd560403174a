/**
 * Builds SQL for structured actions, such as `sql.select` on `public.users` with columns and a where clause. Names are
 * quoted and values are bound. A table without a schema is in `public`, as in the policy's reader.
 */
import * as z from 'zod';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { callRefused } from '../fault.ts';
import { parametersOf } from '../parameters.ts';
import type { SqlStatement } from '../ports.ts';

type Call = Pick<ActionEnvelope, 'tool' | 'target' | 'parameters'>;

const textKeys = ['sql', 'query', 'statement', 'text', 'statements'];

/** Checks whether the call describes its statement instead of containing SQL. */
export const isBuilt = ({ tool, parameters }: Call): boolean =>
  Object.hasOwn(builders, tool.toLowerCase()) && !textKeys.some((key) => parameters[key] !== undefined);

export const builtStatement = (call: Call): SqlStatement => builders[call.tool.toLowerCase()]!(call);

const column = z
  .string()
  .min(1)
  .max(63)
  .refine((name) => !name.includes('\0') && name.isWellFormed(), 'a column name');
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const row = z.record(column, z.json());
const whereSchema = z
  .record(column, z.union([scalar, z.array(scalar).min(1).max(1000)]))
  .refine((conditions) => Object.keys(conditions).length > 0, 'at least one column');
const database = { database: z.string().optional() };

const builder =
  <Shape extends z.ZodRawShape>(
    shape: Shape,
    build: (parameters: z.infer<z.ZodObject<Shape>>, bind: Bind, table: () => string) => string,
  ) =>
  ({ target, parameters }: Call): SqlStatement => {
    const schema = z.strictObject({ ...database, ...shape });
    const read = parametersOf(schema, parameters) as unknown as z.infer<z.ZodObject<Shape>>;
    const values: unknown[] = [];
    const bind: Bind = (value) => `$${values.push(value)}`;
    return { text: build(read, bind, () => tableOf(target).map(quote).join('.')), values };
  };

type Bind = (value: unknown) => string;

const builders: Readonly<Record<string, (call: Call) => SqlStatement>> = {
  'sql.select': builder(
    {
      columns: z.array(column).min(1).max(200).optional(),
      where: whereSchema.optional(),
      order_by: z.array(column).min(1).max(16).optional(),
      limit: z.int().positive().optional(),
      offset: z.int().nonnegative().optional(),
    },
    ({ columns, where, order_by, limit, offset }, bind, table) =>
      [
        `SELECT ${columns?.map(quote).join(', ') ?? '*'} FROM ${table()}`,
        ...(where ? [`WHERE ${conditions(where, bind)}`] : []),
        ...(order_by ? [`ORDER BY ${order_by.map(quote).join(', ')}`] : []),
        ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
        ...(offset === undefined ? [] : [`OFFSET ${offset}`]),
      ].join(' '),
  ),
  'sql.insert': builder(
    { values: row, returning: z.array(column).min(1).optional() },
    ({ values, returning }, bind, table) => {
      const columns = Object.keys(values);
      if (columns.length === 0) throw callRefused('parameter values names no column');
      const bound = columns.map((name) => bind(values[name]));
      return `INSERT INTO ${table()} (${columns.map(quote).join(', ')}) VALUES (${bound.join(', ')})${returningClause(returning)}`;
    },
  ),
  'sql.update': builder(
    { set: row, where: whereSchema, returning: z.array(column).min(1).optional() },
    ({ set, where, returning }, bind, table) => {
      const changes = Object.entries(set).map(([name, value]) => `${quote(name)} = ${bind(value)}`);
      if (changes.length === 0) throw callRefused('parameter set names no column');
      return `UPDATE ${table()} SET ${changes.join(', ')} WHERE ${conditions(where, bind)}${returningClause(returning)}`;
    },
  ),
  'sql.delete': builder(
    { where: whereSchema, returning: z.array(column).min(1).optional() },
    ({ where, returning }, bind, table) =>
      `DELETE FROM ${table()} WHERE ${conditions(where, bind)}${returningClause(returning)}`,
  ),
  'sql.list_tables': builder(
    { schema: z.string().min(1).max(63).optional() },
    ({ schema }, bind) =>
      `SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema = ${bind(schema ?? 'public')} ORDER BY table_name`,
  ),
  'sql.list_columns': describe(),
  'sql.describe': describe(),
};

function describe() {
  return ({ target, parameters }: Call): SqlStatement => {
    parametersOf(z.strictObject(database), parameters);
    return {
      text: 'SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position',
      values: tableOf(target),
    };
  };
}

const conditions = (where: z.infer<typeof whereSchema>, bind: Bind): string =>
  Object.entries(where)
    .map(([name, value]) => {
      if (value === null) return `${quote(name)} IS NULL`;
      if (Array.isArray(value)) return `${quote(name)} IN (${value.map(bind).join(', ')})`;
      return `${quote(name)} = ${bind(value)}`;
    })
    .join(' AND ');

const returningClause = (columns: readonly string[] | undefined): string =>
  columns ? ` RETURNING ${columns.map(quote).join(', ')}` : '';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const part = /"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*)/uy;

/** Parses schema and table. Unquoted names are folded to lower case, as in PostgreSQL. */
function tableOf(target: string): [schema: string, table: string] {
  const text = target.trim();
  const parts: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (!found) throw callRefused(`the target ${target} is not a table`, 'Name it as table or schema.table.');
    parts.push(found[1] === undefined ? found[2]!.toLowerCase() : found[1].replaceAll('""', '"'));
    at = part.lastIndex;
    if (at < text.length && text[at] !== '.') throw callRefused(`the target ${target} is not a table`);
    if (at === text.length) break;
  }
  const [first, second] = parts;
  if (first === undefined || parts.length > 2)
    throw callRefused(`the target ${target} is not a table`, 'Name it as table or schema.table.');
  return second === undefined ? ['public', first] : [first, second];
}
