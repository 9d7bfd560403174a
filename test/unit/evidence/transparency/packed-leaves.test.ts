/** The leaves of a head as bytes: they come back as they were, also from heads that held them as JSON. */
import { toItem } from '#adapters/dynamodb/items.ts';
import { logTable } from '#adapters/dynamodb/log-table.ts';
import { packLeaves, unpackLeaves } from '#adapters/dynamodb/packed-leaves.ts';
import { leafBytes, leafOf } from '#core/evidence/transparency/leaf.ts';

const at = '2026-11-26T20:00:00.000Z';
const batch = { tenant: 'acme', at };
const leaf = (session_id: string, index: number) =>
  leafOf({ tenant: 'acme', session_id, index, hash: `${index}`.padStart(64, 'a').slice(-64) }, at);
const leaves = [leaf('s-1', 0), leaf('s-2', 4_294_967_296), leaf('s-3', 17)];

test('[transparency.survives-kill] packed leaves are byte for byte those that the tree holds', () => {
  const packed = packLeaves(leaves, batch);
  expect(packed).toHaveLength(210);
  expect(unpackLeaves(packed, batch).map((each) => leafBytes(each).toString())).toEqual(
    leaves.map((each) => leafBytes(each).toString()),
  );
  expect(() => unpackLeaves(packed.subarray(1), batch)).toThrow(RangeError);
  expect(() => packLeaves(leaves, { tenant: 'other', at })).toThrow(TypeError);
});

test('[transparency.survives-kill] a head is read as it was put, and one of before as well', async () => {
  const head = { version: 7, size: 3, roots: [Buffer.alloc(32, 1)], checkpoint: 'note', newest: leaves };
  let item: object | undefined;
  const client = {
    send: async ({ input }: { readonly input: { readonly Item?: object } }) => {
      item = input.Item ?? item;
      return { Item: item };
    },
  };
  const heads = logTable({ client: client as never, tables: { observations: 'observations' } });
  expect(await heads.replace('acme', head)).toBe(true);
  expect(await heads.head('acme')).toEqual(head);
  item = { ...item, ...toItem({ newest: JSON.stringify(leaves) }) };
  expect(await heads.head('acme')).toEqual(head);
});
