/**
 * Ollama: translates its own `/api/chat`, which sends one JSON document per line, into OpenAI's format. A base URL that
 * ends in `/v1` is its OpenAI-compatible API.
 */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';
import type { Frame } from './lines.ts';
import { ollamaBody, ollamaLeftOut } from './ollama-request.ts';
import { openaiWire } from './openai.ts';
import { BadReply, defined, parseObject, refuseError } from './reply.ts';
import type { FrameReader, Wire } from './wire.ts';

const defaultBaseUrl = 'http://127.0.0.1:11434';

export const ollamaWire = ({ base_url }: Pick<ProviderEntry, 'base_url'>): Wire =>
  /\/v1\/*$/.test(base_url ?? '') ? openaiWire : nativeWire;

const nativeWire: Wire = {
  dialect: 'openai',
  defaultBaseUrl,
  frames: 'lines',
  path: () => '/api/chat',
  headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: ollamaBody,
  leftOut: ollamaLeftOut,
  reply: completionOf,
  stream: ({ body }) => new LineReader(wantsUsage(body)),
};

function wantsUsage({ stream_options }: JsonObject): boolean {
  return isObject(stream_options) && stream_options.include_usage === true;
}

function completionOf(body: JsonObject): JsonObject {
  const message = messageOf(body);
  const id = replyId(body);
  const calls = toolCalls(message, id, 0);
  const { thinking, images } = message;
  const reply = defined({
    role: 'assistant',
    content: textOf(message.content) ?? '',
    reasoning_content: textOf(thinking) || undefined,
    images,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
  return {
    ...replyHead(body, id, 'chat.completion'),
    choices: [{ index: 0, message: reply, finish_reason: finishOf(body, calls.length > 0) }],
    usage: openaiUsage(body),
  };
}

class LineReader implements FrameReader {
  ended = false;
  readonly complete = false;
  readonly #usage: boolean;
  #id: string | undefined;
  #calls = 0;

  constructor(usage: boolean) {
    this.#usage = usage;
  }

  read({ data }: Frame): readonly JsonObject[] {
    const line = parseObject(data);
    const message = messageOf(line);
    const opens = this.#id === undefined;
    this.#id ??= replyId(line);
    const calls = toolCalls(message, this.#id, this.#calls).map((call, at) => ({ index: this.#calls + at, ...call }));
    this.#calls += calls.length;
    const delta = defined({
      role: opens ? 'assistant' : undefined,
      content: textOf(message.content) || (opens ? '' : undefined),
      reasoning_content: textOf(message.thinking) || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    });
    const begin = replyHead(line, this.#id, 'chat.completion.chunk');
    const chunk = (finish_reason: string | null) => ({ ...begin, choices: [{ index: 0, delta, finish_reason }] });
    if (line.done !== true) return Object.keys(delta).length === 0 ? [] : [chunk(null)];
    this.ended = true;
    const last = chunk(finishOf(line, this.#calls > 0));
    return this.#usage ? [last, { ...begin, choices: [], usage: openaiUsage(line) }] : [last];
  }
}

function messageOf(body: JsonObject): JsonObject {
  refuseError(body);
  if (!isObject(body.message)) throw new BadReply('it has no message');
  return body.message;
}

/** Returns a reply id. Ollama does not send one, but its timestamp has nanosecond precision. */
const replyId = ({ created_at, model, message }: JsonObject) =>
  sha256(JSON.stringify([created_at ?? null, model ?? null, message ?? null])).slice(0, 24);

const replyHead = ({ created_at, model }: JsonObject, id: string, object: string): JsonObject => {
  const createdMs = Date.parse(textOf(created_at) ?? '');
  return {
    id: `chatcmpl-${id}`,
    object,
    created: Number.isNaN(createdMs) ? 0 : Math.floor(createdMs / 1000),
    model: textOf(model) ?? '',
  };
};

const toolCalls = (message: JsonObject, id: string, from: number): JsonObject[] =>
  objectsOf(message.tool_calls).map((call, at) => {
    const { name, arguments: given } = isObject(call.function) ? call.function : {};
    return {
      id: textOf(call.id) || `call_${id}_${from + at}`,
      type: 'function',
      function: {
        name: textOf(name) ?? '',
        arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
      },
    };
  });

/** Returns the finish reason. Older servers do not send one, and an unknown reason never counts as a normal end. */
function finishOf({ done_reason }: JsonObject, called: boolean): string {
  if (done_reason !== undefined && done_reason !== 'stop') return 'length';
  return called ? 'tool_calls' : 'stop';
}

/** Returns the usage. Ollama does not count a cached prompt; the prompt count is then left out. */
function openaiUsage({ prompt_eval_count, eval_count }: JsonObject): JsonObject {
  const [prompt, completion] = [countOf(prompt_eval_count), countOf(eval_count)];
  return defined({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt === undefined || completion === undefined ? undefined : prompt + completion,
  });
}
