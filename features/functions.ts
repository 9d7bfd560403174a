/** All functions, with the rights that their operations and features require. */
import {
  type Access,
  eitherAccess,
  type FunctionSpec,
  type Rights,
  type SecretName,
  secretNames,
} from '#core/contracts/function-spec.ts';
import { functions as coreFunctions, type FunctionName } from '#core/contracts/functions.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { features } from './features.ts';
import { routes } from './routes.ts';

const allFunctions = Object.assign({}, coreFunctions, ...features.map((feature) => feature.functions));

export const functions = Object.fromEntries(
  (Object.entries(allFunctions) as [FunctionName, FunctionSpec][]).map(([name, spec]) => [
    name,
    [
      ...features.map(({ rights }) => rights?.[name]),
      ...routes.flatMap(({ handledBy, rights }) => (handledBy === name ? [rights] : [])),
    ].reduce(withRights, spec),
  ]),
) as Readonly<Record<FunctionName, FunctionSpec>>;

function withRights(spec: FunctionSpec, added: Partial<Rights> | undefined): FunctionSpec {
  if (!added) return spec;
  const { tables, queries = [], secrets = [], ...more } = added;
  return {
    ...spec,
    ...more,
    tables: withTables(spec.tables, tables),
    ...(secrets.length > 0 && { secrets: withSecrets(spec.secrets, secrets) }),
    queries: [...new Set([...(spec.queries ?? []), ...queries])].sort(),
  };
}

/** Returns the union in the order of the list of secrets, so that the order of features does not matter. */
function withSecrets(own: FunctionSpec['secrets'] = [], added: readonly SecretName[]): readonly SecretName[] {
  return secretNames.filter((name) => own.includes(name) || added.includes(name));
}

function withTables(own: FunctionSpec['tables'], added: FunctionSpec['tables'] = {}): FunctionSpec['tables'] {
  const entries = Object.entries(added) as [TableName, Access][];
  return { ...own, ...Object.fromEntries(entries.map(([name, access]) => [name, eitherAccess(own[name], access)])) };
}
