/** Statements that read and change rows: INSERT, UPDATE, DELETE, MERGE, TRUNCATE, COPY, LOCK and SELECT row locks. */
import { relationName } from './names.ts';
import { type Operation, operation, operationOn, type StatementReader } from './operation.ts';
import { isTree, listAt, nodeBody, type Tree, textAt, treeAt, unwrapNode } from './tree.ts';

/**
 * Checks, from its syntax alone, whether a condition depends on the rows. `id > 0` counts, although the data may make
 * it true for every row.
 */
function restricts(condition: unknown): boolean {
  const found = unwrapNode(condition);
  if (!found) return false;
  const { kind, body } = found;
  if (kind === 'CurrentOfExpr') return true;
  if (kind === 'BoolExpr') {
    const args = listAt(body, 'args');
    return body.boolop === 'OR_EXPR' ? args.every(restricts) : args.some(restricts);
  }
  if (kind === 'A_Expr' && body.kind === 'AEXPR_OP' && isSameData(body.lexpr, body.rexpr)) return false;
  return namesColumn(condition);
}

function namesColumn(node: unknown): boolean {
  const left: unknown[] = [node];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) left.push(...next.slice(0, 10_000));
    else if (isTree(next)) {
      if (nodeBody(next, 'ColumnRef') || nodeBody(next, 'CurrentOfExpr')) return true;
      left.push(...Object.values(next));
    }
  }
  return false;
}

/** Compares nodes, ignoring their positions in the text. */
function isSameData(a: unknown, b: unknown): boolean {
  if (!isTree(a) || !isTree(b)) return false;
  return withoutPlace(a) === withoutPlace(b);
}

const withoutPlace = (tree: Tree): string =>
  JSON.stringify(tree, (key, value: unknown) => (key === 'location' ? undefined : value));

export const dataStatements: Readonly<Record<string, StatementReader>> = {
  InsertStmt: (body) => {
    const name = relationName(treeAt(body, 'relation'));
    const conflict = treeAt(body, 'onConflictClause');
    const updates = conflict.action === 'ONCONFLICT_UPDATE';
    const columns = columnsOf(body, 'cols');
    return {
      operations: [
        operationOn('insert', 'write', 'table', name, columns),
        // Only conflicting rows change, so this is always restricted.
        ...(updates
          ? [operationOn('update', 'write', 'table', name, { has_where: true, ...columnsOf(conflict, 'targetList') })]
          : []),
        ...(updates ? returningReads(body) : []),
      ],
      skip: ['relation'],
    };
  },

  UpdateStmt: (body) => ({
    operations: [
      operationOn('update', 'write', 'table', relationName(treeAt(body, 'relation')), {
        has_where: restricts(body.whereClause),
        ...columnsOf(body, 'targetList'),
      }),
      ...returningReads(body),
    ],
    skip: ['relation'],
  }),

  DeleteStmt: (body) => ({
    operations: [
      operationOn('delete', 'delete', 'table', relationName(treeAt(body, 'relation')), {
        has_where: restricts(body.whereClause),
      }),
      ...returningReads(body),
    ],
    skip: ['relation'],
  }),

  MergeStmt: (body) => {
    const name = relationName(treeAt(body, 'relation'));
    const has_where = restricts(body.joinCondition);
    const actions = listAt(body, 'mergeWhenClauses').map((when) => nodeBody(when, 'MergeWhenClause')?.commandType);
    return {
      operations: [
        operationOn('merge', 'write', 'table', name, { has_where }),
        ...(actions.includes('CMD_INSERT') ? [operationOn('insert', 'write', 'table', name)] : []),
        ...(actions.includes('CMD_UPDATE') ? [operationOn('update', 'write', 'table', name, { has_where })] : []),
        ...(actions.includes('CMD_DELETE') ? [operationOn('delete', 'delete', 'table', name, { has_where })] : []),
        ...returningReads(body),
      ],
      skip: ['relation'],
    };
  },

  TruncateStmt: (body) => ({
    operations: relationsOf(body, 'relations').map((name) =>
      operationOn('truncate', 'delete', 'table', name, cascade(body)),
    ),
    skip: ['relations'],
  }),

  LockStmt: (body) => ({
    operations: relationsOf(body, 'relations').map((name) => operationOn('lock', 'write', 'table', name)),
    skip: ['relations'],
  }),

  CopyStmt: (body) => ({
    operations: [...copyOperations(body), ...copyTable(body)],
    skip: ['relation'],
  }),
};

/**
 * Returns the locks taken by `FOR UPDATE` and `FOR SHARE`. They apply to rows of the named tables, or of all tables,
 * until the transaction ends.
 */
export const rowLocks = (select: Tree): Operation[] =>
  listAt(select, 'lockingClause').flatMap((node) => {
    const clause = nodeBody(node, 'LockingClause') ?? {};
    const strength = (textAt(clause, 'strength') ?? '').replace(/^LCS_FOR/, '').toLowerCase();
    const named = relationsOf(clause, 'lockedRels');
    const all = named.length > 0 ? named : relationsOf(select, 'fromClause');
    if (all.length === 0) return [operation('lock', 'write', '', { object: 'rows', strength })];
    return all.map((name) => operationOn('lock', 'write', 'table', name, { rows: true, strength }));
  });

/** Returns the table that `SELECT … INTO` or `CREATE TABLE … AS` creates. */
export const intoTable = (into: Tree, object = 'table'): Operation[] => {
  const relation = treeAt(into, 'rel');
  return [operationOn('create', 'write', object, relationName(relation), temporary(relation))];
};

export const temporary = (relation: Tree): Record<string, unknown> =>
  relation.relpersistence === 't' ? { temporary: true } : {};

export const cascade = (body: Tree): Record<string, unknown> =>
  body.behavior === 'DROP_CASCADE' ? { cascade: true } : {};

export const relationsOf = (body: Tree, key: string) =>
  listAt(body, key).flatMap((node) => {
    const relation = nodeBody(node, 'RangeVar');
    return relation ? [relationName(relation)] : [];
  });

/** Returns the table read that RETURNING implies. */
const returningReads = (body: Tree): Operation[] =>
  listAt(treeAt(body, 'returningClause'), 'exprs').length === 0
    ? []
    : [operationOn('select', 'read', 'table', relationName(treeAt(body, 'relation')))];

const columnsOf = (body: Tree, key: string): Record<string, unknown> => {
  const columns = listAt(body, key).flatMap((node) => textAt(nodeBody(node, 'ResTarget') ?? {}, 'name') ?? []);
  return columns.length === 0 ? {} : { columns: [...new Set(columns)].slice(0, 64) };
};

/** Returns the source or destination of the rows: a program or file on the server, or the connection. */
function copyOperations(body: Tree): Operation[] {
  const from = body.is_from === true;
  const direction = from ? 'from' : 'to';
  const place = textAt(body, 'filename');
  if (place === undefined)
    return [operation('copy', from ? 'write' : 'read', from ? 'stdin' : 'stdout', { direction, source: 'connection' })];
  return body.is_program === true
    ? [operation('copy', 'execute', place, { direction, source: 'program' })]
    : [operation('copy', from ? 'read' : 'write', place, { direction, source: 'file', path: place })];
}

function copyTable(body: Tree): Operation[] {
  const relation = treeAt(body, 'relation');
  if (textAt(relation, 'relname') === undefined) return [];
  const name = relationName(relation);
  return [
    body.is_from === true
      ? operationOn('insert', 'write', 'table', name)
      : operationOn('select', 'read', 'table', name),
  ];
}
