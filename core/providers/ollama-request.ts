/** A chat request in OpenAI's form as Ollama's `/api/chat` takes it. */
import { argumentsOf, isObject, objectsOf, textOf } from '#core/dialects/wire.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { ProviderCall } from './ports.ts';
import { defined, UnfitRequest } from './reply.ts';

/** Names of OpenAI's that Ollama keeps among `options`. */
const optionNames = ['temperature', 'top_p', 'seed', 'frequency_penalty', 'presence_penalty'] as const;
/** Names without an equal there. */
const dropped = [...optionNames, 'stop', 'max_tokens', 'max_completion_tokens', 'response_format', 'stream_options'];

/** What neither side knows passes through. @throws UnfitRequest */
export function ollamaBody({ model, body, stream }: ProviderCall): JsonObject {
  if (typeof body.n === 'number' && body.n > 1)
    throw new UnfitRequest('This model gives one choice a call; send n: 1.');
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !dropped.includes(name))) as JsonObject;
  const format = formatOf(body.response_format);
  return {
    ...rest,
    model,
    stream,
    messages: messagesOf(objectsOf(body.messages)),
    options: optionsOf(body),
    ...(format !== undefined && { format }),
  };
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
  return messages.map((message) => {
    const calls = objectsOf(message.tool_calls).map((call) => {
      const { name, arguments: given } = isObject(call.function) ? call.function : {};
      toolNames.set(textOf(call.id) ?? '', textOf(name) ?? '');
      // Ollama wants an object where OpenAI has text.
      return {
        function: { name: name ?? '', arguments: typeof given === 'string' ? argumentsOf(given) : (given ?? {}) },
      };
    });
    const { content, images } = contentOf(message.content);
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

function contentOf(content: Json | undefined): { content: string; images: string[] } {
  if (typeof content === 'string') return { content, images: [] };
  const parts = objectsOf(content);
  const images = parts.flatMap(({ image_url }) => {
    const url = textOf(isObject(image_url) ? image_url.url : image_url);
    if (url === undefined) return [];
    // Ollama fetches nothing, and the gateway must not be made to.
    const data = /^data:image\/[^;,]+;base64,(.+)$/s.exec(url)?.[1];
    if (data === undefined) throw new UnfitRequest('This model takes images as data:image/…;base64 URLs only.');
    return [data];
  });
  return { content: parts.map(({ text }) => textOf(text) ?? '').join(''), images };
}
