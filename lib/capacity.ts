/** A deployment's capacity options: API throttles, provisioned concurrency, and warm throughput of tables. */
import type { Node } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { functions } from '#features/functions.ts';
import { tables } from '#features/tables.ts';
import { amounts, wholeContext } from './context.ts';

/** Requests per second that API Gateway admits by default, by surface. `actions` are governed actions on any surface. */
const requests = { actions: 1_000, admin: 200, callbacks: 50, gateway: 1_000, mcp: 1_000 } as const;

export interface CapacitySettings {
  /**
   * Requests per second for each method of a surface, across all callers. Votes, the console and actions use different
   * methods, so none of them takes another's share [admin.rate-limit].
   */
  readonly requestsPerSecond: Readonly<Record<keyof typeof requests, number>>;
  /**
   * Maximum burst of requests: API Gateway's own token bucket for an account holds half as many as it admits per
   * second.
   */
  readonly mostAtOnce: number;
  /** Environments that are kept initialised, by function. */
  readonly provisionedConcurrency: Partial<Record<FunctionName, number>>;
  /**
   * Units per second that tables and their indexes accept immediately. Without this setting, a table starts with 4,000
   * write units and 12,000 read units.
   */
  readonly warmWrites: Partial<Record<TableName, number>>;
  readonly warmReads: Partial<Record<TableName, number>>;
}

export function capacitySettings(node: Node): CapacitySettings {
  const account = wholeContext(node, 'accountRequestsPerSecond', 10_000);
  const names = Object.keys(tables) as TableName[];
  return {
    requestsPerSecond: {
      ...requests,
      ...amounts(node, 'requestsPerSecond', Object.keys(requests) as (keyof typeof requests)[], {
        least: 1,
        most: account,
        raise: 'accountRequestsPerSecond',
      }),
    },
    mostAtOnce: Math.floor(account / 2),
    provisionedConcurrency: amounts(node, 'provisionedConcurrency', Object.keys(functions) as FunctionName[], {
      least: 1,
    }),
    warmWrites: amounts(node, 'warmWrites', names, { least: 4_000 }),
    warmReads: amounts(node, 'warmReads', names, { least: 12_000 }),
  };
}

/** Returns a method's throttle. */
export const throttleOf = (
  { requestsPerSecond, mostAtOnce }: CapacitySettings,
  part: keyof typeof requests,
): { readonly throttlingRateLimit: number; readonly throttlingBurstLimit: number } => ({
  throttlingRateLimit: requestsPerSecond[part],
  throttlingBurstLimit: Math.min(2 * requestsPerSecond[part], mostAtOnce),
});

/**
 * Returns the methods of the given routes that are governed actions, as API Gateway names them in a stage's settings.
 */
export const actionMethods = (routes: readonly Route[]): readonly string[] =>
  routes.flatMap(({ handledBy, path, method }) => (handledBy === 'test-action' ? [`${path}/${method}`] : []));

/** Returns the warm throughput for a table and its indexes. */
export function warmThroughputOf({ warmWrites, warmReads }: CapacitySettings, table: TableName) {
  const { [table]: writeUnitsPerSecond } = warmWrites;
  const { [table]: readUnitsPerSecond } = warmReads;
  if (writeUnitsPerSecond === undefined && readUnitsPerSecond === undefined) return undefined;
  return {
    ...(writeUnitsPerSecond !== undefined && { writeUnitsPerSecond }),
    ...(readUnitsPerSecond !== undefined && { readUnitsPerSecond }),
  };
}
