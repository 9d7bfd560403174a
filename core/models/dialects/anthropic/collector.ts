/** Builds a complete Anthropic message from its stream events. */
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectOf, textOf } from '#core/kernel/narrow.ts';
import { argumentsOf } from '../wire.ts';

export function anthropicCollector(): { add(event: JsonObject): void; reply(): JsonObject | undefined } {
  let message: JsonObject | undefined;
  let stopped = false;
  let failed = false;
  const blocks = new Map<number, ReturnType<typeof collectBlock>>();

  return {
    add(event) {
      const index = countOf(event.index) ?? 0;
      switch (event.type) {
        case 'message_start':
          message ??= { ...objectOf(event.message) };
          return;
        case 'content_block_start':
          blocks.set(index, collectBlock(objectOf(event.content_block) ?? {}));
          return;
        case 'content_block_delta':
          blocks.get(index)?.add(objectOf(event.delta) ?? {});
          return;
        case 'message_delta':
          message = { ...message, ...objectOf(event.delta), usage: replaceMembers(message?.usage, event.usage) };
          return;
        case 'message_stop':
          stopped = true;
          return;
        case 'error':
          failed = true;
      }
    },
    reply() {
      if (message === undefined || !stopped || failed) return undefined;
      const content = [...blocks].sort(([one], [other]) => one - other).map(([, block]) => block.whole());
      return { ...message, content };
    },
  };
}

/** Replaces cumulative counts with later ones, ignoring null. */
function replaceMembers(before: JsonObject[string] | undefined, now: JsonObject[string] | undefined): JsonObject {
  const stated = Object.entries(objectOf(now) ?? {}).filter(([, count]) => count !== null);
  return { ...objectOf(before), ...Object.fromEntries(stated) };
}

function collectBlock(start: JsonObject) {
  const block = { ...start };
  let json: string | undefined;

  return {
    add(delta: JsonObject): void {
      for (const name of ['text', 'thinking', 'signature'] as const) {
        const more = textOf(delta[name]);
        if (more !== undefined) block[name] = (textOf(block[name]) ?? '') + more;
      }
      const fragment = textOf(delta.partial_json);
      if (fragment !== undefined) json = (json ?? '') + fragment;
      if (isObject(delta.citation))
        block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
    },
    whole: (): JsonObject => (json === undefined || json === '' ? block : { ...block, input: argumentsOf(json) }),
  };
}
