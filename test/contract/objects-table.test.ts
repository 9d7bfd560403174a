/** Bodies in a shared store: whole or absent, in parts, and verified. */
import { objectsTable } from '#adapters/local/objects-table.ts';
import { useStore } from '../support/store.ts';

const { store: rows } = useStore();
const store = () => objectsTable({ store: rows });
const bytesOf = (length: number, seed = 1) => Uint8Array.from({ length }, (_byte, at) => (at * 31 + seed) % 251);

test.each([0, 1, 349_999, 350_000, 350_001, 2_500_000])(
  '[shared.gateways] a body of %i bytes can be read by another process',
  async (length) => {
    const bytes = bytesOf(length);
    const sha256 = await store().put(bytes);
    expect(await store().put(bytes)).toBe(sha256);
    expect(Buffer.from((await store().get(sha256))!).equals(bytes)).toBe(true);
  },
);

test('[shared.gateways] a body whose writer stopped midway does not exist and can be stored again', async () => {
  const bytes = bytesOf(800_000, 2);
  const sha256 = await store().put(bytes);
  await rows.remove('objects', { sha256, part: 'body' });
  expect(await store().get(sha256)).toBeUndefined();
  await store().put(bytes);
  expect((await store().get(sha256))?.byteLength).toBe(800_000);
});

test('[shared.gateways] a body that was modified in the store is refused, and names that are not digests are not found', async () => {
  const sha256 = await store().put(bytesOf(10, 3));
  await rows.put('objects', { sha256, part: '00000000', bytes: bytesOf(10, 4) });
  await expect(store().get(sha256)).rejects.toThrow('was changed in the store');
  for (const name of ['', '../secret', 'A'.repeat(64), 'f'.repeat(64)]) expect(await store().get(name)).toBeUndefined();
});
