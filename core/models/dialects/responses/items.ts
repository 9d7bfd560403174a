/** Output items of a response, and the events that stream them. */
import type { JsonObject } from '#core/kernel/json.ts';

/** Names used for an item's text in its part and its events. */
export interface ItemKind {
  readonly item: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call';
  readonly prefix: string;
  readonly delta: string;
  readonly done: string;
  /** Member of the item, or of its part, that contains the text. */
  readonly member: 'text' | 'refusal' | 'arguments' | 'input';
  readonly part?: 'output_text' | 'refusal' | 'reasoning_text';
}

export const kinds = {
  text: kind('message', 'msg', 'output_text', 'text', 'output_text'),
  refusal: kind('message', 'msg', 'refusal', 'refusal', 'refusal'),
  reasoning: kind('reasoning', 'rs', 'reasoning_text', 'text', 'reasoning_text'),
  function: kind('function_call', 'fc', 'function_call_arguments', 'arguments'),
  custom: kind('custom_tool_call', 'ctc', 'custom_tool_call_input', 'input'),
} as const satisfies Record<string, ItemKind>;

function kind(
  item: ItemKind['item'],
  prefix: string,
  event: string,
  member: ItemKind['member'],
  part?: ItemKind['part'],
): ItemKind {
  return {
    item,
    prefix,
    delta: `response.${event}.delta`,
    done: `response.${event}.done`,
    member,
    ...(part && { part }),
  };
}

/** Output item that is still growing. Its events are numbered by the sender. */
export class OutputItem {
  readonly kind: ItemKind;
  readonly #at: JsonObject;
  readonly #id: string;
  readonly #index: number;
  readonly #call: JsonObject;
  #text = '';
  /** Set once the item has ended; `incomplete` if its text was truncated. */
  #status: 'completed' | 'incomplete' | undefined;

  /** @param call `call_id`, `name` and optionally `namespace` of a tool call. */
  constructor(kind: ItemKind, id: string, index: number, call: JsonObject = {}) {
    this.kind = kind;
    this.#index = index;
    this.#id = `${kind.prefix}_${id}_${index}`;
    this.#call = call;
    this.#at = { item_id: this.#id, output_index: index, ...(kind.part && { content_index: 0 }) };
  }

  begin(): JsonObject[] {
    const added = {
      type: 'response.output_item.added',
      output_index: this.#index,
      item: this.whole('in_progress', true),
    };
    if (!this.kind.part) return [added];
    return [added, { type: 'response.content_part.added', ...this.#at, part: this.#part('') }];
  }

  say(text: string): JsonObject[] {
    if (text === '') return [];
    this.#text += text;
    return [
      { type: this.kind.delta, ...this.#at, delta: text, ...(this.kind.part === 'output_text' && { logprobs: [] }) },
    ];
  }

  /** Ends the item. @param cut whether the provider stopped before the end of its text */
  end(cut = false): JsonObject[] {
    this.#status = cut ? 'incomplete' : 'completed';
    const { done, member, part } = this.kind;
    const name = this.kind.item === 'function_call' ? { name: this.#call.name ?? '' } : {};
    const logprobs = part === 'output_text' && { logprobs: [] };
    return [
      { type: done, ...this.#at, ...name, [member]: this.#text, ...logprobs },
      ...(part ? [{ type: 'response.content_part.done', ...this.#at, part: this.#part(this.#text) }] : []),
      { type: 'response.output_item.done', output_index: this.#index, item: this.whole() },
    ];
  }

  /** Returns the item, which is `incomplete` if the stream broke off before the item ended. */
  whole(status: string = this.#status ?? 'incomplete', empty = false): JsonObject {
    const { item, member, part } = this.kind;
    const head = { id: this.#id, type: item, status };
    if (!part) return { ...head, ...this.#call, [member]: this.#text };
    const content = empty ? [] : [this.#part(this.#text)];
    return item === 'message' ? { ...head, role: 'assistant', content } : { ...head, summary: [], content };
  }

  #part(text: string): JsonObject {
    const { part = 'output_text', member } = this.kind;
    return { type: part, [member]: text, ...(part === 'output_text' && { annotations: [], logprobs: [] }) };
  }
}
