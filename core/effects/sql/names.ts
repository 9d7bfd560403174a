/**
 * Normalised names of tables and functions. The grammar folds unquoted names, while quoted ones keep their case.
 * `public` and the database are omitted, so that `users`, `public.users` and `shop.public.users` are the same target.
 * The schema of an unqualified name depends on the session: `public` is assumed, and a changed search path is reported.
 */
import { isTree, stringsOf, type Tree, textAt } from './tree.ts';

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
  readonly database?: string;
  /** `name` in `public`, otherwise `schema.name`. Parts with a dot or a quote are quoted. */
  readonly target: string;
  /** Whether the text names the schema explicitly. */
  readonly qualified: boolean;
}

/** Returns the name of a table from the grammar (`RangeVar`). */
export const relationName = (relation: Tree): QualifiedName =>
  qualifiedName([textAt(relation, 'catalogname'), textAt(relation, 'schemaname'), textAt(relation, 'relname') ?? '']);

/** Returns the name in a list of words: `[schema, name]`. */
export const qualifiedNameOf = (nodes: readonly unknown[]): QualifiedName => {
  const words = stringsOf(nodes);
  return qualifiedName([words.at(-3), words.at(-2), words.at(-1) ?? '']);
};

/**
 * Returns the object of `DROP`, `COMMENT` and similar statements: words, a type, a function with its arguments, or one
 * word.
 */
export function objectName(node: unknown): QualifiedName {
  if (!isTree(node)) return qualifiedName([undefined, undefined, '']);
  const { List, TypeName, ObjectWithArgs, String: word, RangeVar } = node;
  if (isTree(List) && Array.isArray(List.items)) return qualifiedNameOf(List.items);
  if (isTree(TypeName) && Array.isArray(TypeName.names)) return qualifiedNameOf(TypeName.names);
  if (isTree(ObjectWithArgs) && Array.isArray(ObjectWithArgs.objname)) return qualifiedNameOf(ObjectWithArgs.objname);
  if (isTree(RangeVar)) return relationName(RangeVar);
  return qualifiedName([undefined, undefined, isTree(word) ? (textAt(word, 'sval') ?? '') : '']);
}

/** Formats one word as an identifier of a target. */
export const identifier = (word: string): string =>
  plainNamePart.test(word) ? word : `"${word.replaceAll('"', '""')}"`;

const plainNamePart = /^[^."\s/\\%]*$/u;

function qualifiedName([database, schema, name]: readonly [
  string | undefined,
  string | undefined,
  string,
]): QualifiedName {
  // PostgreSQL always searches the system schema first.
  const home = schema ?? (name.startsWith('pg_') ? 'pg_catalog' : 'public');
  return {
    schema: home,
    name,
    ...(database !== undefined && { database }),
    target: home === 'public' ? identifier(name) : `${identifier(home)}.${identifier(name)}`,
    qualified: schema !== undefined,
  };
}
