/** A head's leaves as bytes, read back unchanged. */

import { leafBytes, leafOf } from '#core/evidence/transparency/leaf.ts';
import { testStore } from '../../../test/support/store.ts';
import { logTable } from '../adapters/log-table.ts';
import { packLeaves, unpackLeaves } from '../adapters/packed-leaves.ts';

const at = '2026-11-26T20:00:00.000Z';
const batch = { tenant: 'acme', at };
const leaf = (session_id: string, index: number) =>
  leafOf({ tenant: 'acme', session_id, index, hash: `${index}`.padStart(64, 'a').slice(-64) }, at);
const leaves = [leaf('s-1', 0), leaf('s-2', 4_294_967_296), leaf('s-3', 17)];

test('[transparency.log] packed leaves are byte-for-byte identical to those in the tree', () => {
  const packed = packLeaves(leaves, batch);
  expect(packed).toHaveLength(210);
  expect(unpackLeaves(packed, batch).map((each) => leafBytes(each).toString())).toEqual(
    leaves.map((each) => leafBytes(each).toString()),
  );
  expect(() => unpackLeaves(packed.subarray(1), batch)).toThrow(RangeError);
  expect(() => packLeaves(leaves, { tenant: 'other', at })).toThrow(TypeError);
});

test('[transparency.log] a head is read back unchanged', async () => {
  const head = { version: 1, size: 3, roots: [Buffer.alloc(32, 1)], checkpoint: 'note', newest: leaves };
  const heads = logTable({ store: testStore() });
  expect(await heads.replace('acme', head)).toBe(true);
  expect(await heads.head('acme')).toEqual(head);
});
