/** OpenAI chat completions, and the many servers that speak them. Fields it does not know pass through. */
import { objectsOf } from '#core/dialects/wire.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { FrameReader, Wire } from './http-provider.ts';
import type { Frame } from './lines.ts';
import type { ProviderCall } from './ports.ts';
import { BadReply, parseObject, refuseError } from './reply.ts';

export const openaiWire: Wire = {
  dialect: 'openai',
  defaultBaseUrl: 'https://api.openai.com/v1',
  frames: 'sse',
  path: () => '/chat/completions',
  headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: openaiBody,

  reply(body) {
    refuseError(body);
    if (objectsOf(body.choices).length === 0) throw new BadReply('it has no choices');
    return body;
  },

  stream: () => new ChunkReader(),
  files: true,
  responses: async () => (await import('./responses-wire.ts')).responsesWire,

  embeddings: {
    path: '/embeddings',
    body: (model, texts) => ({ model, input: [...texts], encoding_format: 'float' }),
    vectors: embeddingsOf,
  },
};

/** The caller's body with our decision on model and streaming. */
function openaiBody({ model, body, stream }: ProviderCall): JsonObject {
  if (stream) return { ...body, model, stream: true };
  const { stream: _stream, stream_options: _options, ...rest } = body;
  return { ...rest, model };
}

class ChunkReader implements FrameReader {
  ended = false;
  /** Some servers never send `[DONE]`: then a finish reason is the last word. */
  complete = false;

  read({ data }: Frame): readonly JsonObject[] {
    if (data === '[DONE]') {
      this.ended = true;
      return [];
    }
    const chunk = parseObject(data);
    refuseError(chunk);
    const choices = objectsOf(chunk.choices);
    if (choices.some(({ finish_reason }) => typeof finish_reason === 'string')) this.complete = true;
    return [chunk];
  }
}

function embeddingsOf(body: JsonObject, count: number): number[][] {
  refuseError(body);
  const rows = objectsOf(body.data).sort((a, b) => Number(a.index) - Number(b.index));
  const vectors = rows.map(({ embedding }) => (Array.isArray(embedding) ? embedding : []));
  const sound = vectors.every((vector) => vector.length > 0 && vector.every((part) => Number.isFinite(part)));
  if (vectors.length !== count || !sound) throw new BadReply(`it holds no ${count} embeddings`);
  return vectors as number[][];
}
