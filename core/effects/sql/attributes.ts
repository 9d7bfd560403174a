/**
 * Attribute notation. PostgreSQL reads `(x).f` and `g.f` as the function call `f(x)` if there is no field `f`. After a
 * parenthesis, only the database knows the fields. For a function in FROM, the fields are known here, and they matter
 * because its name may refer to a plain value (`g.pg_sleep` from `generate_series(1, 2) g`). `t.f` on a table counts as
 * a column, because the only other meaning is a function on that table's row type.
 */
import { callOperation, isHarmlessFunction } from './functions.ts';
import { qualifiedNameOf } from './names.ts';
import type { Operation } from './operation.ts';
import { listAt, nodeBody, stringsOf, type Tree, textAt, treeAt } from './tree.ts';

/** A column with its qualifier: `g.f`. */
export interface QualifiedColumn {
  readonly qualifier: string;
  readonly column: string;
}

/** A function in FROM and the columns of its rows. */
export interface FunctionScan {
  readonly alias: string;
  readonly columns: ReadonlySet<string>;
}

/** Returns the function calls that `(x).f` may mean. */
export function attributeEffects(indirection: Tree): Operation[] {
  const [first, ...others] = listAt(indirection, 'indirection');
  const fields = fieldsOfCall(treeAt(indirection, 'arg'));
  const name = fieldName(first);
  const known = name !== undefined && fields.includes(name);
  return [...(known ? [] : [first]), ...others].flatMap((node) => effectOf(fieldName(node)));
}

/** Returns `g.f`. If the reference has three words, the middle one must be a table rather than a function in FROM. */
export function qualifiedColumn(reference: Tree): QualifiedColumn | undefined {
  const fields = listAt(reference, 'fields');
  const [qualifier, column] = stringsOf(fields);
  return fields.length === 2 && qualifier !== undefined && column !== undefined ? { qualifier, column } : undefined;
}

/** Returns the known columns of a function in FROM, or undefined if its name is unknown. */
export function functionScan(range: Tree): FunctionScan | undefined {
  const calls = listAt(range, 'functions').map((node) => listAt(nodeBody(node, 'List') ?? {}, 'items'));
  const names = calls.map(([call]) => stringsOf(listAt(nodeBody(call, 'FuncCall') ?? {}, 'funcname')).at(-1));
  const given = treeAt(range, 'alias');
  const alias = textAt(given, 'aliasname') ?? names[0];
  if (alias === undefined) return undefined;
  const renamed = stringsOf(listAt(given, 'colnames'));
  const defined = [
    listAt(range, 'coldeflist'),
    ...calls.map(([, list]) => listAt(nodeBody(list, 'List') ?? {}, 'items')),
  ];
  const own = calls.flatMap(([call], i) => {
    const fields = fieldsOfCall(call);
    if (fields.length > 0) return fields;
    // The only column of a plain value is named after the alias or, if there are several functions, after its function.
    // `unnest` may also return rows of a table.
    const name = names[i];
    const plain = name !== undefined && name !== 'unnest' && isHarmlessFunction(name);
    return plain ? [calls.length === 1 ? alias : name] : [];
  });
  return {
    alias,
    columns: new Set([
      ...(renamed.length >= own.length ? renamed : [...renamed, ...own.slice(renamed.length)]),
      ...defined.flat().flatMap((node) => textAt(nodeBody(node, 'ColumnDef') ?? {}, 'colname') ?? []),
      ...(range.ordinality === true ? ['ordinality'] : []),
    ]),
  };
}

/**
 * Returns the function calls among the columns of functions in FROM. An alias that is used twice has only those columns
 * that all its uses share.
 */
export function scanEffects(columns: readonly QualifiedColumn[], scans: readonly FunctionScan[]): Operation[] {
  return columns.flatMap(({ qualifier, column }) => {
    const named = scans.filter(({ alias }) => alias === qualifier);
    return named.every((scan) => scan.columns.has(column)) ? [] : effectOf(column);
  });
}

const effectOf = (name: string | undefined): Operation[] =>
  name === undefined || isHarmlessFunction(name)
    ? []
    : [callOperation(qualifiedNameOf([{ String: { sval: name } }]), 'attribute')];

const fieldName = (node: unknown): string | undefined => textAt(nodeBody(node, 'String') ?? {}, 'sval');

/** Returns the fields in the rows of a built-in function. Empty if it returns plain values or is unknown. */
function fieldsOfCall(node: unknown): readonly string[] {
  const name = qualifiedNameOf(listAt(nodeBody(node, 'FuncCall') ?? {}, 'funcname'));
  if (name.qualified && name.schema !== 'pg_catalog') return [];
  return Object.hasOwn(rowFields, name.name) ? rowFields[name.name]! : [];
}

const rowFields: Readonly<Record<string, readonly string[]>> = {
  json_array_elements: ['value'],
  json_array_elements_text: ['value'],
  json_each: ['key', 'value'],
  json_each_text: ['key', 'value'],
  jsonb_array_elements: ['value'],
  jsonb_array_elements_text: ['value'],
  jsonb_each: ['key', 'value'],
  jsonb_each_text: ['key', 'value'],
  pg_get_keywords: ['word', 'catcode', 'barelabel', 'catdesc', 'baredesc'],
  pg_partition_ancestors: ['relid'],
  pg_partition_tree: ['relid', 'parentrelid', 'isleaf', 'level'],
};
