/**
 * Walks parsed statements and says which operations they carry out on which objects. What the text itself does is seen
 * wherever it stands: in CTEs, sub-selects, EXPLAIN ANALYZE, COPY, bodies written in SQL. What objects of the database do
 * on their own is not: a view reads its tables, a trigger or rule writes others, a column default or an operator calls a
 * function, and `t.f` may be a function of the row. Rights of the database role are the fence there.
 */
import { dataStatements, intoTable, rowLocks } from './data.ts';
import { definitionStatements } from './definitions.ts';
import { callEffect, operatorEffect } from './functions.ts';
import { relationName } from './names.ts';
import { type Operation, operation, operationOn, type StatementReader } from './operation.ts';
import { rightsStatements } from './rights.ts';
import { sessionStatements } from './session.ts';
import { bodyOf, isTree, listAt, type Tree, textAt, wrapped } from './tree.ts';

export interface SqlReading {
  readonly operations: readonly Operation[];
  readonly unclear: readonly string[];
}

/** @param result what the grammar gave: `{ stmts: [{ stmt }] }`. */
export function readStatements(result: unknown): SqlReading {
  const operations: Operation[] = [];
  const unclear = new Set<string>();
  const statements = listAt(isTree(result) ? result : {}, 'stmts');
  for (const raw of statements) operations.push(...readStatement(isTree(raw) ? raw.stmt : undefined, unclear));
  if (statements.length === 0) unclear.add('the text holds no statement');
  return { operations, unclear: [...unclear] };
}

/** Names of CTEs hide tables, each from where it may be used. */
interface Scope {
  readonly names: ReadonlyMap<string, number>;
  /** Names of an index below this one are in sight. */
  readonly upTo: number;
  readonly outer: Scope | undefined;
}

interface Visit {
  readonly node: unknown;
  readonly scope: Scope | undefined;
  readonly planned: boolean;
  readonly skip?: readonly string[];
}

const readers: Readonly<Record<string, StatementReader>> = {
  ...dataStatements,
  ...definitionStatements,
  ...rightsStatements,
  ...sessionStatements,
};

/** Iterative: a text may nest deeper than the stack of this process. */
function readStatement(statement: unknown, unclear: Set<string>): Operation[] {
  const found: Operation[] = [];
  const stack: Visit[] = [{ node: statement, scope: undefined, planned: false }];
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node, planned } = visit;
    if (Array.isArray(node)) {
      for (const item of node) if (isTree(item)) stack.push({ node: item, scope: visit.scope, planned });
    } else if (isTree(node)) readNode(node, visit, stack, found, unclear);
  }
  if (found.length > 0) return withTables(found);
  const kind = wrapped(statement)?.kind;
  if (kind === 'SelectStmt') return [operation('select', 'read', '')];
  if (kind === 'ExplainStmt') return [operation('explain', 'read', '')];
  unclear.add(`a statement of kind ${kind ?? 'unknown'} is not read`);
  return [operation('other', 'execute', '')];
}

function readNode(node: Tree, visit: Visit, stack: Visit[], found: Operation[], unclear: Set<string>): void {
  const { planned, skip = [] } = visit;
  const add = (operations: readonly Operation[]): void => {
    for (const each of operations) found.push(planned ? plan(each) : each);
  };
  if (typeof node.relname === 'string') {
    if (!isHidden(node, visit.scope)) add([operationOn('select', 'read', 'table', relationName(node))]);
    return;
  }
  const scope = isTree(node.withClause) ? enterWith(node.withClause, visit, stack) : visit.scope;
  if (Array.isArray(node.lockingClause)) add(rowLocks(node));
  if (isTree(node.intoClause)) add(intoTable(node.intoClause));

  for (const key of Object.keys(node)) {
    const value = node[key];
    if (value === null || typeof value !== 'object' || silent.has(key) || skip.includes(key)) continue;
    if (key === 'FuncCall' || key === 'A_Expr') {
      const effect = key === 'FuncCall' ? callEffect(value as Tree) : operatorEffect(value as Tree);
      // Planning may carry out what it takes for constant.
      if (effect) found.push(effect);
      stack.push({ node: value, scope, planned });
      continue;
    }
    const reading = readers[key]?.(value as Tree);
    if (!reading) {
      if (/^[A-Z]\w*Stmt$/.test(key) && key !== 'SelectStmt') unclear.add(`a statement of kind ${key} is not read`);
      stack.push({ node: value, scope, planned });
      continue;
    }
    add(reading.operations);
    if (reading.unclear !== undefined) unclear.add(reading.unclear);
    const inside = planned || reading.planned === true;
    stack.push({ node: value, scope, planned: inside, skip: reading.skip ?? [] });
    for (const extra of reading.visit ?? []) stack.push({ node: extra, scope, planned: inside });
  }
}

/** Members without tables, calls or statements in them, and those read beside the walk. */
const silent: ReadonlySet<string> = new Set([
  'withClause',
  'lockingClause',
  'intoClause',
  'funcname',
  'typeName',
  'ColumnRef',
  'A_Const',
  'alias',
]);

/** `EXPLAIN` without ANALYZE only plans: of everything inside the tables remain. */
const plan = ({ verb, target, parameters }: Operation): Operation =>
  operation('explain', 'read', target, { ...parameters, plans: verb });

/** Opens the scope of a WITH and puts its queries on the stack, each with the names it may use. */
function enterWith(clause: Tree, visit: Visit, stack: Visit[]): Scope {
  const ctes = listAt(clause, 'ctes').map((node) => bodyOf(node, 'CommonTableExpr') ?? {});
  const names = new Map<string, number>();
  for (const [i, cte] of ctes.entries()) {
    const name = textAt(cte, 'ctename');
    if (name !== undefined && !names.has(name)) names.set(name, i);
  }
  const everywhere = clause.recursive === true;
  for (const [i, cte] of ctes.entries()) {
    const scope = { names, upTo: everywhere ? ctes.length : i, outer: visit.scope };
    stack.push({ node: cte, scope, planned: visit.planned });
  }
  return { names, upTo: ctes.length, outer: visit.scope };
}

function isHidden(relation: Tree, from: Scope | undefined): boolean {
  if (relation.schemaname !== undefined || relation.catalogname !== undefined) return false;
  for (let scope = from; scope; scope = scope.outer) {
    const index = scope.names.get(relation.relname as string);
    if (index !== undefined && index < scope.upTo) return true;
  }
  return false;
}

const maxNamed = 32;

/** Every operation on a table names the other tables of its statement: a join may be refused where its halves may not. */
function withTables(operations: readonly Operation[]): Operation[] {
  const tables = new Set<string>();
  for (const { parameters, target } of operations) if (parameters.object === 'table') tables.add(target);
  if (tables.size < 2) return [...operations];
  const named = [...tables].sort().slice(0, maxNamed);
  return operations.map((each) =>
    each.parameters.object === 'table' ? { ...each, parameters: { ...each.parameters, tables: named } } : each,
  );
}
