/**
 * Reads parsed statements into operations on objects. Covers the effects of the text itself, wherever they occur: in
 * CTEs, sub-selects, EXPLAIN ANALYZE, COPY, and bodies written in SQL. Effects of database objects are not visible: a
 * view reads its tables, a trigger or rule writes to other tables, a built-in function or operator name may be
 * overloaded for types of the database, and `t.f` may be a function of the row. To protect against those, use the
 * privileges of the database role and READ ONLY transactions.
 */
import { dataStatements } from './data.ts';
import { definitionStatements } from './definitions.ts';
import { type Operation, operation, type StatementReader } from './operation.ts';
import { rightsStatements } from './rights.ts';
import { sessionStatements } from './session.ts';
import { isTree, listAt, unwrapNode } from './tree.ts';
import { walkStatement } from './walk.ts';

export interface SqlReading {
  readonly operations: readonly Operation[];
  readonly unclear: readonly string[];
}

const readers: ReadonlyMap<string, StatementReader> = new Map(
  Object.entries({ ...dataStatements, ...definitionStatements, ...rightsStatements, ...sessionStatements }),
);

/** Maximum number of statements, more than a person or an agent would write in one call. */
const maxStatements = 1000;

/** @param result the output of the grammar: `{ stmts: [{ stmt }] }`. */
export function readStatements(result: unknown): SqlReading {
  const operations: Operation[] = [];
  const unclear = new Set<string>();
  const statements = listAt(isTree(result) ? result : {}, 'stmts');
  for (const raw of statements) operations.push(...readStatement(isTree(raw) ? raw.stmt : undefined, unclear));
  if (statements.length === 0) unclear.add('the text contains no statement');
  if (statements.length > maxStatements) unclear.add(`the text contains more than ${maxStatements} statements`);
  return { operations, unclear: [...unclear] };
}

function readStatement(statement: unknown, unclear: Set<string>): Operation[] {
  const found = walkStatement(statement, readers, unclear);
  if (found.length > 0) return withTables(found);
  const kind = unwrapNode(statement)?.kind;
  if (kind === 'SelectStmt') return [operation('select', 'read', '')];
  if (kind === 'ExplainStmt') return [operation('explain', 'read', '')];
  unclear.add(`a statement of kind ${kind ?? 'unknown'} is not supported`);
  return [operation('other', 'execute', '')];
}

const maxNamed = 32;

/**
 * Adds the statement's other tables to every operation on a table, because a policy may refuse a join although it
 * allows each table individually.
 */
function withTables(operations: readonly Operation[]): Operation[] {
  const tables = new Set<string>();
  for (const { parameters, target } of operations) if (parameters.object === 'table') tables.add(target);
  if (tables.size < 2) return [...operations];
  const named = [...tables].sort().slice(0, maxNamed);
  return operations.map((each) =>
    each.parameters.object === 'table' ? { ...each, parameters: { ...each.parameters, tables: named } } : each,
  );
}
