/** The list of known nodes compared with the grammar's types, since a new version may add unknown nodes. */
import { readFileSync } from 'node:fs';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { placeMember, shapes } from '#core/effects/sql/nodes.ts';
import { sqlEffects } from '#core/effects/sql.ts';

const types = readFileSync(require.resolve('@pgsql/types/types.d.ts'), 'utf8');

/**
 * Returns the members of a node as the grammar types them: name → `Node`, `Node[]`, the name of another node, or a
 * plain type.
 */
function typed(kind: string): Map<string, string> {
  const body = new RegExp(`export interface ${kind} \\{([^}]*)\\}`).exec(types)?.[1];
  if (body === undefined) throw new Error(`the grammar has no ${kind}`);
  return new Map([...body.matchAll(/(\w+)\?: ([\w[\]]+);/g)].map(([, name = '', type = '']) => [name, type]));
}

/** Members set when a query is analysed, never by the grammar. If one were present, the text would be unclear. */
const afterParsing =
  /^(?:xpr|\w*collid|\w+Oid|row_typeid|typmod|casetype|coalescetype|minmaxtype|type|formatted_expr|subLinkId|refs|agglevelsup|collation|typeId|typeMod|cte(?:recursive|refcount|col\w+)|cycle_mark_(?:type|typmod|collation|neop)|viewQuery|cooked_default|identitySequence)$/;

test.each([...shapes])('[effects.sql] every member of %s in PostgreSQL’s tree is known', (kind, shape) => {
  const members = typed(kind);
  const missing = [...members.keys()].filter(
    (name) => name !== placeMember && !shape.has(name) && !afterParsing.test(name),
  );
  expect(missing).toEqual([]);
  for (const [name, member] of shape) {
    const type = members.get(name);
    if (typeof member === 'object') expect([kind, name, type]).toEqual([kind, name, member.kind]);
    else if (member === 'nodes')
      expect([kind, name, type]).toEqual([kind, name, expect.stringMatching(/^Node(?:\[\])?$/)]);
    else expect([kind, name, type]).toEqual([kind, name, expect.any(String)]);
  }
});

/** Members with nodes that are not walked: names, and nodes that a reader visits itself. */
const looked =
  `A_Const.ival A_Const.fval A_Const.boolval A_Const.sval A_Const.bsval A_Expr.name CTECycleClause.cycle_col_list
  CollateClause.collname ColumnRef.fields CommonTableExpr.aliascolnames CommonTableExpr.search_clause FuncCall.funcname
  IndexElem.collation IndexElem.opclass IntoClause.colNames IntoClause.rel JoinExpr.alias JoinExpr.join_using_alias
  JoinExpr.usingClause JsonTable.alias RangeFunction.alias RangeSubselect.alias RangeTableFunc.alias
  RangeTableSample.method RangeVar.alias ReturningClause.options RowExpr.colnames SelectStmt.lockingClause SortBy.useOp
  SubLink.operName TypeName.arrayBounds TypeName.names XmlExpr.arg_names`.split(/\s+/);

test('[effects.sql] nodes that are not walked contain only names', () => {
  const nodes = new Set(['Node', ...[...types.matchAll(/export interface (\w+) /g)].map(([, name]) => name)]);
  const plain = [...shapes].flatMap(([kind, shape]) =>
    [...typed(kind)]
      .filter(
        ([name, type]) => name !== 'withClause' && shape.get(name) === 'plain' && nodes.has(type.replace('[]', '')),
      )
      .map(([name]) => `${kind}.${name}`),
  );
  expect(plain.sort()).toEqual([...looked].sort());
});

const read = (tree: unknown) =>
  sqlEffects(() => ({ stmts: [{ stmt: tree }] }))({
    protocol: 'sql',
    tool: 'sql.query',
    target: 'shop',
    capability: 'read',
    parameters: { sql: 'select 1' },
  } as ToolCall);
const wipe = { FuncCall: { funcname: [{ String: { sval: 'wipe' } }] } };
const select = (val: unknown) => ({ SelectStmt: { targetList: [{ ResTarget: { val } }] } });

test.each([
  ['a node', select({ FutureExpr: { arg: wipe } }), 'FutureExpr'],
  ['a member', { SelectStmt: { futureClause: [wipe] } }, 'futureClause of SelectStmt'],
  ['a flag', select({ FuncCall: { funcname: [{ String: { sval: 'upper' } }], future: true } }), 'future of FuncCall'],
  ['a form of expression', select({ A_Expr: { kind: 'AEXPR_FUTURE', lexpr: wipe } }), 'AEXPR_FUTURE'],
  ['a statement', { FutureStmt: { query: select(wipe) } }, 'FutureStmt'],
])('[effects.sql] an unknown %s makes the text unclear, but its contents are still found', (_, tree, why) => {
  const { parts, unclear } = read(tree);
  expect(unclear).toContain(why);
  if (!why.startsWith('future of FuncCall'))
    expect(parts.map(({ tool, target }) => [tool, target])).toContainEqual(['sql.call', 'wipe']);
});

test('[effects.sql] similar but harmless trees are not classified as unclear', () => {
  const upper = { FuncCall: { funcname: [{ String: { sval: 'upper' } }], location: 7 } };
  expect(read(select(upper)).unclear).toBeUndefined();
  expect(read({ SelectStmt: { distinctClause: [{}] } }).unclear).toBeUndefined();
});
