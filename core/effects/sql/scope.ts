/** Names of common table expressions, which hide tables of the same name in their scope. */
import { listAt, nodeBody, type Tree, textAt } from './tree.ts';

export interface Scope {
  readonly names: ReadonlyMap<string, number>;
  /** Index below which names are visible. */
  readonly upTo: number;
  readonly outer: Scope | undefined;
}

/** Returns the scopes of a WITH clause: one for each of its queries, and one for its statement. */
export function openWith(
  clause: Tree,
  outer: Scope | undefined,
): { readonly queries: readonly { readonly cte: Tree; readonly scope: Scope }[]; readonly scope: Scope } {
  const ctes = listAt(clause, 'ctes').map((node) => nodeBody(node, 'CommonTableExpr') ?? {});
  const names = new Map<string, number>();
  for (const [i, cte] of ctes.entries()) {
    const name = textAt(cte, 'ctename');
    if (name !== undefined && !names.has(name)) names.set(name, i);
  }
  const everywhere = clause.recursive === true;
  return {
    queries: ctes.map((cte, i) => ({ cte, scope: { names, upTo: everywhere ? ctes.length : i, outer } })),
    scope: { names, upTo: ctes.length, outer },
  };
}

/** Checks whether a table name refers to a common table expression in this scope. */
export function isHidden(relation: Tree, from: Scope | undefined): boolean {
  if (relation.schemaname !== undefined || relation.catalogname !== undefined) return false;
  for (let scope = from; scope; scope = scope.outer) {
    const index = scope.names.get(relation.relname as string);
    if (index !== undefined && index < scope.upTo) return true;
  }
  return false;
}

/**
 * Checks for a recursive query that cannot end: each iteration reads only its own rows, without a condition or a limit.
 * (`UNION` without ALL ends when rows repeat, which depends on the data.)
 */
export function neverEnds(clause: Tree, statement: Tree): boolean {
  if (clause.recursive !== true || statement.limitCount !== undefined) return false;
  return listAt(clause, 'ctes').some((node) => {
    const cte = nodeBody(node, 'CommonTableExpr') ?? {};
    const query = nodeBody(cte.ctequery, 'SelectStmt') ?? {};
    const round = query.op === 'SETOP_UNION' ? query.rarg : undefined;
    if (typeof round !== 'object' || round === null) return false;
    const { fromClause, whereClause, limitCount } = round as Tree;
    const tables = Array.isArray(fromClause) ? fromClause : [];
    const own = tables.length === 1 && nodeBody(tables[0], 'RangeVar')?.relname === cte.ctename;
    return own && whereClause === undefined && limitCount === undefined && query.limitCount === undefined;
  });
}
