/** Vectors in an embeddings response: numbers, or base64 of little-endian 32-bit floats, as in OpenAI's API. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, objectsOf } from '#core/kernel/narrow.ts';

const floatBytes = 4;

/**
 * Checks a response against its request: it must have one vector per text, indexes from 0 without gaps, finite numbers,
 * and the requested dimensions.
 * @param body as sent to the provider.
 */
export function isEmbeddings(reply: JsonObject, { input, dimensions }: JsonObject): boolean {
  const rows = objectsOf(reply.data);
  if (!hasEachPlace(rows, textCount(input))) return false;
  const lengths = new Set(rows.map(({ embedding }) => numbersOf(embedding)?.length));
  const [length] = lengths;
  const wanted = typeof dimensions === 'number' ? dimensions : length;
  return lengths.size === 1 && length !== undefined && length > 0 && length === wanted;
}

/** Checks that the rows contain each index below `count` exactly once. A row without an index uses its position. */
export function hasEachPlace(rows: readonly JsonObject[], count: number): boolean {
  const places = new Set(rows.map(({ index }, at) => countOf(index) ?? at));
  return rows.length === count && places.size === count && Math.max(...places) < count;
}

/**
 * Returns the number of texts. A list contains one text per entry, but a list of numbers is the tokens of a single
 * text.
 */
export const textCount = (input: Json | undefined): number =>
  Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;

/**
 * Returns the rows in order, with vectors in the format the caller requested, regardless of the format the provider
 * sent.
 */
export function embeddingRows(reply: JsonObject, format: Json | undefined): JsonObject[] {
  const rows = objectsOf(reply.data).map(({ index, embedding }, at) => ({
    object: 'embedding',
    index: countOf(index) ?? at,
    embedding: (format === 'base64' ? base64Of(embedding) : numbersOf(embedding)) ?? [],
  }));
  return rows.sort((one, other) => one.index - other.index);
}

function numbersOf(embedding: Json | undefined): number[] | undefined {
  // Base64 cannot express a number that overflows to infinity as a 32-bit float.
  if (Array.isArray(embedding))
    return embedding.every((part) => typeof part === 'number' && Number.isFinite(Math.fround(part)))
      ? (embedding as number[])
      : undefined;
  if (typeof embedding !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(embedding)) return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % floatBytes !== 0) return undefined;
  const numbers = Array.from({ length: bytes.length / floatBytes }, (_, at) => bytes.readFloatLE(at * floatBytes));
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

function base64Of(embedding: Json | undefined): string | undefined {
  if (typeof embedding === 'string') return embedding;
  const numbers = numbersOf(embedding);
  if (!numbers) return undefined;
  const bytes = Buffer.alloc(numbers.length * floatBytes);
  numbers.forEach((number, at) => void bytes.writeFloatLE(number, at * floatBytes));
  return bytes.toString('base64');
}
