/**
 * Bodies by SHA-256 in the store, for processes that share the store but no folder: a policy version stored by one
 * process can be read by all [shared.gateways]. This table exists only in local runs; on AWS, bodies are in a bucket.
 * In each row, `sha256` names the body, and `part` is the number of a piece or `body`; the `body` row is written last
 * and holds the number of pieces. Without that row, the body is incomplete and treated as missing.
 */
import { allRows, type StoreOptions } from '#adapters/tables/store.ts';
import { sha256 as sha256Of } from '#core/kernel/canonical.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';

/** Size of a part, because a DynamoDB row holds at most 400 kB. */
const partBytes = 350_000;
const last = 'body';
const partName = (at: number): string => String(at).padStart(8, '0');

export function objectsTable({ store }: StoreOptions): ObjectStore {
  const isThere = async (sha256: string) => (await store.get('objects', { sha256, part: last })) !== undefined;

  return {
    async put(bytes) {
      const sha256 = sha256Of(bytes);
      if (await isThere(sha256)) return sha256;
      for (let at = 0; at * partBytes < bytes.byteLength; at++)
        await store.put('objects', {
          sha256,
          part: partName(at),
          bytes: bytes.subarray(at * partBytes, (at + 1) * partBytes),
        });
      await store.put('objects', { sha256, part: last, size: bytes.byteLength });
      return sha256;
    },
    async get(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256) || !(await isThere(sha256))) return undefined;
      const query = { partition: sha256, range: { before: last } };
      const pieces = await allRows<{ bytes: Uint8Array }>(store, 'objects', query);
      const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
      if (sha256Of(bytes) !== sha256)
        throw new Error(
          `Object ${sha256} was changed in the store: its content does not match its digest. Restore it from a copy.`,
        );
      return bytes;
    },
  };
}
