/** Translates a stream of chat completion chunks into Anthropic events. */
import type { Usage } from '#core/contracts/chat.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { tokensOf } from '../count-tokens.ts';
import type { TranslationContext } from '../dialect.ts';
import { toolFragments } from '../tool-fragments.ts';
import { anthropicUsage, readOpenaiUsage } from '../usage.ts';
import { contentText, reasoningOf } from '../wire.ts';
import { blockQueue } from './block-queue.ts';
import { messageId } from './message-id.ts';
import { stopReason } from './stop-reasons.ts';
import type { EventTranslator } from './to-openai-events.ts';

/**
 * Returns a translator. `message_delta` and `message_stop` are held until the usage chunk, which follows the finish
 * reason, or until the source ends; everything else is sent immediately.
 */
export function toAnthropicEvents(context: TranslationContext): EventTranslator {
  const blocks = blockQueue((position) => `call_${context.id}_${position}`);
  const callOf = toolFragments(() => blocks.begin('tool'));
  let started = false;
  let ended = false;
  let finish: string | undefined;
  let refused = false;
  let usage: Partial<Usage> = {};

  function start(event: JsonObject): JsonObject[] {
    if (started) return [];
    started = true;
    const message = {
      id: messageId(textOf(event.id) || context.id),
      type: 'message',
      role: 'assistant',
      model: textOf(event.model) || context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: anthropicUsage({ input_tokens: context.inputTokens, output_tokens: 0 }),
    };
    return [{ type: 'message_start', message }];
  }

  function take(delta: JsonObject): void {
    blocks.say('thinking', reasoningOf(delta));
    blocks.say('text', contentText(delta.content));
    const refusal = textOf(delta.refusal);
    refused ||= Boolean(refusal);
    blocks.say('text', refusal);
    for (const fragment of objectsOf(delta.tool_calls)) blocks.add(callOf(fragment), fragment);
  }

  function end(): JsonObject[] {
    if (ended) return [];
    const opened = start({});
    ended = true;
    const reason = stopReason(finish, { calls: blocks.calls() > 0, refusal: refused });
    const counts = { input_tokens: context.inputTokens, output_tokens: tokensOf(blocks.characters()), ...usage };
    return [
      ...opened,
      ...blocks.finish(),
      { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: anthropicUsage(counts) },
      { type: 'message_stop' },
    ];
  }

  return {
    next(event) {
      if (event.error)
        throw new GatewayError(
          'provider_error',
          'The provider reported an error in its stream, so the answer is not complete. Send the request again.',
        );
      if (ended) return [];
      usage = { ...usage, ...readOpenaiUsage(event.usage) };
      const events = start(event);
      const choices = objectsOf(event.choices);
      // Reads only the first choice, because a caller using this dialect cannot request more.
      const choice = choices.find(({ index }) => (countOf(index) ?? 0) === 0);
      if (choice) take(objectOf(choice.delta) ?? {});
      finish = textOf(choice?.finish_reason) ?? finish;
      events.push(...(textOf(choice?.finish_reason) ? blocks.finish() : blocks.take()));
      const isLast = choices.length === 0 && event.usage && finish !== undefined;
      return isLast ? [...events, ...end()] : events;
    },
    end,
  };
}
