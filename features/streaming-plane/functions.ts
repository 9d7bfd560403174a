/** Functions that the streaming plane serves in one process, and the union of their rights. */
import { type Access, eitherAccess, type FunctionSpec, type Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import type { TableName } from '#core/contracts/tables.ts';

export const planeFunctions = [
  'chat-completions',
  'messages',
  'count-tokens',
  'models',
  'mcp',
  'test-action',
] as const satisfies readonly FunctionName[];

const served: readonly FunctionName[] = planeFunctions;

/**
 * Checks for routes of either surface, since both share one listener; admin API routes never match. `/health`, which
 * both surfaces have, does not read a store.
 */
export const isOfPlane = ({ handledBy, surface }: Pick<Route, 'handledBy' | 'surface'>): boolean =>
  served.includes(handledBy) && surface !== 'admin';

/** Boolean rights. A test fails if a function of the plane has any other right. */
const rights = [
  'startsApprovals',
  'settlesTasks',
  'invokesModels',
  'assumesBrokerRoles',
  'queriesClusters',
  'runsCommands',
  'callsUpstreams',
] as const satisfies readonly (keyof FunctionSpec)[];

/**
 * Returns the union of several functions' rights. Each right is only as wide as in the function that has the widest.
 */
export function unionOf(
  names: readonly FunctionName[],
  functions: Readonly<Record<FunctionName, FunctionSpec>>,
): Rights {
  const specs = names.map((name) => functions[name]);
  const tables: Partial<Record<TableName, Access>> = {};
  for (const spec of specs)
    for (const [table, access] of Object.entries(spec.tables) as [TableName, Access][])
      tables[table] = eitherAccess(tables[table], access);
  const granted = rights.filter((right) => specs.some((spec) => spec[right]));
  const widest = (member: 'objects' | 'results' | 'definitions') => {
    const words = specs.map((spec) => spec[member]);
    if (words.includes('write')) return { [member]: 'write' };
    return words.includes('read') && { [member]: 'read' };
  };
  const distinct = <T>(lists: readonly (readonly T[] | undefined)[]): T[] => [
    ...new Set(lists.flatMap((l) => l ?? [])),
  ];
  const puts = Object.entries(specs.find(({ putsOnly }) => putsOnly)?.putsOnly ?? {}) as [TableName, string][];
  const limited = puts.filter(([table, keys]) =>
    specs.every((spec) => spec.tables[table] === undefined || spec.putsOnly?.[table] === keys),
  );
  return {
    purpose: `serves ${names.join(', ')}`,
    tables,
    putsOnly: Object.fromEntries(limited),
    queries: distinct(specs.map(({ queries }) => queries)),
    secrets: distinct(specs.map(({ secrets }) => secrets)),
    ...Object.fromEntries(granted.map((right) => [right, true])),
    // The plane only redeems approvals, so it needs the public key and never signs.
    ...(specs.some(({ votes }) => votes === 'verifies') && { votes: 'verifies' as const }),
    ...widest('objects'),
    ...widest('results'),
    ...widest('definitions'),
  };
}
