/**
 * Embeds text without a model by hashing its character trigrams into 256 buckets. Similar spellings end up close
 * together, but similar meanings do not; `same-meaning.ts` guards against the difference.
 */
import type { Embedder } from './ports.ts';

const dimensions = 256;

export const ngramEmbedder = (): Embedder => ({
  name: 'ngram',
  embed: async (text) => trigramVector(text),
});

/** Returns a unit vector, or a zero vector for empty text. */
export function trigramVector(text: string): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const characters = [...` ${text.normalize('NFKC').toLowerCase().split(/\s+/).join(' ').trim()} `];
  for (let i = 0; i + 3 <= characters.length; i++) {
    const hash = fnv1a(characters[i]! + characters[i + 1]! + characters[i + 2]!);
    // The sign keeps colliding trigrams from adding up.
    vector[hash % dimensions]! += hash & 0x80000000 ? -1 : 1;
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Returns the 32-bit FNV-1a hash over UTF-16 units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
