/**
 * Which functions a query may call without that being an effect of its own: PostgreSQL's built-in ones that only compute
 * or look at the catalogue. Every other call is `sql.call`: it may read files, open connections, run SQL given as text,
 * end sessions, or be code of any user. A built-in name under another schema is not the built-in function.
 */
import { harmlessFunctions } from './harmless-functions.ts';
import { nameOf, type QualifiedName } from './names.ts';
import { type Operation, operation } from './operation.ts';
import { constantOf, listAt, type Tree } from './tree.ts';

/** Whether an unqualified name is that of a function which only computes. */
export const isHarmlessFunction = (name: string): boolean => harmless.has(name);

/** The effect of a call in an expression, if it has one. */
export function callEffect(call: Tree): Operation | undefined {
  const name = nameOf(listAt(call, 'funcname'));
  const builtIn = !name.qualified || name.schema === 'pg_catalog';
  return builtIn && harmless.has(name.name) ? undefined : callOf(name, call, 'function');
}

/** A call as an operation; its constant arguments are shown, since they name files, hosts and statements. */
export function callOf(name: QualifiedName, call: Tree, object: 'function' | 'procedure'): Operation {
  const args = listAt(call, 'args')
    .map(constantOf)
    .filter((value) => typeof value === 'string')
    .slice(0, 16);
  return callNamed(name, object, args);
}

/** @param object what the call is written as: a function, an attribute, a sampling method. */
export function callNamed(name: QualifiedName, object: string, args: readonly string[] = []): Operation {
  // Where a built-in function lives needs no saying; an unqualified name may well be in `public`.
  const target = name.schema === 'pg_catalog' ? name.name : name.target;
  return operation('call', 'execute', target, { object, schema: name.schema, ...(args.length > 0 && { args }) });
}

const harmless: ReadonlySet<string> = new Set(Object.values(harmlessFunctions).flat());
