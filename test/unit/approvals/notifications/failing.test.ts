/** Which notifications are shown as failing, and what of their errors. */
import { failingDeliveries } from '#core/approvals/notifications/failing.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { at, start } from '../sample.ts';

const delivery = (id: string, over: Partial<Delivery> = {}): Delivery => ({
  ...{ id, channel: 'slack', event: 'submitted', envelope_id: id, tenant: 't', attempts: 1, due_at: at(0) },
  ...{ state: 'due', last_error: 'refused' },
  ...over,
});

async function failing(dead: Delivery[], due: Delivery[]) {
  const asked: unknown[] = [];
  const deliveries = {
    dead: async (...given: unknown[]) => {
      asked.push(['dead', ...given]);
      return dead;
    },
    due: async (...given: unknown[]) => {
      asked.push(['due', ...given]);
      return due;
    },
  };
  const found = await failingDeliveries({ deliveries, clock: { now: () => start } } as never, 't');
  return { ...found, asked, ids: found.failing.map(({ envelope_id }) => envelope_id) };
}

test('[cli.status-failing] what is given up comes first, then what is tried again; the next hour is looked at', async () => {
  const { failing: shown, asked, due } = await failing([delivery('dead', { state: 'dead' })], [delivery('again')]);
  expect(asked).toEqual([
    ['dead', 't', 20],
    ['due', at(3600), 200],
  ]);
  expect(due).toBe(1);
  expect(shown).toEqual([
    {
      ...{ channel: 'slack', event: 'submitted', envelope_id: 'dead', attempts: 1, due_at: at(0) },
      ...{ state: 'dead', error: 'refused' },
    },
    {
      ...{ channel: 'slack', event: 'submitted', envelope_id: 'again', attempts: 1, due_at: at(0) },
      ...{ state: 'retrying', error: 'refused' },
    },
  ]);
});

test('what was not tried yet, has no error, or is another tenant’s is not failing', async () => {
  const { ids } = await failing(
    [],
    [
      delivery('fresh', { attempts: 0 }),
      delivery('clean', { last_error: undefined } as never),
      delivery('foreign', { tenant: 'other' }),
      delivery('mine'),
    ],
  );
  expect(ids).toEqual(['mine']);
});

test('due is what should have been sent by now, of all tenants', async () => {
  const waiting = [
    delivery('now'),
    delivery('late', { due_at: at(-9), tenant: 'other' }),
    delivery('x', { due_at: at(1) }),
  ];
  expect((await failing([], waiting)).due).toBe(2);
});

test('at most twenty are shown, and of an error 200 characters without addresses', async () => {
  const many = Array.from({ length: 15 }, (_, n) => delivery(`d${n}`, { state: 'dead' }));
  const { ids } = await failing(many, [...many.map(({ id }) => delivery(`again-${id}`))]);
  expect(ids).toHaveLength(20);
  expect(ids.slice(14, 16)).toEqual(['d14', 'again-d0']);
  const last_error = `POST https://hooks.example/T0/secret?x=1 failed: HTTP+unix://sock ${'e'.repeat(300)}`;
  const [shown] = (await failing([], [delivery('long', { last_error })])).failing;
  expect(shown?.error).toMatch(/^POST <address> failed: <address> e+$/);
  expect(shown?.error).toHaveLength(200);
});

test('an error cut within a character is still well-formed, and one without a text is empty', async () => {
  const cut = delivery('cut', { last_error: `${'e'.repeat(199)}🙂` });
  const silent = { ...delivery('silent', { state: 'dead' }), last_error: undefined } as never;
  const { failing: shown } = await failing([silent], [cut]);
  expect(shown.map(({ error }) => error)).toEqual(['', `${'e'.repeat(199)}\ufffd`]);
});
