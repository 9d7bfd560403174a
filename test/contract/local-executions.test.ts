/** Executions stored in the table: as strict as the interpreter needs, and still present after a restart. */
import type { Execution } from '#adapters/local/asl/execution.ts';
import { executionsTable } from '#adapters/local/asl/executions-table.ts';
import { useStore } from '../support/store.ts';

const store = useStore();
const table = () => executionsTable(store);
const execution = (name: string, more: Partial<Execution> = {}): Execution => ({
  machine: 'm',
  name,
  status: 'running',
  state: 'A',
  input: { n: 1.5, nothing: null, empty: '' },
  variables: { list: [] },
  attempts: [],
  executionInput: { a: 1 },
  startedAt: 1000,
  enteredAt: 1000,
  revision: 0,
  ...more,
});

test('a name can be used only once, and the stored execution is returned unchanged', async () => {
  const first = execution('once', { taskToken: 't', wakeAt: 5, wakeFor: 'timeout', attempts: [1, 0] });
  const created = await Promise.all([table().create(first), table().create(first), table().create(first)]);
  expect(created.filter(Boolean)).toHaveLength(1);
  expect(await table().get('m', 'once')).toEqual(first);
  expect(await table().get('other', 'once')).toBeUndefined();
});

test('when two writers use the same revision, the second gets a conflict', async () => {
  await table().create(execution('raced'));
  const next = execution('raced', { revision: 1, state: 'B' });
  expect(await Promise.all([table().save(next), table().save({ ...next, state: 'C' })])).toContain(false);
  expect(await table().save(next)).toBe(false);
  expect(await table().save(execution('unknown', { revision: 1 }))).toBe(false);
});

test("lists a state machine's running executions", async () => {
  const mine = { machine: 'listed' };
  for (let at = 0; at < 30; at++) await table().create(execution(`r${at}`, { ...mine, startedAt: 1000 + at }));
  await table().create(execution('ended', mine));
  await table().save(execution('ended', { ...mine, revision: 1, status: 'succeeded', output: 'x', endedAt: 2000 }));
  const names = (await table().running('listed')).map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 30 }, (_, at) => `r${at}`));
});
