/** Views of chat traffic: requests, cache and providers. */

import type { providerSchema } from '#core/contracts/answers/status.ts';
import { chatOutcomes } from '#core/contracts/chat.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { minuteMs } from '#core/kernel/durations.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { dimensionOf } from '#core/observatory/dimensions.ts';
import { providerHealth } from '#core/observatory/provider-health.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { timeOf } from '#core/observatory/usage.ts';
import { pageByPath } from './by-path.ts';
import { type Call, limitOf, type Operation, wordOf } from './operation.ts';

const providerWindowMinutes = 15;

/**
 * Returns the start of the visible period. Rows and points may outlive it, because they are not deleted as soon as they
 * expire.
 */
const recent = ({ ports }: Pick<Call, 'ports'>): string => isoTime(ports.clock.now() - recentHours * 60 * minuteMs);

/** Returns the period for which calls are listed. @throws GatewayError `invalid_request` */
function sentBetween(call: Call) {
  const { from, to } = call.query;
  const earliest = recent(call);
  const since = from === undefined ? earliest : timeOf('from', from);
  const until = to === undefined ? undefined : timeOf('to', to);
  if (until !== undefined && since > until) throw invalidRequest('from is later than to. Swap them, or omit one.');
  if (since < earliest) return { since: earliest, until };
  return { since, until };
}

export const listRequests: Operation = async (call) => {
  const { ports, query } = call;
  const outcome = wordOf(query, 'outcome', chatOutcomes);
  const asked = {
    ...sentBetween(call),
    limit: limitOf(query),
    model: query.model,
    outcome,
    key: query.key,
    text: query.text,
  };
  const page = await pageByPath(call, 'operator', (tenant, cursor) =>
    ports.observations.requests(tenant, { ...asked, ...(cursor !== undefined && { cursor }) }),
  );
  return { body: { requests: page.items, ...(page.cursor && { cursor: page.cursor }) } };
};

/** Returns cache statistics. The number of entries is null if the cache is not in this process. */
export const cacheStatistics: Operation = async ({ ports, principal, snapshot }) => {
  const { hits, semantic_hits, misses, evictions } = (await ports.observations.usage(principal.tenant, {})).cache;
  const found = hits + semantic_hits;
  const asked = found + misses;
  const { enabled, semantic, ttl_seconds, max_entries } = snapshot.configuration.cache;
  return {
    body: {
      enabled,
      semantic: semantic.enabled,
      ttl_seconds,
      max_entries,
      hits,
      semantic_hits,
      misses,
      hit_rate: asked === 0 ? 0 : Math.round((found / asked) * 10_000) / 10_000,
      evictions,
      entries: ports.cache?.stats(principal.tenant).entries ?? null,
    },
  };
};

export const listProviders: Operation = async (call) => ({
  body: { window_minutes: providerWindowMinutes, providers: await providersOf(call) },
});

type ProviderView = Shape<typeof providerSchema>;

/**
 * Returns every configured provider with its recent results for this tenant. Other tenants' traffic is not included.
 */
export async function providersOf(call: Pick<Call, 'ports' | 'principal' | 'snapshot'>): Promise<ProviderView[]> {
  const { ports, principal, snapshot } = call;
  const now = ports.clock.now();
  const span = { from: isoTime(now - providerWindowMinutes * minuteMs), to: isoTime(now) };
  const { providers } = snapshot.configuration;
  const recent = await Promise.all(
    providers.map(({ name }) =>
      ports.observations.minutes(principal.tenant, { dimension: dimensionOf('provider', name), ...span }),
    ),
  );
  const keys = await Promise.all(providers.map((entry) => isKeySet(ports, entry)));
  const breakers = ports.breakers?.(providers) ?? {};
  return providers.map((entry, n) => {
    const { health, ...recently } = providerHealth(recent[n]!);
    const keySet = keys[n];
    const reason = entry.enabled ? reasonOf(entry, keySet, recently) : undefined;
    const breaker = Object.hasOwn(breakers, entry.name) ? breakers[entry.name] : undefined;
    return {
      name: entry.name,
      type: entry.type,
      enabled: entry.enabled,
      models: entry.models,
      ...(entry.region !== undefined && { region: entry.region }),
      ...(entry.base_url !== undefined && { base_url: withoutQuery(entry.base_url) }),
      has_key: entry.api_key_env !== undefined,
      ...(keySet !== undefined && { key_set: keySet }),
      health: !entry.enabled ? 'disabled' : keySet === false || breaker === 'open' ? 'unhealthy' : health,
      ...(reason !== undefined && { reason }),
      ...(breaker !== undefined && { breaker }),
      ...recently,
    };
  });
}

/** Checks whether there is a value for the provider's key [admin.status]. */
async function isKeySet({ providerKeys }: Call['ports'], { api_key_env }: ProviderEntry): Promise<boolean | undefined> {
  if (api_key_env === undefined || !providerKeys) return undefined;
  const key = await providerKeys.get(api_key_env).catch(() => undefined);
  return key !== undefined && key.trim() !== '';
}

const reasonOf = (
  { api_key_env }: ProviderEntry,
  keySet: boolean | undefined,
  { requests, errors }: { readonly requests: number; readonly errors: number },
): string | undefined =>
  keySet === false
    ? `its key ${api_key_env} is not set`
    : errors > 0
      ? `${errors} of its last ${requests} calls failed`
      : undefined;

/** Removes the query and fragment from an address, because they may contain a key. */
const withoutQuery = (address: string): string => address.split(/[?#]/)[0]!;
