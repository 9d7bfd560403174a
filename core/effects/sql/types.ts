/**
 * Types to which a value may be cast without a separate effect: PostgreSQL built-ins. A cast to any other type may run
 * its owner's code, such as a domain check.
 */
import { harmlessTypes as listed } from '#core/catalog/databases.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { qualifiedNameOf } from './names.ts';
import { type Operation, operation } from './operation.ts';
import { listAt, type Tree } from './tree.ts';

/** Returns the effect of a cast to the type, if the cast has one. */
export function typeEffect(type: Tree): Operation | undefined {
  const name = qualifiedNameOf(listAt(type, 'names'));
  const builtIn = !name.qualified || name.schema === 'pg_catalog';
  if (builtIn && harmlessTypes.has(name.name.replace(/^_/, ''))) return undefined;
  return operation('call', 'execute', name.target, { object: 'type', schema: name.schema });
}

export const harmlessTypes = wordSet(listed);
