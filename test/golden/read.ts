/** Golden streams as their events. */

import type { JsonObject } from '#core/kernel/json.ts';
import { type SseEvent, sseDecoder } from '#core/models/dialects/sse.ts';

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Decodes all events from the bytes, which are split before each of the positions. */
export function decoded(bytes: Uint8Array, cuts: readonly number[] = []): SseEvent[] {
  const decoder = sseDecoder();
  const bounds = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
  const events = bounds.slice(1).flatMap((end, index) => decoder.push(bytes.subarray(bounds[index], end)));
  return [...events, ...decoder.end()];
}

export const jsonOf = (events: readonly SseEvent[]): JsonObject[] =>
  events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data) as JsonObject);

export const eventsOf = (sse: string): JsonObject[] => jsonOf(decoded(bytesOf(sse)));
