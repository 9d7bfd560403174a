/** Translates a stream of chat completion chunks into response events; the last event contains the complete reply. */
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { idCarrying, refuseLate, vendorMembers } from '../call-id.ts';
import { replayOpenai } from '../openai/replay.ts';
import { toolFragments } from '../tool-fragments.ts';
import { incompleteReason } from '../translate/stop-reasons.ts';
import { contentText, reasoningOf } from '../wire.ts';
import { type ItemKind, kinds, OutputItem } from './items.ts';
import { ownNamesOf, type QualifiedToolName } from './namespaces.ts';

interface ResponseContext {
  /** Call id, from which the ids of the response and its items are derived. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** Returns whether the provider stores the response or, at the end, whether it did. */
  readonly stored?: () => boolean;
}

interface StreamedCall {
  item?: OutputItem;
  /** Vendor-specific members that the call's id carries. */
  members?: JsonObject | undefined;
}

/** Returns a complete chat completion as a response. */
export function responseOf(reply: JsonObject, request: JsonObject, context: ResponseContext): JsonObject {
  const events = new ResponseEvents(request, context);
  for (const chunk of replayOpenai(reply)) events.next(chunk);
  return objectOf(events.end().at(-1)?.response) ?? {};
}

export class ResponseEvents {
  readonly #request: JsonObject;
  readonly #context: ResponseContext;
  readonly #id: string;
  readonly #items: OutputItem[] = [];
  /** Item that is still growing; a tool call or text of another kind ends it. */
  #open: OutputItem | undefined;
  readonly #calls: OutputItem[] = [];
  readonly #callOf: (fragment: JsonObject) => StreamedCall;
  readonly #ownName: (flat: string) => QualifiedToolName;
  #model = '';
  #finish: string | undefined;
  #usage: JsonObject | undefined;
  #sequence = 0;
  #started = false;

  constructor(request: JsonObject, context: ResponseContext) {
    this.#request = request;
    this.#context = context;
    this.#id = context.id.replaceAll('-', '');
    this.#ownName = ownNamesOf(request);
    this.#callOf = toolFragments<StreamedCall>(() => ({}));
  }

  next(chunk: JsonObject): JsonObject[] {
    this.#model = textOf(chunk.model) || this.#model;
    this.#usage = objectOf(chunk.usage) ?? this.#usage;
    const events = this.#start();
    const choice = objectsOf(chunk.choices).find(({ index }) => (countOf(index) ?? 0) === 0);
    const delta = objectOf(choice?.delta) ?? {};
    events.push(...this.#say(kinds.reasoning, reasoningOf(delta)));
    events.push(
      ...this.#say(kinds.text, contentText(delta.content)),
      ...this.#say(kinds.refusal, textOf(delta.refusal)),
    );
    for (const fragment of objectsOf(delta.tool_calls)) events.push(...this.#call(fragment));
    this.#finish = textOf(choice?.finish_reason) ?? this.#finish;
    return this.#numbered(events);
  }

  /** Ends a complete stream. */
  end(): JsonObject[] {
    const cut = incompleteReason(this.#finish);
    const events = [...this.#start(), ...this.#close(cut !== undefined)];
    // Calls grow in parallel up to this point, and only the last item can be the one that was truncated.
    const last = this.#items.at(-1);
    for (const call of this.#calls) events.push(...call.end(cut !== undefined && call === last));
    const status = cut ? 'incomplete' : 'completed';
    const response = { ...this.#response(status), ...(cut && { incomplete_details: { reason: cut } }) };
    return this.#numbered([...events, { type: `response.${status}`, response }]);
  }

  failed(fault: GatewayError): JsonObject[] {
    const { code: _status, type, message, ...data } = fault.toBody().error;
    // Clients branch on the provider's code here, because `code` is not a status in this API.
    const code = fault.origin && typeof data.reason === 'string' ? data.reason : type;
    const error = { code, message };
    // Top-level, as in the API's documentation, and also nested, as the API sends it and its Python client reads it.
    const detailed = { type, ...error, param: null, ...(data as JsonObject) };
    return this.#numbered([
      ...this.#start(),
      { type: 'error', ...error, param: null, error: detailed },
      { type: 'response.failed', response: { ...this.#response('failed'), error } },
    ]);
  }

  #start(): JsonObject[] {
    if (this.#started) return [];
    this.#started = true;
    const response = this.#response('in_progress');
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  }

  #say(kind: ItemKind, text: string | undefined): JsonObject[] {
    if (!text) return [];
    const events = this.#open?.kind === kind ? [] : this.#close();
    if (!this.#open) {
      this.#open = this.#begun(kind);
      events.push(...this.#open.begin());
    }
    return [...events, ...this.#open.say(text)];
  }

  #call(fragment: JsonObject): JsonObject[] {
    const call = this.#callOf(fragment);
    const custom = objectOf(fragment.custom);
    const named = custom ?? objectOf(fragment.function) ?? {};
    const text = textOf(named.input) ?? textOf(named.arguments) ?? '';
    if (call.item) {
      refuseLate(fragment, call.members);
      return call.item.say(text);
    }
    call.members = vendorMembers(fragment);
    const events = this.#close();
    const call_id = idCarrying(textOf(fragment.id) || `call_${this.#id}_${this.#items.length}`, fragment);
    const own = this.#ownName(textOf(named.name) ?? '');
    call.item = this.#begun(custom ? kinds.custom : kinds.function, { call_id, ...own });
    this.#calls.push(call.item);
    return [...events, ...call.item.begin(), ...call.item.say(text)];
  }

  #begun(kind: ItemKind, call?: JsonObject): OutputItem {
    const item = new OutputItem(kind, this.#id, this.#items.length, call);
    this.#items.push(item);
    return item;
  }

  #close(cut = false): JsonObject[] {
    const events = this.#open?.end(cut) ?? [];
    this.#open = undefined;
    return events;
  }

  #numbered(events: JsonObject[]): JsonObject[] {
    return events.map((event) => ({ ...event, sequence_number: this.#sequence++ }));
  }

  #response(status: string): JsonObject {
    const { instructions, max_output_tokens, metadata, parallel_tool_calls, reasoning, temperature } = this.#request;
    const { text, tool_choice, tools, top_p, user, model, previous_response_id } = this.#request;
    const over = status !== 'in_progress';
    return {
      id: `resp_${this.#id}`,
      object: 'response',
      created_at: this.#context.createdAt,
      status,
      error: null,
      incomplete_details: null,
      instructions: instructions ?? null,
      max_output_tokens: max_output_tokens ?? null,
      metadata: metadata ?? {},
      model: this.#model || (textOf(model) ?? ''),
      output: over ? this.#items.map((item) => item.whole()) : [],
      parallel_tool_calls: parallel_tool_calls ?? true,
      previous_response_id: previous_response_id ?? null,
      reasoning: reasoning ?? { effort: null, summary: null },
      store: this.#context.stored?.() ?? false,
      temperature: temperature ?? null,
      text: text ?? { format: { type: 'text' } },
      tool_choice: tool_choice ?? 'auto',
      tools: tools ?? [],
      top_p: top_p ?? null,
      truncation: 'disabled',
      usage: over ? responsesUsage(this.#usage) : null,
      user: user ?? null,
    };
  }
}

function responsesUsage(usage: JsonObject | undefined): JsonObject | null {
  if (!usage) return null;
  const input = countOf(usage.prompt_tokens) ?? 0;
  const output = countOf(usage.completion_tokens) ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: countOf(objectOf(usage.prompt_tokens_details)?.cached_tokens) ?? 0 },
    output_tokens: output,
    output_tokens_details: {
      reasoning_tokens: countOf(objectOf(usage.completion_tokens_details)?.reasoning_tokens) ?? 0,
    },
    total_tokens: countOf(usage.total_tokens) ?? input + output,
  };
}
