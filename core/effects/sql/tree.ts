/** Access to PostgreSQL's parse tree. Its nodes are plain objects of unknown structure and may be incomplete. */

export type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a member that is an object, or an empty object. */
export const treeAt = (tree: Tree, key: string): Tree => {
  const value = tree[key];
  return isTree(value) ? value : emptyTree;
};

/** Returns a member that is a list, or an empty list. */
export const listAt = (tree: Tree, key: string): readonly unknown[] => {
  const value = tree[key];
  return Array.isArray(value) ? value : [];
};

export const textAt = (tree: Tree, key: string): string | undefined => {
  const value = tree[key];
  return typeof value === 'string' ? value : undefined;
};

/** Returns the content of a wrapped node: `{ RangeVar: { … } }` for `RangeVar`. */
export const nodeBody = (node: unknown, kind: string): Tree | undefined => {
  if (!isTree(node)) return undefined;
  const body = node[kind];
  return isTree(body) ? body : undefined;
};

/** Returns the kind and content of a node wrapped in an object with one member. */
export function unwrapNode(node: unknown): { readonly kind: string; readonly body: Tree } | undefined {
  if (!isTree(node)) return undefined;
  for (const kind of Object.keys(node)) {
    const body = node[kind];
    return isTree(body) ? { kind, body } : undefined;
  }
  return undefined;
}

/** Returns the strings in a list of names: `[{ String: { sval } }]`. */
export const stringsOf = (nodes: readonly unknown[]): string[] =>
  nodes.flatMap((node) => textAt(nodeBody(node, 'String') ?? emptyTree, 'sval') ?? []);

/** Returns options (`DefElem`) by name, in the order written. */
export const optionsOf = (nodes: readonly unknown[]): { readonly name: string; readonly value: unknown }[] =>
  nodes.flatMap((node) => {
    const option = nodeBody(node, 'DefElem');
    const name = option && textAt(option, 'defname');
    return option && name !== undefined ? [{ name, value: option.arg }] : [];
  });

/** Returns a constant as written: string, number, boolean or null. Undefined for a computed value. */
export function constantOf(node: unknown): string | number | boolean | null | undefined {
  const found = unwrapNode(node);
  if (!found) return undefined;
  const { kind, body } = found;
  if (kind === 'TypeCast') return constantOf(body.arg);
  if (kind === 'String') return textAt(body, 'sval') ?? '';
  if (kind === 'Integer') return (body.ival as number | undefined) ?? 0;
  if (kind === 'Boolean') return body.boolval === true;
  if (kind !== 'A_Const') return undefined;
  if (body.isnull === true) return null;
  if (isTree(body.sval)) return textAt(body.sval, 'sval') ?? '';
  // Protocol buffers omit zero and false.
  if (isTree(body.ival)) return (body.ival.ival as number | undefined) ?? 0;
  if (isTree(body.boolval)) return body.boolval.boolval === true;
  if (isTree(body.fval)) return textAt(body.fval, 'fval') ?? '0';
  return undefined;
}

const emptyTree: Tree = {};
