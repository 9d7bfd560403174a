/** Translates a chat request in OpenAI's format for Ollama's `/api/chat`. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import {
  askedOfOpenai,
  assertRole,
  cannotCarry,
  crossing,
  hintsOfOpenai,
  leftOut,
  type Members,
  membersNamed,
  type Note,
  neutralValues,
  noteCall,
  noteFormat,
  notePart,
  noteRest,
  noteStreamOptions,
  rolesOfOpenai,
  translated,
} from '#core/models/dialects/translate/members.ts';
import { chosenTools } from '#core/models/dialects/translate/to-anthropic-request.ts';
import { argumentsOf } from '#core/models/dialects/wire.ts';
import type { ProviderCall } from './ports.ts';
import { asUnfitRequest, defined } from './reply.ts';

/** OpenAI members that Ollama expects in `options`. */
const optionNames = ['temperature', 'top_p', 'seed', 'frequency_penalty', 'presence_penalty'] as const;

/**
 * Rules for OpenAI members. Ollama silently ignores unknown names, so each member is translated, refused, or left out
 * and listed by name [chat.translated-members].
 */
export const membersToOllama: Members = {
  ...hintsOfOpenai,
  ...askedOfOpenai,
  ...membersNamed([...optionNames, 'stop', 'max_tokens', 'max_completion_tokens', 'response_format'], translated),
  ...membersNamed(['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice'], translated),
  ...membersNamed(['user', 'safety_identifier', 'function_call'], leftOut),
  parallel_tool_calls: { ...leftOut, ...neutralValues(true) },
};

/** Translates the body. Members that neither side knows pass through. @throws UnfitRequest */
export function ollamaBody(call: ProviderCall): JsonObject {
  try {
    return requestBody(call);
  } catch (thrown) {
    throw asUnfitRequest(thrown);
  }
}

function requestBody({ model, body, stream }: ProviderCall): JsonObject {
  const rest = crossing(body, membersToOllama, () => {});
  const offered = offeredTools(body);
  const format = formatOf(body.response_format);
  return {
    ...rest,
    model,
    stream,
    messages: messagesOf(objectsOf(body.messages)),
    options: optionsOf(body),
    ...(offered !== undefined && { tools: offered }),
    ...(format !== undefined && { format }),
  };
}

/** Returns the members left out for Ollama. For a body that is refused, returns those found before the refusal. */
export function ollamaLeftOut(body: JsonObject): string[] {
  const names: string[] = [];
  try {
    crossing(body, membersToOllama, (name) => names.push(name));
  } catch {
    // `ollamaBody` reports the reason for the refusal.
  }
  if (!isKept(body.tool_choice)) names.push('tool_choice');
  notePartsLeftOut(body, (name) => void (names.includes(name) || names.push(name)));
  return names;
}

const messageMembers = ['role', 'content', 'refusal', 'tool_calls', 'tool_call_id', 'function_call', 'audio'];

function notePartsLeftOut({ messages, response_format, stream_options }: JsonObject, note: Note): void {
  noteStreamOptions(objectOf(stream_options), note);
  noteFormat(objectOf(response_format), note);
  for (const message of objectsOf(messages)) {
    const named = message.role === 'function' ? ['name'] : [];
    noteRest(message, [...messageMembers, ...named], 'messages', note);
    for (const part of objectsOf(message.content)) notePart(part, [], note);
    for (const call of objectsOf(message.tool_calls)) noteCall(call, note);
  }
}

const isKept = (choice: Json | undefined): boolean =>
  choice === undefined || choice === null || choice === 'auto' || choice === 'none';

/**
 * Returns the offered tools. With Ollama, the model chooses among them, so only choices that narrow the list can be
 * expressed.
 */
function offeredTools({ tools, tool_choice }: JsonObject): Json | undefined {
  for (const [at, { type, function: named }] of objectsOf(tools).entries())
    if (type !== 'function' || !isObject(named)) throw cannotCarry(`tools[${at}]`, 'functions');
  if (tool_choice === 'none') return undefined;
  const names = namesChosen(tool_choice);
  if (names === undefined) return tools ?? undefined;
  return objectsOf(tools).filter((tool) => names.includes(objectOf(tool.function)?.name));
}

/** Returns the names of the tools to which a choice narrows the list, or undefined if it does not narrow it. */
function namesChosen(choice: Json | undefined): readonly unknown[] | undefined {
  const name = objectOf(objectOf(choice)?.function)?.name;
  return name === undefined ? chosenTools(choice) : [name];
}

function optionsOf(body: JsonObject): JsonObject {
  const { stop, max_completion_tokens, max_tokens, options } = body;
  return {
    ...(isObject(options) && options),
    ...defined({
      ...Object.fromEntries(optionNames.map((name) => [name, body[name] ?? undefined])),
      stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
      num_predict: max_completion_tokens ?? max_tokens ?? undefined,
    }),
  };
}

function formatOf(format: Json | undefined): Json | undefined {
  if (!isObject(format) || format.type === 'text') return undefined;
  if (format.type === 'json_object') return 'json';
  const schema = objectOf(objectOf(format.json_schema)?.schema);
  if (format.type === 'json_schema' && schema) return schema;
  throw cannotCarry('response_format', 'text, json_object, json_schema with a schema', format.type ?? null);
}

function messagesOf(messages: readonly JsonObject[]): JsonObject[] {
  const toolNames = new Map<string, string>();
  return messages.map((message, at) => {
    assertRole(message, `messages[${at}]`, roles);
    if (isObject(message.audio)) throw cannotCarry(`messages[${at}].audio`, 'content');
    const old = objectOf(message.function_call);
    const made = [...objectsOf(message.tool_calls), ...(old ? [{ function: old }] : [])];
    const calls = made.map((call: JsonObject) => {
      const named = objectOf(call.function) ?? objectOf(call.custom) ?? {};
      const name = named.name;
      const given = named.arguments ?? named.input;
      toolNames.set(textOf(call.id) ?? '', textOf(name) ?? '');
      // Ollama expects an object, OpenAI a string.
      return {
        function: { name: name ?? '', arguments: typeof given === 'string' ? argumentsOf(given) : (given ?? {}) },
      };
    });
    const { content, images } = messageContent(message.content, `messages[${at}].content`);
    const { role } = message;
    return defined({
      role: role === 'developer' ? 'system' : role === 'function' ? 'tool' : role,
      content: content + (textOf(message.refusal) ?? ''),
      images: images.length > 0 ? images : undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
      tool_name:
        role === 'tool'
          ? toolNames.get(textOf(message.tool_call_id) ?? '')
          : role === 'function'
            ? textOf(message.name)
            : undefined,
    });
  });
}

/**
 * Roles for Ollama. A message with role `control` makes Granite models start thinking; templates drop messages with
 * unknown roles.
 */
const roles = [...rolesOfOpenai, 'control'];

function messageContent(content: Json | undefined, path: string): { content: string; images: string[] } {
  if (typeof content === 'string') return { content, images: [] };
  const parts = objectsOf(content);
  for (const [at, { type }] of parts.entries())
    if (type !== 'text' && type !== 'image_url' && type !== 'refusal')
      throw cannotCarry(`${path}[${at}]`, 'parts of type text and image_url', type ?? null);
  const images = parts.flatMap(({ type, image_url }, at) => {
    if (type !== 'image_url') return [];
    const url = textOf(isObject(image_url) ? image_url.url : image_url);
    // Ollama does not fetch URLs, and the gateway must not be made to fetch them.
    const data = /^data:image\/[^;,]+;base64,(.+)$/s.exec(url ?? '')?.[1];
    if (data === undefined) throw cannotCarry(`${path}[${at}].image_url.url`, 'data:image/…;base64 URLs');
    return [data];
  });
  return { content: parts.map(({ text, refusal }) => textOf(text) ?? textOf(refusal) ?? '').join(''), images };
}
