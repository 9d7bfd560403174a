import { traceRequest } from '#adapters/telemetry/otlp-http.ts';
import { batchedSink, batchSizes } from '#adapters/telemetry/span-batches.ts';
import type { EndedSpan } from '#adapters/telemetry/spans.ts';

const span: EndedSpan = {
  name: 's',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentId: undefined,
  parentIsRemote: false,
  sampled: true,
  random: true,
  tracestate: undefined,
  attributes: { left_out: undefined },
  startMs: 1,
  endMs: 2.5,
  end: 'well',
};

/** Returns a collector and a timer, both controlled by hand. */
function setting({ timers = true } = {}) {
  const sent: number[] = [];
  const counted: Record<string, number> = {};
  const lines: unknown[] = [];
  const time = { ms: 0 };
  let due: (() => void) | undefined;
  let gate: Promise<void> = Promise.resolve();
  let down = false;
  let closed = 0;
  let attempts = 0;
  const sender = {
    async send(spans: readonly EndedSpan[]) {
      attempts++;
      await gate;
      if (down) throw new Error('nobody listens');
      sent.push(spans.length);
    },
    close: async () => void closed++,
  };
  const telemetry = {
    count: (_name: string, labels: Record<string, string>, by = 1) => {
      const key = `${_name} ${labels.reason}`;
      counted[key] = (counted[key] ?? 0) + by;
    },
    log: (...line: unknown[]) => void lines.push(line),
  };
  const timeouts = {
    after(ms: number, work: () => void) {
      expect(ms).toBe(5_000);
      due = work;
      return () => {
        due = undefined;
      };
    },
  };
  const clock = { now: () => time.ms };
  const sink = batchedSink({ sender, telemetry, clock, ...(timers && { timeouts }) });
  return {
    sink,
    sent,
    counted,
    lines,
    time,
    push: (count: number) => {
      for (let i = 0; i < count; i++) sink.push(span);
    },
    /** Advances the timer by five seconds. */
    tick: async () => {
      const work = due;
      due = undefined;
      work?.();
      await sink.flush();
    },
    isDue: () => due !== undefined,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    down: (yes: boolean) => {
      down = yes;
    },
    closed: () => closed,
    attempts: () => attempts,
  };
}

test('[trace.export] spans from five seconds are sent as one batch, and an idle process sends nothing', async () => {
  const { sink, sent, push, tick, isDue } = setting();
  expect(isDue()).toBe(false);
  push(3);
  expect(sent).toEqual([]);
  await tick();
  expect(sent).toEqual([3]);
  expect(isDue()).toBe(false);
  await sink.flush();
  expect(sent).toEqual([3]);
});

test('if a slow collector lets the queue fill up, additional spans are dropped and counted', async () => {
  const { sink, sent, push, hold, counted } = setting();
  const release = hold();
  push(batchSizes.batch); // being sent, no longer in the queue
  push(batchSizes.queue + 7);
  release();
  await sink.flush();
  expect(counted).toEqual({ 'svc_spans_dropped_total queue_full': 7 });
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(batchSizes.batch + batchSizes.queue);
  expect(Math.max(...sent)).toBe(batchSizes.batch);
});

test('failures are counted, logged once per minute and never thrown, and later spans are delivered', async () => {
  const { sink, sent, push, counted, lines, time, down } = setting();
  down(true);
  for (const ms of [0, 5_000, 59_999, 60_000]) {
    time.ms = ms;
    push(2);
    await sink.flush();
  }
  expect(lines).toHaveLength(2);
  expect(lines[0]).toEqual(['warn', 'spans were not delivered', { spans: 2, error: expect.any(Error) }]);
  expect(counted).toEqual({ 'svc_spans_dropped_total not_delivered': 8 });
  down(false);
  push(1);
  await sink.flush();
  expect(sent).toEqual([1]);
});

test('after a failed batch, the next batch waits for the timer', async () => {
  const { sink, sent, push, hold, down, attempts, tick, isDue } = setting();
  const release = hold();
  push(3 * batchSizes.batch);
  down(true);
  release();
  await sink.flush(); // the batch being sent, and one more
  expect(attempts()).toBe(2);
  expect(isDue()).toBe(true);
  down(false);
  await tick();
  expect(sent).toEqual([batchSizes.batch]);
});

test('stopping sends the queued spans and accepts no new ones', async () => {
  const { sink, sent, push, closed, counted, isDue } = setting();
  push(4);
  await sink.stop();
  expect(sent).toEqual([4]);
  expect(closed()).toBe(1);
  push(1);
  expect(isDue()).toBe(false);
  expect(counted).toEqual({ 'svc_spans_dropped_total queue_full': 1 });
});

test.each<[string, object]>([
  ['an attribute without a value', { attributes: { size: null } }],
  ['an attribute that is an object', { attributes: { size: { bytes: 1 } } }],
  ['a number that is not finite', { attributes: { size: Number.NaN } }],
  ['a list in a list', { attributes: { sizes: [['1']] } }],
  ['a time that is not finite', { endMs: Number.POSITIVE_INFINITY }],
  ['an id that is not hexadecimal', { traceId: 'no trace' }],
  ['a parent of the wrong length', { parentId: 'abc' }],
])('[trace.export] a span with %s is counted and left out, and the rest of its batch is sent', async (_, fault) => {
  const { sink, sent, counted, lines } = setting();
  sink.push(span);
  sink.push({ ...span, ...fault } as EndedSpan);
  sink.push({ ...span, parentId: 'c'.repeat(16), attributes: { a: 'x', b: 1e300, c: -0.5, d: false, e: ['y'] } });
  await sink.flush();
  expect([sent, lines]).toEqual([[2], []]);
  expect(counted).toEqual({ 'svc_spans_dropped_total not_encodable': 1 });
});

test('[trace.export] integers beyond 64 bits and lone surrogates are encoded in a form that collectors accept', () => {
  const attributes = { large: 1e300, whole: 7, text: 'a\ud800' };
  const [{ scopeSpans }] = JSON.parse(traceRequest([{ ...span, attributes }], {})).resourceSpans;
  expect(scopeSpans[0].spans[0].attributes).toEqual([
    { key: 'large', value: { doubleValue: 1e300 } },
    { key: 'whole', value: { intValue: '7' } },
    { key: 'text', value: { stringValue: 'a\ufffd' } },
  ]);
});
