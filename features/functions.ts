/** All functions, with the rights that features add to them. */
import type { FunctionSpec, Rights } from '#core/contracts/function-spec.ts';
import { functions as coreFunctions, type FunctionName } from '#core/contracts/functions.ts';
import { features } from './features.ts';

export const functions = Object.fromEntries(
  (Object.entries(coreFunctions) as [FunctionName, FunctionSpec][]).map(([name, spec]) => [
    name,
    features.reduce((made, { rights }) => withRights(made, rights?.[name]), spec),
  ]),
) as Readonly<Record<FunctionName, FunctionSpec>>;

function withRights(spec: FunctionSpec, added: Partial<Rights> | undefined): FunctionSpec {
  if (!added) return spec;
  const { tables, queries = [], ...more } = added;
  return {
    ...spec,
    ...more,
    tables: { ...spec.tables, ...tables },
    queries: [...(spec.queries ?? []), ...queries].sort(),
  };
}
