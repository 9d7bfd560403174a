/**
 * Names of tables and functions in one spelling. Unquoted names come folded from the grammar, quoted ones keep their case.
 * `public` is left out and the database too, so that `users`, `public.users` and `shop.public.users` are one target. Which
 * schema an unqualified name falls into depends on the session; `public` is assumed, and a changed search path is said.
 */
import { isTree, type Tree, textAt, wordsOf } from './tree.ts';

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
  readonly database?: string;
  /** `name` in `public`, else `schema.name`; parts that hold a dot or a quote are quoted. */
  readonly target: string;
  /** Whether the text names the schema. */
  readonly qualified: boolean;
}

/** A table as the grammar gives it (`RangeVar`). */
export const relationName = (relation: Tree): QualifiedName =>
  named([textAt(relation, 'catalogname'), textAt(relation, 'schemaname'), textAt(relation, 'relname') ?? '']);

/** A name given as a list of words: `[schema, name]`. */
export const nameOf = (nodes: readonly unknown[]): QualifiedName => {
  const words = wordsOf(nodes);
  return named([words.at(-3), words.at(-2), words.at(-1) ?? '']);
};

/** An object of `DROP`, `COMMENT` and the like: words, a type, a function with its arguments, or one word. */
export function objectName(node: unknown): QualifiedName {
  if (!isTree(node)) return named([undefined, undefined, '']);
  const { List, TypeName, ObjectWithArgs, String: word, RangeVar } = node;
  if (isTree(List) && Array.isArray(List.items)) return nameOf(List.items);
  if (isTree(TypeName) && Array.isArray(TypeName.names)) return nameOf(TypeName.names);
  if (isTree(ObjectWithArgs) && Array.isArray(ObjectWithArgs.objname)) return nameOf(ObjectWithArgs.objname);
  if (isTree(RangeVar)) return relationName(RangeVar);
  return named([undefined, undefined, isTree(word) ? (textAt(word, 'sval') ?? '') : '']);
}

/** One word as an identifier of a target. */
export const identifier = (word: string): string => (plain.test(word) ? word : `"${word.replaceAll('"', '""')}"`);

const plain = /^[^."\s/\\%]*$/u;

function named([database, schema, name]: readonly [string | undefined, string | undefined, string]): QualifiedName {
  // The system's own schema is always searched first.
  const home = schema ?? (name.startsWith('pg_') ? 'pg_catalog' : 'public');
  return {
    schema: home,
    name,
    ...(database !== undefined && { database }),
    target: home === 'public' ? identifier(name) : `${identifier(home)}.${identifier(name)}`,
    qualified: schema !== undefined,
  };
}
