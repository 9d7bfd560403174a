/** The sweep over started actions: pages, and rows handled independently. */
import { closeAbandonedActions } from '#core/actions/sweep-actions.ts';

test('the sweep continues with the next page, and stops at a page without new items', async () => {
  const row = (id: number) => ({ tenant: 't', id: `i${id}`, session_id: 's', envelope_id: 'e', tool: 'x' });
  const pages = [[row(1), row(2)], [row(2), row(3)], [row(3)]];
  const closed: string[] = [];
  const asked: unknown[] = [];
  const done = await closeAbandonedActions({
    clock: { now: () => 0 },
    startedActions: { due: async (...given: unknown[]) => pages[asked.push(given) - 1]! } as never,
    telemetry: { log: () => {} },
    ledger: {
      commit: async ({ changes }: { changes: { id: string }[] }) => {
        closed.push(changes[0]!.id);
        return { ok: changes[0]!.id !== 'i2' };
      },
    } as never,
  });
  expect([done, closed, asked.length]).toEqual([2, ['i1', 'i2', 'i3'], 3]);
  expect(asked[0]).toEqual(['1970-01-01T00:00:00.000Z', 100]);
});

test('[store.sweep] a started action that cannot be closed does not prevent others from being closed', async () => {
  const rows = Array.from({ length: 150 }, (_, n) => ({
    tenant: 't',
    id: `i${n}`,
    session_id: 's',
    envelope_id: `e${n}`,
    tool: 'x',
  }));
  const open = new Set(rows);
  const logged: unknown[][] = [];
  const done = await closeAbandonedActions({
    clock: { now: () => 0 },
    startedActions: { due: async (_: string, limit: number) => [...open].slice(0, limit) } as never,
    telemetry: { log: (...line: unknown[]) => void logged.push(line) },
    ledger: {
      commit: async ({ changes }: { changes: { id: string }[] }) => {
        const id = changes[0]!.id;
        // More than a page of them, before the one that can be closed.
        if (id !== 'i149') throw new Error('the row is too large');
        open.delete(rows[149]!);
        return { ok: true };
      },
    } as never,
  });
  expect(done).toBe(1);
  expect(logged).toHaveLength(149);
  expect(logged[0]).toEqual([
    'error',
    'a started action was not closed',
    { envelope_id: 'e0', error: 'the row is too large' },
  ]);
});
