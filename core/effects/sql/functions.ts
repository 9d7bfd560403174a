/**
 * Functions that a query may call without a separate effect: PostgreSQL built-ins that only compute or read the
 * catalogue. Every other call is `sql.call`: it may read files, open connections, run SQL text, end sessions, or be
 * user code. A built-in name in another schema is not the built-in function.
 */
import { harmlessFunctions } from '#core/catalog/databases.ts';
import { type QualifiedName, qualifiedNameOf } from './names.ts';
import { type Operation, operation } from './operation.ts';
import { constantOf, listAt, type Tree } from './tree.ts';

/** Checks whether an unqualified name refers to a function that only computes. */
export const isHarmlessFunction = (name: string): boolean => harmless.has(name);

/** Returns the effect of a call in an expression, if it has one. */
export function callEffect(call: Tree): Operation | undefined {
  const name = qualifiedNameOf(listAt(call, 'funcname'));
  const builtIn = !name.qualified || name.schema === 'pg_catalog';
  return builtIn && harmless.has(name.name) ? undefined : functionCall(name, call, 'function');
}

/** Returns a call as an operation. Constant arguments are included, because they name files, hosts and statements. */
export function functionCall(name: QualifiedName, call: Tree, object: 'function' | 'procedure'): Operation {
  const args = listAt(call, 'args')
    .map(constantOf)
    .filter((value) => typeof value === 'string')
    .slice(0, 16);
  return callOperation(name, object, args);
}

/** @param object the syntax of the call: a function, an attribute or a sampling method. */
export function callOperation(name: QualifiedName, object: string, args: readonly string[] = []): Operation {
  // `pg_catalog` is omitted; an unqualified name may be in `public`.
  const target = name.schema === 'pg_catalog' ? name.name : name.target;
  return operation('call', 'execute', target, { object, schema: name.schema, ...(args.length > 0 && { args }) });
}

const harmless: ReadonlySet<string> = new Set(Object.values(harmlessFunctions).flatMap((names) => names.split(' ')));
