/**
 * Provider's own `/responses` endpoint, for responses that the provider stores, translated from and to chat completions
 * [responses.stored].
 */

import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { chatUsage, completionOf, toolCallFromItem } from '#core/models/dialects/responses/from-native.ts';
import { toNative } from '#core/models/dialects/responses/to-native.ts';
import type { Frame } from './lines.ts';
import { BadReply, parseObject, refuseError } from './reply.ts';
import type { FrameReader, Wire } from './wire.ts';

/** Differences from a chat completions call to the same provider. */
export const responsesWire: Pick<Wire, 'path' | 'body' | 'reply' | 'stream'> = {
  path: () => '/responses',

  body({ model, body, stream, kept }) {
    const { store, previous, instructions } = kept!;
    return {
      model,
      ...toNative(body, instructions),
      store,
      stream,
      ...(previous !== undefined && { previous_response_id: previous }),
    };
  },

  reply(body) {
    if (body.error !== null) refuseError(body);
    if (body.status !== 'completed' && body.status !== 'incomplete')
      throw new BadReply(`its status is ${JSON.stringify(body.status)?.slice(0, 32)}`);
    return completionOf(body);
  },

  stream: () => new EventReader(),
};

const reasoning: ReadonlySet<string> = new Set([
  'response.reasoning_text.delta',
  'response.reasoning_summary_text.delta',
]);
const argumentsOf: ReadonlySet<string> = new Set([
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
]);

/** Translates response events into chat completion chunks. */
class EventReader implements FrameReader {
  ended = false;
  /** Always false: a response that breaks off is incomplete, because only the last event contains the finish reason. */
  readonly complete = false;
  #head: JsonObject = {};
  #said = false;
  /** Position of each call among all calls, keyed by its index in the output. */
  readonly #calls = new Map<number, { readonly index: number; readonly custom: boolean }>();

  read({ data }: Frame): readonly JsonObject[] {
    if (data === '[DONE]') return [];
    const event = parseObject(data);
    const type = textOf(event.type) ?? '';
    const response = objectOf(event.response);
    if (response) this.#head = headOf(response);
    switch (type) {
      case 'error':
      case 'response.failed':
        refuseError({ error: response?.error ?? event });
        throw new BadReply('the response failed');
      case 'response.created':
        return [this.#chunk({ role: 'assistant' })];
      case 'response.output_text.delta':
        return this.#saying({ content: event.delta ?? '' });
      case 'response.refusal.delta':
        return this.#saying({ refusal: event.delta ?? '' });
      case 'response.output_item.added':
        return this.#begun(countOf(event.output_index) ?? 0, objectOf(event.item) ?? {});
      case 'response.completed':
      case 'response.incomplete':
        return this.#over({ status: type.slice('response.'.length), ...response });
    }
    if (reasoning.has(type)) return this.#saying({ reasoning_content: event.delta ?? '' });
    if (argumentsOf.has(type)) return this.#argued(countOf(event.output_index) ?? 0, textOf(event.delta) ?? '');
    return [];
  }

  #begun(at: number, item: JsonObject): JsonObject[] {
    const call = toolCallFromItem(item);
    if (!call) return [];
    const index = this.#calls.size;
    this.#calls.set(at, { index, custom: call.type === 'custom' });
    return this.#saying({ tool_calls: [{ index, ...call }] });
  }

  #argued(at: number, text: string): JsonObject[] {
    const call = this.#calls.get(at);
    if (!call) throw new BadReply('arguments come before their tool call');
    const more = call.custom ? { custom: { input: text } } : { function: { arguments: text } };
    return this.#saying({ tool_calls: [{ index: call.index, ...more }] });
  }

  #over(response: JsonObject): JsonObject[] {
    this.ended = true;
    // A server that does not stream parts sends all content in its last event.
    const [choice] = objectsOf(completionOf(response).choices);
    const { tool_calls, ...message } = objectOf(choice?.message) ?? {};
    const calls = objectsOf(tool_calls).map((call, index) => ({ index, ...call }));
    const whole = this.#said ? [] : this.#saying({ ...message, ...(calls.length > 0 && { tool_calls: calls }) });
    const choices = [{ index: 0, delta: {}, finish_reason: choice?.finish_reason ?? null }];
    const usage = chatUsage(response.usage);
    return [...whole, { ...this.#head, choices }, ...(usage ? [{ ...this.#head, choices: [], usage }] : [])];
  }

  #saying(delta: JsonObject): JsonObject[] {
    this.#said = true;
    return [this.#chunk(delta)];
  }

  #chunk(delta: JsonObject): JsonObject {
    return { ...this.#head, choices: [{ index: 0, delta, finish_reason: null }] };
  }
}

const headOf = ({ id, created_at, model }: JsonObject): JsonObject => ({
  id: id ?? '',
  object: 'chat.completion.chunk',
  created: countOf(created_at) ?? 0,
  model: model ?? '',
});
