/** Checks whether a WHERE excludes any rows: `WHERE true`, `1 = 1` and `id = id` do not. */
import { bodyOf, isTree, listAt, type Tree, unwrapNode } from './tree.ts';

/**
 * Checks by its form whether a condition depends on the rows. `id > 0` may still hold for every row, which depends on
 * the data.
 */
export function restricts(condition: unknown): boolean {
  const found = unwrapNode(condition);
  if (!found) return false;
  const { kind, body } = found;
  if (kind === 'CurrentOfExpr') return true;
  if (kind === 'BoolExpr') {
    const args = listAt(body, 'args');
    return body.boolop === 'OR_EXPR' ? args.every(restricts) : args.some(restricts);
  }
  if (kind === 'A_Expr' && body.kind === 'AEXPR_OP' && same(body.lexpr, body.rexpr)) return false;
  return namesColumn(condition);
}

function namesColumn(node: unknown): boolean {
  const left: unknown[] = [node];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) left.push(...next.slice(0, 10_000));
    else if (isTree(next)) {
      if (bodyOf(next, 'ColumnRef') || bodyOf(next, 'CurrentOfExpr')) return true;
      left.push(...Object.values(next));
    }
  }
  return false;
}

/** Compares nodes, ignoring their positions in the text. */
function same(a: unknown, b: unknown): boolean {
  if (!isTree(a) || !isTree(b)) return false;
  return withoutPlace(a) === withoutPlace(b);
}

const withoutPlace = (tree: Tree): string =>
  JSON.stringify(tree, (key, value: unknown) => (key === 'location' ? undefined : value));
