/** Recommends savings from a tenant's usage. */
import { pickMembers } from '#core/kernel/only.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { addUsages } from '#core/observatory/add-usages.ts';
import { type RequestRow, recentHours, toUsd } from '#core/observatory/request-row.ts';
import { subjectOf, tenantsOf } from '#core/operations/by-path.ts';
import type { Call, Operation } from '#core/operations/operation.ts';
import { cheaperModels, type Recommendation } from './cheaper-models.ts';

/**
 * Recommends cheaper models based on the hourly totals in the requested time range, and caching based on the newest
 * calls of the last 48 hours. Below a path, models are summed up across tenants, but repetitions count only within one
 * tenant, because caches are not shared [admin.by-path].
 */
export const costRecommendations: Operation = async (call) => {
  const { ports, snapshot, query } = call;
  const { configuration } = snapshot;
  const span = pickMembers(query, ['from', 'to']);
  const tenants = tenantsOf(call);
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
/** Maximum number of pages for all tenants together, with at least one page per tenant. */
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

interface CacheState {
  readonly enabled: boolean;
  readonly max_temperature: number;
}

type RepeatedRow = Pick<RequestRow, 'request_sha256' | 'resolved_model' | 'outcome' | 'cost_microusd'>;

/** Maximum number of requests listed, the most expensive first. */
const maxRepeatedRequests = 5;

/**
 * Returns the savings of an exact cache, and the most expensive repeated requests.
 * @param rows newest first
 */
export function repeatedRequests(rows: readonly RepeatedRow[], cache: CacheState): Recommendation[] {
  const answered = rows.filter(({ outcome }) => outcome === 'completed' || outcome === 'cached');
  const groups = [...Map.groupBy(answered, ({ request_sha256 }) => request_sha256)].flatMap(([digest, same]) => {
    const asked = same.filter(({ outcome }) => outcome === 'completed');
    // The oldest request was necessary and is not counted as a saving.
    const repeats = asked.slice(0, -1);
    const microusd = repeats.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0);
    return repeats.length > 0 ? [{ digest, model: same[0]!.resolved_model, asked, repeats, microusd }] : [];
  });
  if (groups.length === 0) return [];
  const repeats = groups.reduce((sum, group) => sum + group.repeats.length, 0);
  const microusd = groups.reduce((sum, group) => sum + group.microusd, 0);
  return [
    potential(answered.length, repeats, microusd, cache),
    ...groups.sort(dearest).slice(0, maxRepeatedRequests).map(repeatedRequest),
  ];
}

interface Group {
  readonly digest: string;
  readonly model: string;
  readonly asked: readonly RepeatedRow[];
  readonly repeats: readonly RepeatedRow[];
  readonly microusd: number;
}

const dearest = (a: Group, b: Group): number => b.microusd - a.microusd || b.repeats.length - a.repeats.length;

function potential(looked: number, repeats: number, microusd: number, cache: CacheState): Recommendation {
  const why = cache.enabled
    ? `The cache is on; it does not serve requests above temperature ${cache.max_temperature}, requests that forbid it, or responses older than ttl_seconds.`
    : 'The cache is off (cache.enabled).';
  return {
    kind: 'cache_potential',
    message: `${repeats} of ${looked} calls repeated an earlier request and were answered by a provider again. ${why}`,
    saving_usd: toUsd(microusd),
    figures: { calls: looked, repeats, cost_usd: toUsd(microusd), cache: cache.enabled ? 'on' : 'off' },
  };
}

function repeatedRequest({ digest, model, asked, repeats, microusd }: Group): Recommendation {
  return {
    kind: 'repeated_request',
    message: `The same request to ${model} was answered by a provider ${asked.length} times; the list of requests shows the calls with its digest.`,
    saving_usd: toUsd(microusd),
    figures: { model, request_sha256: digest, calls: asked.length, repeats: repeats.length, cost_usd: toUsd(microusd) },
  };
}
