/**
 * Operators. PostgreSQL's built-in operators only compute. An operator with another name, or from another schema, runs
 * a function written by its creator.
 */
import { qualifiedNameOf } from './names.ts';
import { type Operation, operation } from './operation.ts';
import { stringsOf } from './tree.ts';

/** Returns the effect of an operator given as a list of words: `['+']`, `['hr', '+']`. */
export function operatorEffect(words: readonly unknown[]): Operation | undefined {
  if (words.length === 0) return undefined;
  const name = qualifiedNameOf(words);
  const builtIn = stringsOf(words).length === 1 || name.schema === 'pg_catalog';
  if (builtIn && builtInOperators.has(name.name)) return undefined;
  return operation('call', 'execute', name.target, { object: 'operator', schema: name.schema });
}

/** Expression forms that use operators. `BETWEEN` has no operator name in the tree. */
export const operatorForms: ReadonlySet<unknown> = new Set([
  'AEXPR_OP',
  'AEXPR_OP_ANY',
  'AEXPR_OP_ALL',
  'AEXPR_DISTINCT',
  'AEXPR_NOT_DISTINCT',
  'AEXPR_NULLIF',
  'AEXPR_IN',
  'AEXPR_LIKE',
  'AEXPR_ILIKE',
  'AEXPR_SIMILAR',
]);
export const betweenOperators: ReadonlySet<unknown> = new Set([
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_BETWEEN_SYM',
  'AEXPR_NOT_BETWEEN_SYM',
]);

export const builtInOperators: ReadonlySet<string> = new Set(
  `!! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> ->> -|- / < <-> << <<= <<| <=
  <> != <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> @? @@ @@@ ^ ^@ | |&> |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~
  ~~ ~~*`.split(/\s+/),
);
