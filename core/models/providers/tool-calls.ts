/**
 * Completes tool calls in replies from servers with OpenAI's API. Many servers omit `index`, `id` or `type`, repeat
 * them in every fragment of a stream, number calls from 1, send arguments as an object, or answer with the older
 * `function_call`. Clients, filters and tool call checks would then lose or merge calls, so each call is completed once,
 * before any code reads it [chat.completions].
 */
import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { toolFragments } from '#core/models/dialects/tool-fragments.ts';
import { isJson, jsonText } from '#core/models/dialects/wire.ts';

/** Checks whether a request offers `functions`, in which case its caller reads `function_call`. */
export const readsFunctionCall = ({ functions }: JsonObject): boolean => objectsOf(functions).length > 0;

/**
 * Returns a complete reply in which each tool call has a unique id, a type, and arguments as JSON text.
 * @param older true to leave `function_call` unchanged.
 */
export function completeReply(reply: JsonObject, older = false): JsonObject {
  if (!objectsOf(reply.choices).some(({ message }) => hasCalls(objectOf(message)))) return reply;
  const choices = objectsOf(reply.choices).map((given) => {
    const choice = older ? given : withToolCalls(given, 'message');
    const message = objectOf(choice.message);
    if (!Array.isArray(message?.tool_calls)) return choice;
    const ids = new Set<string>();
    const tool_calls = objectsOf(message.tool_calls).map((call) => {
      const id = textOf(call.id);
      const own = id && !ids.has(id) ? id : freshId();
      ids.add(own);
      const named = objectOf(call.function);
      const args = named && (jsonText(named.arguments) || '{}');
      return {
        ...call,
        id: own,
        type: call.type ?? typeOf(call),
        ...(named && { function: { ...named, arguments: args! } }),
      };
    });
    return { ...choice, message: { ...message, tool_calls } };
  });
  return { ...reply, choices };
}

interface StreamedCall {
  readonly index: number;
  begun: boolean;
  named: boolean;
  text: string;
}

const hasCalls = (message: JsonObject | undefined): boolean => Boolean(message?.tool_calls || message?.function_call);

/** Returns the choice with its `function_call` as a tool call, and the finish reason that belongs to it. */
function withToolCalls(choice: JsonObject, member: 'message' | 'delta'): JsonObject {
  const ended = choice.finish_reason === 'function_call' ? { ...choice, finish_reason: 'tool_calls' } : choice;
  const { function_call, ...rest } = objectOf(choice[member]) ?? {};
  if (!isObject(function_call) || objectsOf(rest.tool_calls).length > 0) return ended;
  return { ...ended, [member]: { ...rest, tool_calls: [{ function: function_call }] } };
}

/**
 * Returns a function that completes the tool calls in the chunks of one stream.
 * @param older true to leave `function_call` unchanged.
 */
export function completeChunks(older = false): (chunk: JsonObject) => JsonObject {
  const choicesSeen = new Map<number, ReturnType<typeof completeFragments>>();

  return (chunk) => {
    const changes = ({ delta, finish_reason }: JsonObject) =>
      hasCalls(objectOf(delta)) || finish_reason === '' || ordinaryEnds.has(finish_reason ?? null);
    if (!objectsOf(chunk.choices).some(changes)) return chunk;
    const choices = objectsOf(chunk.choices).map((sent, position) => {
      // Some servers send an empty reason with every chunk, which is not an end.
      const given = sent.finish_reason === '' ? { ...sent, finish_reason: null } : sent;
      const choice = older ? given : withToolCalls(given, 'delta');
      const delta = objectOf(choice.delta);
      const at = countOf(choice.index) ?? position;
      const seen = choicesSeen.get(at) ?? completeFragments();
      choicesSeen.set(at, seen);
      const tool_calls = seen.next(objectsOf(delta?.tool_calls));
      if (ordinaryEnds.has(choice.finish_reason ?? null)) tool_calls.push(...seen.end());
      return tool_calls.length > 0 ? { ...choice, delta: { ...delta, tool_calls } } : choice;
    });
    return { ...chunk, choices };
  };
}

/** Finish reasons after which calls are complete, so that missing arguments mean an empty object. */
const ordinaryEnds: ReadonlySet<Json> = new Set(['stop', 'tool_calls', 'function_call']);

/** Returns functions that complete the fragments of one choice, chunk by chunk, and then its calls without arguments. */
function completeFragments() {
  const calls: StreamedCall[] = [];
  let last: StreamedCall | undefined;
  const callOf = toolFragments<StreamedCall>(() => {
    const call = { index: calls.length, begun: false, named: false, text: '' };
    calls.push(call);
    return call;
  });

  /**
   * Checks whether a fragment without index and id begins a call: it follows another fragment, or the last call is
   * complete.
   */
  const begins = ({ index, id, function: named }: JsonObject, position: number): boolean =>
    countOf(index) === undefined &&
    !id &&
    (position > 0 || (last !== undefined && !!objectOf(named)?.name && isJson(last.text)));

  return {
    next: (fragments: readonly JsonObject[]): JsonObject[] =>
      fragments.map((fragment, position) => {
        const known = begins(fragment, position) ? { ...fragment, id: freshId() } : fragment;
        last = callOf(known);
        return completeFragment(known, last);
      }),
    end: (): JsonObject[] =>
      calls
        .filter(({ named, text }) => named && text.trim() === '')
        .map((call) => {
          call.text = '{}';
          return { index: call.index, function: { arguments: call.text } };
        }),
  };
}

/**
 * Keeps the id and type only in a call's first fragment, and the name only in the first fragment that has one, because
 * clients concatenate strings.
 */
function completeFragment({ index: _, id, type, ...rest }: JsonObject, call: StreamedCall): JsonObject {
  const head = call.begun ? {} : { id: textOf(id) || freshId(), type: type ?? typeOf(rest) };
  call.begun = true;
  const named = objectOf(rest.function);
  if (!named) return { index: call.index, ...head, ...rest };
  const { name, arguments: args, ...others } = named;
  const kept = call.named ? undefined : textOf(name) || undefined;
  call.named ||= kept !== undefined;
  const text = args === undefined ? undefined : jsonText(args);
  call.text += text ?? '';
  return {
    index: call.index,
    ...head,
    ...rest,
    function: { ...others, ...(kept && { name: kept }), ...(text !== undefined && { arguments: text }) },
  };
}

const typeOf = (call: JsonObject): string => (call.custom === undefined ? 'function' : 'custom');

const freshId = (): string => `call_${randomUUID()}`;
