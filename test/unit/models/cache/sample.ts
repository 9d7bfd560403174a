/** Questions and replies for cache tests. */
import type { CachedReply, CacheQuestion, Lookup } from '#core/models/cache/ports.ts';

export const never = new AbortController().signal;

export const question = (over: Partial<CacheQuestion> = {}): CacheQuestion => ({
  tenant: 'default',
  key: 'k',
  ttlSeconds: 60,
  maxEntries: 10,
  ...over,
});

export const reply = (text: string): CachedReply => ({
  dialect: 'openai',
  provider: 'mock',
  reply: { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }] },
  usage: { input_tokens: 1, output_tokens: 2 },
  leftOut: [],
});

export function textOf(lookup: Lookup): string | undefined {
  if (lookup.state === 'MISS') return undefined;
  const [choice] = lookup.cached.reply.choices as { message: { content: string } }[];
  return choice?.message.content;
}

export function flightOf(lookup: Lookup) {
  if (lookup.state !== 'MISS') throw new Error(`expected a miss, got ${lookup.state}`);
  return lookup.flight;
}
