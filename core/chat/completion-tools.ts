/**
 * Evaluates tool calls in chat completions the same way as those in messages replies: on `/v1/responses`, whose
 * requests run as chat completions [chat.tool-use], and on governed chat completions [chat.tool-use].
 */

import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { toolFragments } from '#core/models/dialects/tool-fragments.ts';
import { contentText, jsonText } from '#core/models/dialects/wire.ts';
import type { ChatCall } from './call.ts';
import type { ChatPorts } from './ports.ts';
import { decideCallText, endedWithinCall, isToolUse, isUndecidable } from './tool-use.ts';

/** Makes decisions on the tool calls of a complete chat completion, in order. */
export async function governCompletion(ports: ChatPorts, call: ChatCall, reply: JsonObject): Promise<JsonObject> {
  const choices: JsonObject[] = [];
  for (const choice of objectsOf(reply.choices)) {
    const { tool_calls, ...spoken } = objectOf(choice.message) ?? {};
    const message = withoutCalls(spoken);
    const { allowed, said } = await decideCalls(ports, call, objectsOf(tool_calls));
    const content = [contentText(message.content), ...said].filter(Boolean).join('\n\n');
    choices.push({
      ...withoutCalls(choice),
      message: {
        ...message,
        ...(said.length > 0 && { content }),
        ...(allowed.length > 0 && { tool_calls: allowed }),
      },
      ...(allowed.length === 0 && choice.finish_reason === 'tool_calls' && { finish_reason: 'stop' }),
    });
  }
  return { ...reply, choices };
}

/** Gate for streams: holds tool calls until their choice has finished, then makes decisions on them. */
export class CompletionToolGate {
  readonly #ports: ChatPorts;
  readonly #call: ChatCall;
  readonly #held = new Map<number, HeldCall>();

  constructor(ports: ChatPorts, call: ChatCall) {
    this.#ports = ports;
    this.#call = call;
  }

  async pass(event: JsonObject): Promise<JsonObject[]> {
    const before: JsonObject[] = [];
    const choices: JsonObject[] = [];
    for (const [position, choice] of objectsOf(event.choices).entries()) {
      const index = countOf(choice.index) ?? position;
      const { tool_calls, ...spokenPart } = objectOf(choice.delta) ?? {};
      const delta = withoutCalls(spokenPart);
      const rest = withoutCalls(choice);
      const held = this.#held.get(index) ?? new HeldCall();
      this.#held.set(index, held);
      for (const fragment of objectsOf(tool_calls)) held.add(fragment);
      if (typeof choice.finish_reason !== 'string') {
        choices.push({ ...rest, delta });
        continue;
      }
      this.#held.delete(index);
      const { allowed, said } = await decideCalls(this.#ports, this.#call, held.calls());
      const spoken = (more: JsonObject) => ({
        ...event,
        usage: null,
        choices: [{ index, delta: more, finish_reason: null }],
      });
      if (said.length > 0) before.push(spoken({ content: said.join('\n\n') }));
      if (allowed.length > 0) before.push(spoken({ tool_calls: allowed.map((one, at) => ({ index: at, ...one })) }));
      const ended = allowed.length === 0 && choice.finish_reason === 'tool_calls';
      choices.push({ ...rest, delta, ...(ended && { finish_reason: 'stop' }) });
    }
    return [...before, { ...event, choices }];
  }

  /**
   * Ends the stream.
   * @throws GatewayError `provider_error` for undecided calls of an unfinished choice, because they may be truncated.
   */
  end(): void {
    if ([...this.#held.values()].every((held) => held.calls().length === 0)) return;
    throw endedWithinCall();
  }
}

interface Fragments {
  call: JsonObject;
  text: string;
}

/** Assembled tool calls for one choice. */
class HeldCall {
  readonly #all: Fragments[] = [];
  readonly #of = toolFragments<Fragments>(() => {
    const begun: Fragments = { call: {}, text: '' };
    this.#all.push(begun);
    return begun;
  });

  add({ index: _, ...fragment }: JsonObject): void {
    const known = this.#of({ ...(_ !== undefined && { index: _ }), ...fragment });
    const form = fragment.custom === undefined ? 'function' : 'custom';
    const named = objectOf(fragment[form]) ?? {};
    known.text += jsonText(named.arguments ?? named.input);
    const before = objectOf(known.call[form]) ?? {};
    known.call = {
      id: textOf(known.call.id) || (textOf(fragment.id) ?? ''),
      type: form,
      [form]: { name: textOf(before.name) || (textOf(named.name) ?? '') },
      ...wantedBack(known.call),
      ...wantedBack(fragment),
    };
  }

  calls(): JsonObject[] {
    return this.#all.map(({ call, text }) => {
      const custom = objectOf(call.custom);
      if (custom) return { ...call, custom: { ...custom, input: text } };
      return { ...call, function: { ...objectOf(call.function), arguments: text } };
    });
  }
}

/** Returns the call in the form on which the decision was made, without any other member that a client might run. */
const asDecided = (call: JsonObject, form: JsonObject): JsonObject => ({
  ...(call.index !== undefined && { index: call.index }),
  id: textOf(call.id) ?? '',
  type: Object.keys(form)[0]!,
  ...form,
  ...wantedBack(call),
});

/**
 * Returns the strings that some providers require to be sent back with the call's result, in objects without calls
 * [chat.translated-members].
 */
function wantedBack(call: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name of ['extra_content', 'provider_specific_fields']) {
    const value = objectOf(call[name]);
    if (value) kept[name] = withoutCalls(value);
  }
  for (const name of ['thought_signature', 'signature']) {
    const value = textOf(call[name]);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Members of choices and messages that have structured values but are not calls. */
const knownMembers = new Set([
  ...['logprobs', 'content', 'audio', 'images', 'annotations', 'citations', 'reasoning_details', 'thinking'],
  ...['content_filter_results', 'content_filter_result', 'google'],
]);
const callMembers = new Set(['tool_calls', 'function_call']);

/** Removes undecided calls, which appear under other names or in other places [chat.tool-use]. */
function withoutCalls(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (callMembers.has(name) || (typeof item === 'object' && item !== null && !knownMembers.has(name))) return [];
      if (name !== 'content' || !Array.isArray(item)) return [[name, item]];
      return [[name, item.filter((part) => !isToolUse(part) && !isUndecidable(part))]];
    }),
  );
}

async function decideCalls(
  ports: ChatPorts,
  call: ChatCall,
  calls: readonly JsonObject[],
): Promise<{ readonly allowed: JsonObject[]; readonly said: string[] }> {
  const allowed: JsonObject[] = [];
  const said: string[] = [];
  for (const one of calls) {
    const custom = objectOf(one.custom);
    const name = textOf((custom ?? objectOf(one.function))?.name) ?? '';
    const given = jsonText(custom ? custom.input : objectOf(one.function)?.arguments);
    // A custom tool's text is its only parameter.
    const json = custom ? JSON.stringify({ input: given }) : given;
    const text = await decideCallText(ports, call, { id: textOf(one.id), name, json });
    if (text === undefined)
      allowed.push(
        asDecided(one, custom ? { custom: { name, input: given } } : { function: { name, arguments: given } }),
      );
    else said.push(text);
  }
  if (call.keep) call.keep.withheld ||= said.length > 0;
  return { allowed, said };
}
