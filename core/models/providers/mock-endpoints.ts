/** The built-in provider's answers on endpoints other than chat. The same request always gets the same answer. */

import type { EndpointName } from '#core/contracts/chat.ts';
import { asText } from '#core/kernel/as-text.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

interface MockRequest {
  readonly body: JsonObject;
  readonly model: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
}

const tokensOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
const inputTexts = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((text) =>
    typeof text === 'string' ? text : JSON.stringify(text),
  );

/** Image of a single grey pixel, as PNG. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkaAAAAIYAgtXh1zcAAAAASUVORK5CYII=';

/** Returns one second of silence as WAV: 8,000 samples of 8 bits each. */
function silence(): Buffer {
  const samples = 8000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // one channel
  head.writeUInt32LE(samples, 24);
  head.writeUInt32LE(samples, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

export function mockAnswer(endpoint: EndpointName, { body, model, created }: MockRequest): JsonObject {
  switch (endpoint) {
    case 'embeddings': {
      const texts = inputTexts(body.input);
      const tokens = tokensOf(texts);
      const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, body) }));
      return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
    }
    case 'completions': {
      const replies = inputTexts(body.prompt).map((prompt) => `Mock reply to: ${prompt}`);
      const [prompt_tokens, completion_tokens] = [tokensOf(inputTexts(body.prompt)), tokensOf(replies)];
      const choices = replies.map((text, index) => ({ text, index, logprobs: null, finish_reason: 'stop' }));
      const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
      return { id: `cmpl-${digestOf(body).slice(0, 24)}`, object: 'text_completion', created, model, choices, usage };
    }
    case 'moderations': {
      const results = inputTexts(body.input).map(() => ({ flagged: false, categories: {}, category_scores: {} }));
      return { id: `modr-${digestOf(body).slice(0, 24)}`, model, results };
    }
    case 'images.generations':
    case 'images.edits': {
      const count = typeof body.n === 'number' ? Math.min(body.n, 10) : 1;
      return { created, data: Array.from({ length: count }, () => ({ b64_json: picture })) };
    }
    case 'audio.transcriptions':
    case 'audio.translations':
      return { text: `Mock transcript of ${asText((body.file as JsonObject | undefined)?.filename ?? 'nothing')}` };
    case 'audio.speech':
      return { media_type: 'audio/wav', base64: silence().toString('base64') };
  }
}

const maxDimensions = 4096;

/**
 * Returns a text's vector, which has length 1 and is always the same for the same text. It consists of numbers, or of
 * base64 of 32-bit floats, which OpenAI's client requests. Each digest provides eight numbers, so longer vectors use
 * more digests.
 */
function vectorOf(text: string, { encoding_format, dimensions }: JsonObject): Json {
  const size = typeof dimensions === 'number' ? Math.min(dimensions, maxDimensions) : 8;
  const digests = Array.from({ length: Math.ceil(size / 8) }, (_, block) =>
    digestOf(block === 0 ? { text } : { text, block }),
  );
  const bytes = Buffer.from(digests.join(''), 'hex');
  const parts = Array.from({ length: size }, (_, at) => bytes.readInt32LE(at * 4) / 2 ** 31);
  const length = Math.hypot(...parts) || 1;
  const vector = parts.map((part) => part / length);
  return encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
}
