/** A chat request in OpenAI's form as Ollama's `/api/chat` takes it. */
import {
  askedOfOpenai,
  cannotCarry,
  crossing,
  each,
  hintsOfOpenai,
  leftOut,
  type Members,
  type Note,
  translated,
  unless,
} from '#core/dialects/translate/members.ts';
import { chosenTools } from '#core/dialects/translate/to-anthropic-request.ts';
import { argumentsOf, isObject, objectOf, objectsOf, textOf } from '#core/dialects/wire.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { ProviderCall } from './ports.ts';
import { defined, UnfitRequest, unfit } from './reply.ts';

/** Names of OpenAI's that Ollama keeps among `options`. */
const optionNames = ['temperature', 'top_p', 'seed', 'frequency_penalty', 'presence_penalty'] as const;

/**
 * What becomes of OpenAI's members: Ollama passes over the names it does not know without a word, so each is read, refused or
 * left out by name [chat.translated-members].
 */
export const membersToOllama: Members = {
  ...hintsOfOpenai,
  ...askedOfOpenai,
  ...each([...optionNames, 'stop', 'max_tokens', 'max_completion_tokens', 'response_format'], translated),
  ...each(['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice'], translated),
  ...each(['user', 'safety_identifier', 'function_call'], leftOut),
  parallel_tool_calls: { ...leftOut, ...unless(true) },
};

/** What neither side knows passes through. @throws UnfitRequest */
export function ollamaBody({ model, body, stream }: ProviderCall): JsonObject {
  const rest = crossed(body, () => {});
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

/** What Ollama does without; of a body that does not fit, what was found before its refusal. */
export function ollamaLeftOut(body: JsonObject): string[] {
  const names: string[] = [];
  try {
    crossing(body, membersToOllama, (name) => names.push(name));
  } catch {
    // `ollamaBody` says why.
  }
  if (!isKept(body.tool_choice)) names.push('tool_choice');
  return names;
}

const isKept = (choice: Json | undefined): boolean =>
  choice === undefined || choice === null || choice === 'auto' || choice === 'none';

function crossed(body: JsonObject, note: Note): JsonObject {
  try {
    return crossing(body, membersToOllama, note);
  } catch (thrown) {
    throw unfit(thrown);
  }
}

/** Ollama lets the model choose among the tools it is given: of a choice of the caller only what narrows them can be kept. */
function offeredTools({ tools, tool_choice }: JsonObject): Json | undefined {
  if (tool_choice === 'none') return undefined;
  const names = namesChosen(tool_choice);
  if (names === undefined) return tools ?? undefined;
  return objectsOf(tools).filter((tool) => names.includes(objectOf(tool.function)?.name));
}

/** Names of the tools to which a choice narrows the offer; undefined if it narrows nothing. */
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
  if (!isObject(format)) return undefined;
  if (format.type === 'json_object') return 'json';
  return isObject(format.json_schema) ? format.json_schema.schema : undefined;
}

function messagesOf(messages: readonly JsonObject[]): JsonObject[] {
  const toolNames = new Map<string, string>();
  return messages.map((message, at) => {
    const calls = objectsOf(message.tool_calls).map((call) => {
      const { name, arguments: given } = isObject(call.function) ? call.function : {};
      toolNames.set(textOf(call.id) ?? '', textOf(name) ?? '');
      // Ollama wants an object where OpenAI has text.
      return {
        function: { name: name ?? '', arguments: typeof given === 'string' ? argumentsOf(given) : (given ?? {}) },
      };
    });
    const { content, images } = contentOf(message.content, `messages[${at}].content`);
    const { role } = message;
    return defined({
      role: role === 'developer' ? 'system' : role,
      content,
      images: images.length > 0 ? images : undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
      tool_name: role === 'tool' ? toolNames.get(textOf(message.tool_call_id) ?? '') : undefined,
    });
  });
}

function contentOf(content: Json | undefined, path: string): { content: string; images: string[] } {
  if (typeof content === 'string') return { content, images: [] };
  const parts = objectsOf(content);
  for (const [at, { type }] of parts.entries())
    if (type !== 'text' && type !== 'image_url' && type !== 'refusal')
      throw unfit(cannotCarry(`${path}[${at}]`, 'parts of type text and image_url', type ?? null));
  const images = parts.flatMap(({ image_url }) => {
    const url = textOf(isObject(image_url) ? image_url.url : image_url);
    if (url === undefined) return [];
    // Ollama fetches nothing, and the gateway must not be made to.
    const data = /^data:image\/[^;,]+;base64,(.+)$/s.exec(url)?.[1];
    if (data === undefined) throw new UnfitRequest('This model takes images as data:image/…;base64 URLs only.');
    return [data];
  });
  return { content: parts.map(({ text, refusal }) => textOf(text) ?? textOf(refusal) ?? '').join(''), images };
}
