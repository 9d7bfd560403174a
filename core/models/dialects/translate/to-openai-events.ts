/** Translates a stream of Anthropic events into chat completion chunks. */
import type { Usage } from '#core/contracts/chat.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectOf, textOf } from '#core/kernel/narrow.ts';
import { tokensOf } from '../count-tokens.ts';
import type { TranslationContext } from '../dialect.ts';
import { openaiUsage, readAnthropicUsage } from '../usage.ts';
import { finishReason } from './stop-reasons.ts';

export interface EventTranslator {
  /**
   * Translates an event.
   * @throws GatewayError `provider_error` for an error event: a failed stream must not look complete.
   */
  next(event: JsonObject): JsonObject[];
  end(): JsonObject[];
}

/**
 * Returns a translator. The finish reason and the usage chunk are held until `message_stop`, so that the last counts
 * are sent.
 */
export function toOpenaiEvents(context: TranslationContext): EventTranslator {
  let { id, model } = context;
  let started = false;
  let ended = false;
  let stop: string | undefined;
  let usage: Partial<Usage> = {};
  /** Number of output characters so far, for providers that do not send counts. */
  let said = 0;
  const calls = new Map<number, Call>();

  const chunk = (choices: JsonObject[], counts: JsonObject | null = null): JsonObject => ({
    id,
    object: 'chat.completion.chunk',
    created: context.createdAt,
    model,
    choices,
    ...(context.includeUsage && { usage: counts }),
  });
  const delta = (content: JsonObject, finish: string | null = null): JsonObject =>
    chunk([{ index: 0, delta: content, finish_reason: finish }]);

  function start(message: JsonObject = {}): JsonObject[] {
    if (started) return [];
    started = true;
    id = textOf(message.id) || id;
    model = textOf(message.model) || model;
    usage = { ...usage, ...readAnthropicUsage(message.usage, false) };
    return [delta({ role: 'assistant', content: '' })];
  }

  function say(member: 'content' | 'reasoning_content', text: string | undefined): JsonObject[] {
    if (!text) return [];
    said += text.length;
    return [delta({ [member]: text })];
  }

  function beginBlock(index: number, block: JsonObject): JsonObject[] {
    if (block.type === 'text') return say('content', textOf(block.text));
    if (block.type === 'thinking') return say('reasoning_content', textOf(block.thinking));
    if (block.type !== 'tool_use') return [];
    const call: Call = { position: calls.size, whole: objectOf(block.input) ?? {}, fragments: false };
    calls.set(index, call);
    const named = { name: textOf(block.name) ?? '', arguments: '' };
    return [delta({ tool_calls: [{ index: call.position, id: block.id ?? '', type: 'function', function: named }] })];
  }

  function goOn(index: number, change: JsonObject): JsonObject[] {
    const fragment = textOf(change.partial_json);
    const call = calls.get(index);
    if (call && fragment) {
      call.fragments = true;
      return [argumentsDelta(call, fragment)];
    }
    return [...say('content', textOf(change.text)), ...say('reasoning_content', textOf(change.thinking))];
  }

  /** Sends a call's input if it arrived with the start of the block, or did not arrive at all. */
  function endBlock(call: Call | undefined): JsonObject[] {
    if (call === undefined || call.fragments) return [];
    call.fragments = true;
    return [argumentsDelta(call, JSON.stringify(call.whole))];
  }

  function argumentsDelta(call: Call, text: string): JsonObject {
    said += text.length;
    return delta({ tool_calls: [{ index: call.position, function: { arguments: text } }] });
  }

  function end(): JsonObject[] {
    if (ended) return [];
    ended = true;
    const open = [...calls.values()].flatMap(endBlock);
    const finish = finishReason(stop);
    const counts = { input_tokens: context.inputTokens, output_tokens: tokensOf(said), ...usage };
    return [...start(), ...open, delta({}, finish), ...(context.includeUsage ? [chunk([], openaiUsage(counts))] : [])];
  }

  return {
    next(event) {
      const index = countOf(event.index) ?? 0;
      switch (event.type) {
        case 'message_start':
          return start(objectOf(event.message));
        case 'content_block_start':
          return [...start(), ...(isObject(event.content_block) ? beginBlock(index, event.content_block) : [])];
        case 'content_block_delta':
          return isObject(event.delta) ? goOn(index, event.delta) : [];
        case 'content_block_stop':
          return endBlock(calls.get(index));
        case 'message_delta':
          stop = textOf(objectOf(event.delta)?.stop_reason) ?? stop;
          usage = { ...usage, ...readAnthropicUsage(event.usage, true) };
          return [];
        case 'message_stop':
          return end();
        case 'error':
          throw new GatewayError(
            'provider_error',
            'The provider reported an error in its stream, so the answer is not complete. Send the request again.',
          );
        default:
          return [];
      }
    },
    end,
  };
}

interface Call {
  /** Position of the call among all calls, as OpenAI counts them. */
  readonly position: number;
  /** Input that arrived with the start of the block. */
  readonly whole: JsonObject;
  fragments: boolean;
}
