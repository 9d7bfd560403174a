/** The functions that the streaming plane serves in one process, and what that process may touch: the union of their rows. */
import type { FunctionSpec, Rights } from './function-spec.ts';
import { type FunctionName, functions } from './functions.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import type { TableName } from './tables.ts';

export const planeFunctions = [
  'chat-completions',
  'messages',
  'count-tokens',
  'models',
  'mcp',
] as const satisfies readonly FunctionName[];

const served: readonly FunctionName[] = planeFunctions;

/** Both surfaces on one listener; `/health`, which both have, asks no store. */
export const planeRoutes: readonly Route[] = routes.filter(({ handledBy }) => served.includes(handledBy));

type Access = NonNullable<FunctionSpec['tables'][TableName]>;

/** `put` reads nothing, so beside `get` it is `append`. */
function both(one: Access | undefined, other: Access): Access {
  const words = [one ?? other, other];
  if (words.includes('write')) return 'write';
  return words[0] === words[1] ? other : 'append';
}

/** Rights that a row has or has not. A test fails when a function of the plane has another one. */
const rights = [
  'startsApprovals',
  'settlesTasks',
  'invokesModels',
  'assumesBrokerRoles',
  'callsUpstreams',
] as const satisfies readonly (keyof FunctionSpec)[];

/** The rights of several functions together: no word is wider than the widest of its functions. */
export function unionOf(names: readonly FunctionName[]): Rights {
  const specs: readonly FunctionSpec[] = names.map((name) => functions[name]);
  const tables: Partial<Record<TableName, Access>> = {};
  for (const spec of specs)
    for (const [table, access] of Object.entries(spec.tables) as [TableName, Access][])
      tables[table] = both(tables[table], access);
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
    // Who signs a vote reads no public key: the plane only uses approvals.
    ...(specs.some(({ votes }) => votes === 'verifies') && { votes: 'verifies' as const }),
    ...widest('objects'),
    ...widest('results'),
    ...widest('definitions'),
  };
}
