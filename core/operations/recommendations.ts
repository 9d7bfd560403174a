/** Recommends savings from a tenant's usage. */
import { isoTime } from '#core/kernel/ports.ts';
import { addUsages } from '#core/observatory/add-usages.ts';
import { type RequestRow, recentHours } from '#core/observatory/request-row.ts';
import { cheaperModels } from '#core/operations/recommendations/cheaper-models.ts';
import { repeatedRequests } from '#core/operations/recommendations/repeated-requests.ts';
import { subjectOf, tenantsOf } from './by-path.ts';
import type { Call, Operation } from './operation.ts';

/**
 * Recommends cheaper models from the hourly sums of the requested time, and caching from the newest calls of the last
 * 48 hours. Below a path, models are summed up, but repetitions count within one tenant, because caches are not shared
 * [admin.sums-by-path].
 */
export const costRecommendations: Operation = async (call) => {
  const { ports, snapshot, query } = call;
  const { configuration } = snapshot;
  const span = {
    ...(query.from !== undefined && { from: query.from }),
    ...(query.to !== undefined && { to: query.to }),
  };
  const tenants = tenantsOf(call, 'viewer');
  const each = await Promise.all(
    tenants.map(async (tenant) => {
      const [usage, rows] = await Promise.all([
        ports.observations.usage(tenant, span),
        newestRequests(call, tenant, Math.max(1, Math.floor(maxPages / tenants.length))),
      ]);
      return { tenant, usage, repeated: repeatedRequests(rows, configuration.cache) };
    }),
  );
  const named = query.path !== undefined;
  const repeated = each.flatMap(({ tenant, repeated }) => repeated.map((one) => (named ? { ...one, tenant } : one)));
  if (named) repeated.sort((a, b) => b.saving_usd - a.saving_usd);
  const recommendations = [
    ...cheaperModels(configuration, addUsages(each.map(({ usage }) => usage)).models),
    ...repeated,
  ];
  return { body: { ...subjectOf(call, tenants), recommendations: recommendations.slice(0, maxShown) } };
};

const pageRows = 200;
/** Maximum for all tenants together, with at least one page of each. */
const maxPages = 5;
const maxShown = 500;

async function newestRequests({ ports }: Call, tenant: string, maxPages: number): Promise<readonly RequestRow[]> {
  const since = isoTime(ports.clock.now() - recentHours * 3_600_000);
  const rows: RequestRow[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const place = cursor === undefined ? {} : { cursor };
    const page = await ports.observations.requests(tenant, { since, limit: pageRows, ...place });
    rows.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return rows;
}
