/** Answers from the response cache where the tenant has asked the same before (spec §1, contract §5). */
import { type CacheKeyParts, cacheKey, semanticQuestion } from '#core/cache/cache-key.ts';
import { cacheableRequest } from '#core/cache/cacheable.ts';
import type { CachedReply, CacheQuestion, Flight } from '#core/cache/ports.ts';
import { asksForUsage, isUsageOnly } from '#core/dialects/openai.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Answering } from '../answering.ts';
import type { Course } from '../course.ts';
import type { ChatPorts } from '../ports.ts';

/**
 * `answered`, or the flight of a call that the provider has to answer; undefined where nothing may be cached: the cache
 * is off, or tools are at work.
 */
export async function fromCache(
  ports: ChatPorts,
  course: Course,
  body: JsonObject,
  answering: Answering,
): Promise<'answered' | Flight | undefined> {
  const { call } = course;
  if (!call.snapshot.configuration.cache.enabled || !cacheableRequest(body)) return undefined;
  const found = await ports.cache.lookup(questionOf(course, body), call.signal);
  course.cache = found.state;
  course.headers['x-cache'] = found.state;
  if (found.state === 'MISS') return found.flight;
  await replay(course, found.cached, answering);
  return 'answered';
}

function questionOf({ call }: Course, body: JsonObject): CacheQuestion {
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
async function replay(course: Course, { reply, provider }: CachedReply, answering: Answering): Promise<void> {
  const { call } = course;
  course.outcome = 'cached';
  course.provider = provider;
  if (!call.stream) return answering.json(200, reply);
  const outlet = answering.stream();
  const counted = call.dialect !== 'openai' || asksForUsage(call.body);
  for (const event of call.wire.replay(reply)) if (counted || !isUsageOnly(event)) await outlet.write(event);
}
