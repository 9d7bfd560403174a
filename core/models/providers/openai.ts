/** OpenAI chat completions, and the many servers that offer the same API. Unknown fields pass through. */

import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { embeddingRows, isEmbeddings } from '#core/models/dialects/embedding-vectors.ts';
import type { Frame } from './lines.ts';
import type { ProviderCall } from './ports.ts';
import { BadReply, parseObject, refuseError } from './reply.ts';
import { completeChunks, completeReply, readsFunctionCall } from './tool-calls.ts';
import type { FrameReader, Wire } from './wire.ts';

export const openaiWire: Wire = {
  dialect: 'openai',
  defaultBaseUrl: 'https://api.openai.com/v1',
  frames: 'sse',
  path: () => '/chat/completions',
  headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: openaiBody,

  reply(body, call) {
    refuseError(body);
    if (objectsOf(body.choices).length === 0) throw new BadReply('it has no choices');
    return completeReply(body, readsFunctionCall(call.body));
  },

  stream: ({ body }) => new ChunkReader(countOf(body.n) ?? 1, readsFunctionCall(body)),
  files: true,
  responses: async () => (await import('./responses-wire.ts')).responsesWire,

  embeddings: {
    path: '/embeddings',
    body: (model, texts) => ({ model, input: [...texts], encoding_format: 'float' }),
    vectors: embeddingsOf,
  },
};

/** Returns the caller's body with the model and streaming option that the gateway selected. */
function openaiBody({ model, body, stream }: ProviderCall): JsonObject {
  if (stream) return { ...body, model, stream: true };
  const { stream: _stream, stream_options: _options, ...rest } = body;
  return { ...rest, model };
}

class ChunkReader implements FrameReader {
  ended = false;
  readonly #choices: number;
  readonly #finished = new Set<number>();
  readonly #complete: ReturnType<typeof completeChunks>;

  /**
   * @param choices number of choices that the request specifies.
   * @param older whether the caller reads `function_call`.
   */
  constructor(choices: number, older: boolean) {
    this.#choices = choices;
    this.#complete = completeChunks(older);
  }

  /**
   * True if the stream may end. Some servers never send `[DONE]`; the finish reason of the last choice then ends the
   * stream.
   */
  get complete(): boolean {
    return this.#finished.size >= this.#choices;
  }

  read({ data, event }: Frame): readonly JsonObject[] {
    if (event === 'ping') return [];
    if (data === '[DONE]') {
      this.ended = true;
      return [];
    }
    const sent = parseObject(data);
    refuseError(sent);
    const chunk = this.#complete(withChoices(sent));
    for (const { index, finish_reason } of objectsOf(chunk.choices))
      if (typeof finish_reason === 'string') this.#finished.add(countOf(index) ?? 0);
    return [chunk];
  }
}

/**
 * Returns the chunk with the members that clients read without a check: `choices` in a chunk of usage, and the `index`
 * and `delta` of each choice. Some servers omit them, or send an empty role, which strict clients refuse.
 */
function withChoices(chunk: JsonObject): JsonObject {
  const { choices, usage } = chunk;
  if (!Array.isArray(choices)) return isObject(usage) ? { ...chunk, choices: [] } : chunk;
  if (!objectsOf(choices).some(isPartial)) return chunk;
  return { ...chunk, choices: objectsOf(choices).map(wholeChoice) };
}

const isPartial = ({ index, delta }: JsonObject): boolean =>
  typeof index !== 'number' || !isObject(delta) || delta.role === '';

function wholeChoice(choice: JsonObject, position: number): JsonObject {
  const { role, ...delta } = objectOf(choice.delta) ?? {};
  const named = role === undefined || role === '' ? delta : { role, ...delta };
  return { ...choice, index: countOf(choice.index) ?? position, delta: named };
}

function embeddingsOf(body: JsonObject, count: number): number[][] {
  refuseError(body);
  if (!isEmbeddings(body, { input: Array.from({ length: count }, () => '') }))
    throw new BadReply(`it does not contain ${count} embeddings of equal length`);
  return embeddingRows(body, 'float').map(({ embedding }) => embedding as number[]);
}
