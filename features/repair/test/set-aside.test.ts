/** Long sessions that the projection set aside are projected in several calls. */
import { setAsideRows } from '#adapters/tables/set-aside-rows.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Call } from '#core/operations/operation.ts';
import { intercepted, useStore } from '../../../test/support/store.ts';
import { resumeProjection } from '../set-aside.ts';

const test_ = useStore();
const row = { tenant: 'default', session_id: 'long', step: 'views', index: 3, at: '', error: 'full' } as const;
const entryAt = (index: number) =>
  ({
    tenant: row.tenant,
    session_id: row.session_id,
    index,
    timestamp: `2026-01-01T00:00:00.${String(index % 1_000).padStart(3, '0')}Z`,
    kind: 'admin',
    envelope_id: '',
    actor: { key_id: 'k' },
    body: {},
  }) as EvidenceEntry;

test('[audit.set-aside] a session with more entries than one call projects is never without its row, even if the call is killed', async () => {
  const seen: number[] = [];
  const watched = intercepted(test_.store, async (method, _, go) => {
    const done = await go();
    if (method !== 'query') seen.push((await setAsideRows(test_).list('default', 2)).length);
    return done;
  });
  const setAside = setAsideRows({ store: watched });
  await setAside.put(row);
  let projected = 0;
  const archived = {
    async *entries(_tenant: string, _session: string, from: number) {
      for (let index = from; index < 2_010; index++) yield entryAt(index);
    },
  };
  const observations = {
    apply: async (entries: readonly unknown[]) => {
      projected += entries.length;
    },
  };
  const ports = { archived, observations, setAside, deliveries: {}, clock: { now: () => 0 } };
  const repair = async () => {
    const [left] = await setAside.list('default', 1);
    return resumeProjection({ ports } as unknown as Call, left!);
  };
  expect([await repair(), projected]).toEqual([false, 2_000]);
  expect(await setAside.list('default', 2)).toMatchObject([{ session_id: 'long', index: 2_003 }]);
  expect(seen).not.toContain(0);
  expect([await repair(), projected]).toEqual([true, 2_007]);
  expect(await setAside.list('default', 2)).toEqual([]);
});
