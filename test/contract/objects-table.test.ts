/** Bodies in a shared store: whole or absent, in parts, verified, and taken over from folders of before. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { toItem } from '#adapters/dynamodb/items.ts';
import { folderObjectStore } from '#adapters/local/folder-object-store.ts';
import { objectsSpec, objectsTable, sharedObjects } from '#adapters/local/objects-table.ts';
import { createTable } from '#adapters/local/tables.ts';
import { startDynamo, type TestDynamo } from '../support/dynamo.ts';

const TableName = 'objects';
let dynamo: TestDynamo;
const folder = mkdtempSync(join(tmpdir(), 'objects-'));
beforeAll(async () => {
  dynamo = await startDynamo();
  await createTable(dynamo.client(), TableName, objectsSpec);
});
afterAll(async () => {
  await dynamo.stop();
  rmSync(folder, { recursive: true, force: true });
});
const store = () => objectsTable(dynamo.client(), TableName);
const bytesOf = (length: number, seed = 1) => Uint8Array.from({ length }, (_byte, at) => (at * 31 + seed) % 251);

test.each([0, 1, 349_999, 350_000, 350_001, 2_500_000])(
  '[shared.objects] a body of %i bytes is read by another process',
  async (length) => {
    const bytes = bytesOf(length);
    const sha256 = await store().put(bytes);
    expect(await store().put(bytes)).toBe(sha256);
    expect(Buffer.from((await store().get(sha256))!).equals(bytes)).toBe(true);
  },
);

test('[shared.objects] a body whose writer stopped in between is not there, and is put again', async () => {
  const bytes = bytesOf(800_000, 2);
  const sha256 = await store().put(bytes);
  await dynamo.client().send(new DeleteItemCommand({ TableName, Key: toItem({ sha256, part: 'body' }) }));
  expect(await store().get(sha256)).toBeUndefined();
  await store().put(bytes);
  expect((await store().get(sha256))?.byteLength).toBe(800_000);
});

test('[shared.objects] a body that was changed in the store is refused, and names that are not digests are not there', async () => {
  const sha256 = await store().put(bytesOf(10, 3));
  const Item = toItem({ sha256, part: '00000000', bytes: bytesOf(10, 4) });
  await dynamo.client().send(new PutItemCommand({ TableName, Item }));
  await expect(store().get(sha256)).rejects.toThrow('was changed in the store');
  for (const name of ['', '../secret', 'A'.repeat(64), 'f'.repeat(64)]) expect(await store().get(name)).toBeUndefined();
});

test('[shared.objects] what a folder of an earlier release holds is put into the store when it is read', async () => {
  const own = folderObjectStore(folder);
  const sha256 = await own.put(bytesOf(20, 5));
  expect(await store().get(sha256)).toBeUndefined();
  expect(await sharedObjects(store(), own).get(sha256)).toEqual(Buffer.from(bytesOf(20, 5)));
  expect(await store().get(sha256)).toBeDefined();
  const fresh = await sharedObjects(store(), own).put(bytesOf(21, 6));
  expect([await own.get(fresh), (await store().get(fresh))?.byteLength]).toEqual([undefined, 21]);
});
