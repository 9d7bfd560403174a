/** Stores forms as keyed 8-byte digests, sorted in one array for binary search [provenance.no-text]. */
import { hash } from 'node:crypto';
import type { SeenEntry, SessionSeen } from './ports.ts';
import type { SeenText } from './trace.ts';

const digestOf = (key: string, form: string): bigint => hash('sha256', `${key}\n${form}`, 'buffer').readBigUInt64BE(0);

export function digestsOf(forms: Iterable<string>, key: string): Uint8Array {
  const sorted = BigUint64Array.from(Array.from(forms, (form) => digestOf(key, form))).sort();
  const bytes = Buffer.alloc(sorted.length * 8);
  for (const [at, digest] of sorted.entries()) bytes.writeBigUInt64BE(digest, at * 8);
  return bytes;
}

/** Returns the entries as searchable texts. Each form is digested once for all of them. */
export function seenOf({ key, entries }: SessionSeen): SeenText[] {
  const known = new Map<string, bigint>();
  const digest = (form: string): bigint => {
    const found = known.get(form) ?? digestOf(key, form);
    known.set(form, found);
    return found;
  };
  return entries.map(({ label, server, action, digests }: SeenEntry) => {
    const sorted = readSorted(digests);
    return {
      label,
      ...(server !== undefined && { server }),
      ...(action !== undefined && { action }),
      has: (form) => isIn(sorted, digest(form)),
    };
  });
}

function readSorted(bytes: Uint8Array): BigUint64Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return BigUint64Array.from({ length: Math.floor(bytes.length / 8) }, (_none, at) => buffer.readBigUInt64BE(at * 8));
}

function isIn(sorted: BigUint64Array, wanted: bigint): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
