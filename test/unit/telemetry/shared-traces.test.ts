/** Traces sent to the ring that all processes share. */
import { sharedSizes, sharedTraces } from '#adapters/telemetry/shared-traces.ts';
import type { RecordedTrace } from '#core/observatory/traces.ts';

function given() {
  const time = { ms: 1_000_000 };
  const puts: (readonly RecordedTrace[])[] = [];
  const tenants: string[] = [];
  const dropped: Record<string, number> = {};
  const state = { fails: false };
  let drawn = 0;
  const shared = sharedTraces({
    ring: {
      put: async (tenant, traces) => {
        if (state.fails) throw new Error('store down');
        puts.push(traces);
        tenants.push(tenant);
      },
    },
    clock: { now: () => time.ms },
    ids: { uuid: () => 'unused', randomHex: () => String(drawn++) },
    telemetry: {
      count: (_name, labels = {}, by = 1) => {
        dropped[String(labels.reason)] = (dropped[String(labels.reason)] ?? 0) + by;
      },
    },
  });
  return { shared, time, puts, tenants, dropped, state };
}

const trace = (id: string, note = ''): RecordedTrace => ({
  trace_id: id,
  spans: [
    { name: 'x', span_id: id, attributes: { note }, started_at: '2026-01-01T00:00:00Z', duration_us: 1, failed: false },
  ],
});
const ids = (traces: readonly RecordedTrace[] | undefined) => traces?.map(({ trace_id }) => trace_id);

test('[trace.routes] traces are written at most once per second, and later traces wait for the next batch', async () => {
  const { shared, time, puts } = given();
  await shared.flush();
  expect(puts).toEqual([]);
  shared.note(trace('a'));
  await shared.flush();
  shared.note(trace('b'));
  await shared.flush();
  expect(puts.map(ids)).toEqual([['a']]);
  time.ms += sharedSizes.everyMs;
  shared.note(trace('c'));
  await shared.flush();
  expect(puts.map(ids)).toEqual([['a'], ['b', 'c']]);
});

test('[trace.routes] an item keeps the newest traces, and dropped traces are counted', async () => {
  const { shared, puts, dropped } = given();
  for (let i = 0; i < sharedSizes.traces + 10; i++) shared.note(trace(`t${i}`));
  await shared.flush();
  expect(puts[0]).toHaveLength(sharedSizes.traces);
  expect([ids(puts[0])?.at(-1), dropped]).toEqual([`t${sharedSizes.traces + 9}`, { queue_full: 10 }]);

  const large = given();
  large.shared.note(trace('old', 'x'.repeat(sharedSizes.characters / 2)));
  large.shared.note(trace('new', 'x'.repeat(sharedSizes.characters / 2)));
  await large.shared.flush();
  expect([ids(large.puts[0]), large.dropped]).toEqual([['new'], { queue_full: 1 }]);
});

test('[trace.routes] if the trace store cannot be written, traces are lost but no call fails', async () => {
  const { shared, time, puts, dropped, state } = given();
  state.fails = true;
  shared.note(trace('a'));
  await shared.flush();
  expect(dropped).toEqual({ not_delivered: 1 });
  state.fails = false;
  time.ms += sharedSizes.everyMs;
  shared.note(trace('b'));
  await shared.flush();
  expect(puts.map(ids)).toEqual([['b']]);
});

test('[trace.isolation] each tenant has its own items, and a tenant with too many traces loses only its own', async () => {
  const { shared, puts, tenants, dropped } = given();
  const of = (tenant_id: string, id: string): RecordedTrace => ({
    trace_id: id,
    spans: [{ ...trace(id).spans[0]!, attributes: { tenant_id } }],
  });
  shared.note(of('quiet', 'q'));
  for (let n = 0; n < sharedSizes.traces + 5; n++) shared.note(of('loud', `l${n}`));
  await shared.flush();
  expect(tenants).toEqual(['quiet', 'loud']);
  expect(puts.map((each) => each.length)).toEqual([1, sharedSizes.traces - 1]);
  expect(dropped).toEqual({ queue_full: 6 });
});
