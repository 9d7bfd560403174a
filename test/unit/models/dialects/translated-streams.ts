/** Streams translated to the other dialect, and checks that their events are well framed. */

import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';

export const context = { model: 'asked', inputTokens: 33, id: 'env-1', createdAt: 1_700_000_001, includeUsage: true };

export function translated(events: JsonObject[], caller: 'openai' | 'anthropic', given = context): JsonObject[] {
  const provider = caller === 'openai' ? 'anthropic' : 'openai';
  const through = translator(caller, provider).events(given);
  return [...events.flatMap((event) => through.next(event)), ...through.end()];
}

/** Returns the message that a caller assembles from the events. */
export function message(events: readonly JsonObject[]): JsonObject {
  const collector = dialects.anthropic.collector();
  for (const event of events) collector.add(event);
  return collector.reply()!;
}

export const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
