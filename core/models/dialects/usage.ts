/**
 * Common form for the token counts of both dialects. `Usage.input_tokens` is billed as plain input: cache reads and
 * writes are counted separately, as in Anthropic's counts and in price lists. OpenAI's `prompt_tokens` includes all
 * three.
 */
import type { Usage } from '#core/contracts/chat.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf } from '#core/kernel/narrow.ts';

/** Returns the counts of an OpenAI `usage` object, or undefined if it has none. */
export function readOpenaiUsage(value: Json | undefined): Partial<Usage> | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const prompt = countOf(usage.prompt_tokens);
  const output = countOf(usage.completion_tokens);
  const details = objectOf(usage.prompt_tokens_details) ?? {};
  const read = countOf(details.cached_tokens);
  const written = countOf(details.cache_write_tokens);
  const reasoning = countOf(objectOf(usage.completion_tokens_details)?.reasoning_tokens);
  return statedCounts({
    // The input count must not be negative if a provider does not include cached tokens in the prompt.
    input_tokens: prompt === undefined ? undefined : Math.max(0, prompt - (read ?? 0) - (written ?? 0)),
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: written,
    reasoning_tokens: reasoning,
  });
}

/**
 * Returns the counts of an Anthropic `usage` object, or undefined if it has none.
 * @param isDelta true for a `message_delta`: its input counts repeat those of `message_start`, or are 0 or null on
 * servers that violate the protocol, so 0 is ignored.
 */
export function readAnthropicUsage(value: Json | undefined, isDelta: boolean): Partial<Usage> | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const input = (count: number | undefined) => (isDelta && count === 0 ? undefined : count);
  return statedCounts({
    input_tokens: input(countOf(usage.input_tokens)),
    output_tokens: countOf(usage.output_tokens),
    cache_read_tokens: input(countOf(usage.cache_read_input_tokens)),
    cache_write_tokens: input(countOf(usage.cache_creation_input_tokens)),
    cache_write_1h_tokens: input(countOf(objectOf(usage.cache_creation)?.ephemeral_1h_input_tokens)),
    reasoning_tokens: countOf(objectOf(usage.output_tokens_details)?.thinking_tokens),
  });
}

/** Builds an OpenAI `usage` object with correct sums. */
export function openaiUsage(usage: Usage): JsonObject {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const prompt = input_tokens + (cache_read_tokens ?? 0) + (cache_write_tokens ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: output_tokens,
    total_tokens: prompt + output_tokens,
    ...((cache_read_tokens !== undefined || cache_write_tokens !== undefined) && {
      prompt_tokens_details: {
        cached_tokens: cache_read_tokens ?? 0,
        ...(cache_write_tokens !== undefined && { cache_write_tokens }),
      },
    }),
    ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
  };
}

/** Builds an Anthropic `usage` object. */
export function anthropicUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_tokens ?? 0,
    output_tokens: usage.output_tokens,
    ...(usage.reasoning_tokens !== undefined && { output_tokens_details: { thinking_tokens: usage.reasoning_tokens } }),
  };
}

type Counts = { [name in keyof Usage]?: number | undefined };

function statedCounts(counts: Counts): Partial<Usage> | undefined {
  const stated = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
  return Object.keys(stated).length > 0 ? stated : undefined;
}
