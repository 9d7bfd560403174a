/** Projections in DynamoDB, loaded with the first use: every function is given them, and few ask. */
import type { Observations } from '#core/observatory/ports.ts';
import type { StoreOptions } from './store-options.ts';

export function lazyObservations(store: StoreOptions): Observations {
  let loaded: Promise<Observations> | undefined;
  const table = () => {
    loaded ??= import('./observations-table.ts').then(({ observationsTable }) => observationsTable(store));
    return loaded;
  };
  return {
    apply: async (projections) => (await table()).apply(projections),
    usage: async (tenant, query) => (await table()).usage(tenant, query),
    violations: async (tenant, options) => (await table()).violations(tenant, options),
    requests: async (tenant, query) => (await table()).requests(tenant, query),
    minutes: async (scope, query) => (await table()).minutes(scope, query),
    replaceMinutes: async (dimension, minutes) => (await table()).replaceMinutes(dimension, minutes),
    dimensions: async (scope, span) => (await table()).dimensions(scope, span),
  };
}
