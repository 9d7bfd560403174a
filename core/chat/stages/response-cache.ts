/** Answers from the response cache where the tenant has asked the same before. */
import { type CacheKeyParts, cacheKey, semanticQuestion } from '#core/cache/cache-key.ts';
import { cacheableRequest } from '#core/cache/cacheable.ts';
import type { CachedReply, CacheQuestion, Flight } from '#core/cache/ports.ts';
import { asksForUsage, isUsageOnly } from '#core/dialects/openai/openai.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Answering } from '../answering.ts';
import type { ChatCallState } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';

/**
 * `answered`, or the flight of a call that the provider has to answer; undefined where nothing may be cached: the cache
 * is off, or tools are at work.
 */
export async function fromCache(
  ports: ChatPorts,
  state: ChatCallState,
  body: JsonObject,
  answering: Answering,
): Promise<'answered' | Flight | undefined> {
  const { call } = state;
  if (!call.snapshot.configuration.cache.enabled || !cacheableRequest(body)) return undefined;
  const found = await ports.cache.lookup(questionOf(state, body), call.signal);
  state.cache = found.state;
  state.headers['x-cache'] = found.state;
  if (found.state === 'MISS') return found.flight;
  await replay(state, found.cached, answering);
  return 'answered';
}

function questionOf({ call }: ChatCallState, body: JsonObject): CacheQuestion {
  const { cache } = call.snapshot.configuration;
  const parts: CacheKeyParts = {
    tenant: call.tenant.id,
    model: call.resolvedModel,
    dialect: call.dialect,
    body,
    policyVersion: call.snapshot.version,
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
async function replay(state: ChatCallState, { reply, provider }: CachedReply, answering: Answering): Promise<void> {
  const { call } = state;
  state.outcome = 'cached';
  state.provider = provider;
  if (!call.stream) return answering.json(200, reply);
  const queue = answering.stream();
  const counted = call.dialect !== 'openai' || asksForUsage(call.body);
  for (const event of call.wire.replay(reply)) if (counted || !isUsageOnly(event)) await queue.write(event);
}
