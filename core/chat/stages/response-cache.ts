/** Answers from the response cache if the tenant has already sent the same request. */

import type { JsonObject } from '#core/kernel/json.ts';
import { type CacheKeyParts, cacheKey, semanticQuestion } from '#core/models/cache/cache-key.ts';
import { cacheableRequest } from '#core/models/cache/cacheable.ts';
import type { CachedReply, CacheQuestion } from '#core/models/cache/ports.ts';
import { isUsageOnly, isUsageRequested } from '#core/models/dialects/openai/openai.ts';
import type { AnswerReceiver } from '../answering.ts';
import type { ChatCall } from '../call.ts';
import { type ApprovedCall, endedWith, type FinishedCall, type LookedUpCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';

/**
 * Looks up the call, unless the cache is off, or the caller wants a fresh answer (`Cache-Control`, a temperature) or
 * uses tools. After a miss, the call must keep or drop the flight.
 */
export async function lookUp(ports: ChatPorts, approved: ApprovedCall): Promise<LookedUpCall> {
  const { call, body } = approved;
  const lookup = isLookedUp(call, body) ? await ports.cache.lookup(questionOf(call, body), call.signal) : undefined;
  return { ...approved, lookup };
}

/** Checks whether the cache may answer the call or store its answer. */
export function isLookedUp({ noCache, snapshot }: ChatCall, body: JsonObject): boolean {
  const { cache } = snapshot.configuration;
  return cache.enabled && !noCache && !isVaried(body, cache.max_temperature) && cacheableRequest(body);
}

/** Checks whether the caller wants varied answers. If no temperature is set, the gateway decides [chat.cache]. */
const isVaried = ({ temperature }: JsonObject, most: number): boolean =>
  typeof temperature === 'number' && temperature > most;

/** Returns the betas in a fixed order, without duplicates. */
const betasOf = ({ passed }: ChatCall): string[] =>
  [...new Set((passed['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim()))].filter(Boolean).sort();

function questionOf(call: ChatCall, body: JsonObject): CacheQuestion {
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

/** Replays a cached answer as JSON or as stream events, as the caller requests. */
export async function replay(
  known: LookedUpCall,
  { reply }: Pick<CachedReply, 'reply'>,
  answering: AnswerReceiver,
): Promise<FinishedCall> {
  const { call } = known;
  const finished = { known, ending: endedWith('cached') };
  if (!call.stream) {
    answering.json(200, reply);
    return finished;
  }
  const queue = answering.stream(known);
  const counted = call.dialect !== 'openai' || isUsageRequested(call.body);
  for (const event of call.wire.replay(reply)) if (counted || !isUsageOnly(event)) await queue.write(event);
  return finished;
}
