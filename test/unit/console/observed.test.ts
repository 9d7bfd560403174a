/** How pages display observations: requests, traces, traffic, session steps. */
import { parseRequestAddress, queryOf, requestAddress, totalsOf } from '../../../console/requests/filters.ts';
import { milliseconds } from '../../../console/requests/milliseconds.ts';
import { waterfallOf } from '../../../console/requests/waterfall.ts';
import { entriesOf, recordedSession } from '../../../console/sessions/recorded-session.ts';
import { excerptOf, pauseBetween, Sums, stepOf } from '../../../console/sessions/replay.ts';
import { callsOf, isFound, notableCounts, stateOf, taskOf } from '../../../console/sessions/session-list.ts';
import { roundUp, timeTicks } from '../../../console/traffic/scale.ts';
import { sum, trafficOf } from '../../../console/traffic/series.ts';
import type { Loose } from '../../support/loose.ts';

const minute = 60_000;
const at = (ms: number) => new Date(ms).toISOString();

describe('[console.requests] requests', () => {
  test('the query contains the filters from the URL', () => {
    const asked: Loose = { model: 'gpt-5', minutes: '60', text: 'a b' };
    const query = queryOf((name) => asked[name] ?? '', 'c1', 7_200_000);
    expect(Object.fromEntries(query)).toEqual({
      limit: '50',
      model: 'gpt-5',
      text: 'a b',
      cursor: 'c1',
      from: '1970-01-01T01:00:00.000Z',
    });
  });

  test('totals add up costs in millionths, and percentiles are computed from the calls', () => {
    const rows: Loose[] = [1, 2, 3, 4].map((n) => ({
      cost_microusd: n * 100_000,
      latency_ms: n * 10,
      tokens: { input: n, output: 1 },
      outcome: n === 4 ? 'failed' : 'completed',
    }));
    expect(totalsOf(rows as never)).toEqual({ calls: 4, usd: 1, tokens: 14, latency: { p50: 20, p95: 40 }, failed: 1 });
    expect(totalsOf([]).latency).toBeUndefined();
  });

  test.each(['s', 'a/b', ''])('the address of a request in session %j can be parsed again', (session_id) => {
    expect(parseRequestAddress(requestAddress({ session_id, envelope_id: 'e1' }))).toEqual([session_id, 'e1']);
  });

  test.each([
    [0.4, '0 ms'],
    [999, '999 ms'],
    [1_250, '1.3 s'],
    [65_000, '65 s'],
  ])('%d ms is shown as %s', (value, text) => {
    expect(milliseconds(value)).toBe(text);
  });
});

describe('[console.request] a waterfall', () => {
  const span = (span_id: string, parent_id: string | null, start: number, duration_ms: number): Loose => ({
    span_id,
    parent_id,
    name: span_id,
    started_at: at(start),
    duration_ms,
    status: 'ok',
    attributes: {},
  });
  const shapeOf = (spans: Loose[]) =>
    waterfallOf(spans as never).bars.map(({ span: { name }, depth, afterMs }) => [name, depth, afterMs]);

  test('lists children after their parents, and spans that start in the same millisecond one after another', () => {
    const spans = [
      span('a', null, 1000, 10),
      span('c', 'a', 1000, 0.5),
      span('b', 'a', 1000, 4),
      span('d', 'a', 1008, 2),
    ];
    expect(shapeOf(spans)).toEqual([
      ['a', 0, 0],
      ['c', 1, 0],
      ['b', 1, 0.5],
      ['d', 1, 8],
    ]);
  });

  test('treats a span with a missing parent as a root, and handles an empty list', () => {
    expect(shapeOf([span('a', 'gone', 5, 1), span('b', 'a', 5, 1)])).toEqual([
      ['a', 0, 0],
      ['b', 1, 0],
    ]);
    expect(waterfallOf([]).bars).toEqual([]);
    expect(waterfallOf([span('a', null, 0, 0)] as never).bars[0]).toMatchObject({ start: 0, length: 0 });
  });
});

describe('[console.traffic] series', () => {
  const bucket = (time: number, more: Loose): Loose => ({
    timestamp: at(time),
    requests: 0,
    errors: 0,
    blocked: 0,
    reviewed: 0,
    tokens: 0,
    cost_usd: 0,
    p50_latency_ms: null,
    p95_latency_ms: null,
    ...more,
  });
  const answer: Loose = {
    from: at(0),
    to: at(2 * minute),
    summary: {
      global: [
        bucket(minute, {
          requests: 10,
          blocked: 2,
          reviewed: 1,
          errors: 3,
          cost_usd: 1,
          p50_latency_ms: 5,
          p95_latency_ms: 9,
        }),
      ],
      ...Object.fromEntries([1, 2].map((n) => [`model:m${n}`, [bucket(minute, { requests: n, cost_usd: 0.25 * n })]])),
    },
  };
  const asked = (by: string, rows: Loose[] = []) =>
    trafficOf({ answer, stepMs: minute, whole: 'global', by, rows } as never);

  test('time steps have no gaps, and decisions add up to the total number of requests', () => {
    const { times, series, latency } = asked('decision');
    expect(times).toEqual([0, minute, 2 * minute]);
    expect(series.map(({ name, requests }) => [name, requests[1]])).toEqual([
      ['allowed', 4],
      ['reviewed', 1],
      ['blocked', 2],
      ['failed', 3],
    ]);
    expect(latency).toEqual([undefined, { p50: 5, p95: 9 }, undefined]);
  });

  test('groups are ranked, and the remainder is shown as other', () => {
    expect(asked('model').series.map(({ name, requests, usd }) => [name, sum(requests), sum(usd)])).toEqual([
      ['m2', 2, 0.5],
      ['m1', 1, 0.25],
      ['other', 7, 0.25],
    ]);
  });

  test('traffic by key is counted from the calls', () => {
    const row = (key_id: string, time: number): Loose => ({
      key_id,
      at: at(time),
      cost_usd: 0.1,
      tokens: { input: 1, output: 2 },
    });
    const { series } = asked('key', [
      row('k1', minute + 1),
      row('k1', minute + 2),
      row('k2', minute),
      row('k3', 9 * minute),
    ]);
    expect(series.map(({ name, requests, tokens }) => [name, sum(requests), sum(tokens)])).toEqual([
      ['k1', 2, 6],
      ['k2', 1, 3],
      ['k3', 0, 0],
      ['other', 7, 0],
    ]);
  });

  test.each([
    [0, 1],
    [1, 1],
    [1.1, 2],
    [0.0031, 0.005],
    [60, 100],
    [Number.NaN, 1],
  ])('the axis for a maximum of %d ends at %d', (value, end) => {
    expect(roundUp(value)).toBe(end);
  });

  test('ticks are placed at round times, as many as fit', () => {
    const hour = 60 * minute;
    expect(timeTicks(minute, hour + minute, 6, 0)).toEqual([10, 20, 30, 40, 50, 60].map((n) => n * minute));
    expect(timeTicks(0, 48 * hour, 3, 0)).toEqual([0, 24 * hour, 48 * hour]);
    expect(timeTicks(0, 24 * hour, 2, 2 * hour)).toEqual([10 * hour, 22 * hour]);
  });
});

describe('[console.replay] a session', () => {
  const entry = (kind: string, ms: number, envelope_id: string, body: Loose = {}): Loose => ({
    kind,
    timestamp: at(ms),
    envelope_id,
    body,
  });
  const entries: Loose[] = [
    entry('review', 0, 'e1', { parameters: { note: 'x', command: 'make\nall' } }),
    entry('approve', 900, 'e1'),
    entry('allow', 1_000, 'e2'),
    entry('chat', 9_000, 'e3', { outcome: 'begun', cost_microusd: 5 }),
    entry('chat', 9_100, 'e3', { outcome: 'completed', cost_microusd: 500_000 }),
    entry('block', 9_200, 'e4'),
  ];
  const sums = new Sums();
  const standings = entries.map((each) => sums.after(each as never));
  test.each([
    [0, { allowed: 0, blocked: 0, waiting: 1, chats: 0, usd: 0, afterMs: 0 }],
    [2, { allowed: 1, blocked: 0, waiting: 0, chats: 0, usd: 0, afterMs: 1_000 }],
    [5, { allowed: 1, blocked: 1, waiting: 0, chats: 1, usd: 0.5, afterMs: 9_200 }],
  ])('the state at step %d is %j', (step, standing) => {
    expect(standings[step]).toEqual(standing);
  });

  test.each([
    ['', 5],
    ['1', 0],
    ['0', 0],
    ['99', 5],
    ['-1', 5],
    ['x', 5],
  ])('the URL value %j selects step %d', (asked, step) => {
    expect(stepOf(asked, 6)).toBe(step);
  });

  test('pauses are bearable', () => {
    const pauses = [0, 1, 2].map((step) => pauseBetween(standings[step]!, standings[step + 1]!));
    expect(pauses).toEqual([900, 600, 2_500]);
  });

  test('the excerpt shows the command on one line', () => {
    expect(entries.slice(0, 2).map((each) => excerptOf(each as never))).toEqual(['make', '']);
    expect(excerptOf(entry('allow', 0, 'e', { parameters: { number: 1, text: 'hello' } }) as never)).toBe('hello');
  });
});

describe('[console.many-entries] a recorded session', () => {
  // Long enough for several slices and pages; each letter takes three bytes, so that slices end inside a letter.
  const entries = Array.from({ length: 250 }, (_, index) => ({
    index,
    kind: 'allow',
    envelope_id: `e${index}`,
    timestamp: at(index),
    body: { text: '\u20ac'.repeat(1_000) },
  }));
  const bundle = new Blob([JSON.stringify({ manifest: { total_entries: 250 }, entries, public_key: '' })]);
  const { signal } = new AbortController();

  test.each([
    [0, 2],
    [98, 203],
    [249, 251],
  ])('reads the steps from %d to %d', async (from, to) => {
    const session = await recordedSession(bundle, signal);
    const steps = await session.steps(from, to);
    expect(steps.map(({ entry }) => entry)).toEqual(entries.slice(from, to));
    expect(steps[0]?.standing).toMatchObject({ allowed: from + 1, afterMs: from });
    expect([session.total, session.first.index, session.last.index]).toEqual([250, 0, 249]);
  });

  test('an export that ends early is rejected, and a cancelled one is not read to the end', async () => {
    await expect(recordedSession(bundle.slice(0, -9), signal)).rejects.toThrow('the end');
    await expect(recordedSession(bundle, AbortSignal.abort())).rejects.toThrow('abort');
  });

  test('finds the entries of one request', async () => {
    expect(await entriesOf(bundle, 'e7', signal)).toEqual([entries[7]]);
  });
});

describe('[console.sessions] the list', () => {
  const session: Loose = {
    session_id: 'Fix-Login',
    owner_key: 'k1',
    updated_at: at(0),
    counts: { allow: 3, approve: 1, review: 1, chat: 2, deny: 1 },
  };
  test('counts a call only once if it was held and then allowed', () => {
    expect(callsOf(session as never)).toBe(5);
    expect(notableCounts(session as never)).toBe('1 reviewed, 1 denied');
  });

  test.each([
    [{ sessions: ['Fix-Login'] }, 'this'],
    [{ key_id: 'k1' }, 'this'],
    [{ sessions: ['Fix-Login'], key_id: 'k1' }, 'this'],
    [{ sessions: ['Fix-Login'], key_id: 'k2' }, 'older'],
    [{ sessions: ['other'], key_id: 'k1' }, 'older'],
    [{ key_id: 'k2' }, 'older'],
    [{}, 'older'],
    [{ key_id: 'k1', created_at: at(1) }, 'older'], // declared after the session ended
  ])('with a task attached to %j, the session’s task is %s', (attached, task) => {
    const tasks = [
      { name: 'this', created_at: at(-2), ...attached },
      { name: 'older', created_at: at(-3), key_id: 'k1' },
    ];
    expect(taskOf(session as never, tasks)).toBe(task);
  });

  test.each([
    [['Fix-Login'], 0, 'waiting'],
    [[], 4 * minute, 'active'],
    [['other'], 6 * minute, 'quiet'],
  ])('with approvals pending in %j and %d ms of inactivity, the session is %s', (waiting, now, state) => {
    expect(stateOf(session as never, new Set(waiting), now)).toBe(state);
  });

  test.each([
    ['login', '', true],
    ['WRITER', '', true],
    ['sign-in', '', true],
    ['', 'quiet', true],
    ['', 'waiting', false],
    ['nobody', '', false],
  ])('the search %j with state %j finds the session: %s', (text, state, expected) => {
    expect(isFound(session as never, 'quiet', { text, state }, ['writer', 'Limit sign-ins'])).toBe(expected);
  });
});
