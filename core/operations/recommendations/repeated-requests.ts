/** Finds repeated requests and the cost of the repetitions [admin.cost-recommendations]. */
import type { RequestRow } from '#core/observatory/request-row.ts';
import { toUsd } from '#core/observatory/request-row.ts';
import type { Recommendation } from './cheaper-models.ts';

interface CacheState {
  readonly enabled: boolean;
  readonly max_temperature: number;
}

type RepeatedRow = Pick<RequestRow, 'request_sha256' | 'resolved_model' | 'outcome' | 'cost_microusd'>;

/** Maximum of listed requests, the most expensive first. */
const named = 5;

/**
 * Returns the savings of an exact cache, and the most expensive repeated requests.
 * @param rows newest first; rows of an earlier release without a digest are skipped
 */
export function repeatedRequests(rows: readonly RepeatedRow[], cache: CacheState): Recommendation[] {
  const answered = rows.filter(
    ({ request_sha256, outcome }) => request_sha256 !== undefined && (outcome === 'completed' || outcome === 'cached'),
  );
  const groups = [...Map.groupBy(answered, ({ request_sha256 }) => request_sha256!)].flatMap(([digest, same]) => {
    const asked = same.filter(({ outcome }) => outcome === 'completed');
    // The oldest request was necessary.
    const repeats = asked.slice(0, -1);
    const microusd = repeats.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0);
    return repeats.length > 0 ? [{ digest, model: same[0]!.resolved_model, asked, repeats, microusd }] : [];
  });
  if (groups.length === 0) return [];
  const repeats = groups.reduce((sum, group) => sum + group.repeats.length, 0);
  const microusd = groups.reduce((sum, group) => sum + group.microusd, 0);
  return [potential(answered.length, repeats, microusd, cache), ...groups.sort(dearest).slice(0, named).map(repeated)];
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
    ? `The cache is on; it takes no request above temperature ${cache.max_temperature}, none that forbids it, and none after ttl_seconds.`
    : 'The cache is off (cache.enabled).';
  return {
    kind: 'cache_potential',
    message: `${repeats} of ${looked} calls sent a request that had been answered before, and were answered by a provider again. ${why}`,
    saving_usd: toUsd(microusd),
    figures: { calls: looked, repeats, cost_usd: toUsd(microusd), cache: cache.enabled ? 'on' : 'off' },
  };
}

function repeated({ digest, model, asked, repeats, microusd }: Group): Recommendation {
  return {
    kind: 'repeated_request',
    message: `The same request to ${model} was answered by a provider ${asked.length} times; requests lists the calls with its digest.`,
    saving_usd: toUsd(microusd),
    figures: { model, request_sha256: digest, calls: asked.length, repeats: repeats.length, cost_usd: toUsd(microusd) },
  };
}
