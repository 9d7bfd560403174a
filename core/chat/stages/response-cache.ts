/** Answers from the response cache where the tenant has asked the same before. */
import { type CacheKeyParts, cacheKey, semanticQuestion } from '#core/cache/cache-key.ts';
import { cacheableRequest } from '#core/cache/cacheable.ts';
import type { CachedReply, CacheQuestion, Flight } from '#core/cache/ports.ts';
import { isUsageOnly, isUsageRequested } from '#core/dialects/openai/openai.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Answering } from '../answering.ts';
import { type ChatCallState, noteLeftOut } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';

/**
 * `answered`, or the flight of a call that the provider has to answer; undefined where nothing may be cached: the cache
 * is off, the caller wants a fresh answer (`Cache-Control`, a temperature), or tools are at work.
 */
export async function fromCache(
  ports: ChatPorts,
  state: ChatCallState,
  body: JsonObject,
  answering: Answering,
): Promise<'answered' | Flight | undefined> {
  const { call } = state;
  if (!isLookedUp(call, body)) return undefined;
  const found = await ports.cache.lookup(questionOf(state, body), call.signal);
  state.cache = found.state;
  state.headers['x-cache'] = found.state;
  if (found.state === 'MISS') return found.flight;
  await replay(state, found.cached, answering);
  return 'answered';
}

/** Whether the cache may answer the call, or keep its answer. */
export function isLookedUp({ noCache, snapshot }: ChatCallState['call'], body: JsonObject): boolean {
  const { cache } = snapshot.configuration;
  return cache.enabled && !noCache && !isVaried(body, cache.max_temperature) && cacheableRequest(body);
}

/** The caller asks for answers that differ; without a temperature it leaves the matter to the gateway [cache.temperature]. */
const isVaried = ({ temperature }: JsonObject, most: number): boolean =>
  typeof temperature === 'number' && temperature > most;

/** In one order, each once. */
const betasOf = ({ passed }: ChatCallState['call']): string[] =>
  [...new Set((passed['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim()))].filter(Boolean).sort();

function questionOf({ call }: ChatCallState, body: JsonObject): CacheQuestion {
  const { cache } = call.snapshot.configuration;
  const parts: CacheKeyParts = {
    tenant: call.tenant.id,
    model: call.resolvedModel,
    dialect: call.dialect,
    body,
    policyVersion: call.snapshot.version,
    betas: betasOf(call),
  };
  const semantic = cache.semantic.enabled ? semanticQuestion(parts) : undefined;
  return {
    tenant: call.tenant.id,
    key: cacheKey(parts),
    ttlSeconds: cache.ttl_seconds,
    maxEntries: cache.max_entries,
    ...(semantic && { semantic: { ...semantic, threshold: cache.semantic.threshold } }),
  };
}

/** As JSON or as the events that would have streamed it, whichever the caller asks for. */
async function replay(state: ChatCallState, cached: CachedReply, answering: Answering): Promise<void> {
  const { call } = state;
  const { reply, provider, leftOut } = cached;
  noteLeftOut(state, leftOut);
  state.outcome = 'cached';
  state.provider = provider;
  if (!call.stream) return answering.json(200, reply);
  const queue = answering.stream();
  const counted = call.dialect !== 'openai' || isUsageRequested(call.body);
  for (const event of call.wire.replay(reply)) if (counted || !isUsageOnly(event)) await queue.write(event);
}
