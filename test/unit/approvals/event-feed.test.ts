/** Approval events as their readers receive them. */
import { ApprovalEventFeed, maxStreams } from '#core/approvals/event-feed.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { approvalEvents } from '#core/operations/approvals.ts';
import type { Call } from '#core/operations/operation.ts';
import { woundTimeouts } from '../../support/wound-timeouts.ts';

/** Returns timers that the test runs by hand. */
function timers() {
  const set = new Set<{ readonly ms: number; readonly work: () => void }>();
  return {
    after: (ms: number, work: () => void) => {
      const timer = { ms, work };
      set.add(timer);
      return () => void set.delete(timer);
    },
    run: (ms: number) => {
      for (const timer of [...set]) if (timer.ms === ms && set.delete(timer)) timer.work();
    },
    size: () => set.size,
  };
}

const entry = (kind: string, envelope_id: string, more: object = {}) =>
  ({
    tenant: 'acme',
    session_id: 's',
    timestamp: 't',
    kind,
    envelope_id,
    body: {},
    ...more,
  }) as unknown as EvidenceEntry;

const feedOf = () => {
  const timeouts = timers();
  return { timeouts, feed: new ApprovalEventFeed({ timeouts, process: 'ab12' }) };
};
const reader = (feed: ApprovalEventFeed, last?: string, tenant = 'acme', key = 'k') =>
  feed.open({ tenant, keyId: key, watch: () => () => {} }, last)[Symbol.asyncIterator]();
const read = async (stream: AsyncIterator<string>) => (await stream.next()).value as string;

test('[approval.events] the feed reports a request, its votes and its outcome only to its own tenant', async () => {
  const { feed } = feedOf();
  const [own, other] = [reader(feed), reader(feed, undefined, 'other')];
  expect(await read(own)).toBe('retry: 1000\nid: ab12.0\nevent: listening\ndata: {"missed":false}\n\n');
  await read(other);
  feed.committed(entry('review', 'one'));
  feed.committed(entry('allow', 'two'));
  feed.committed(entry('vote', 'one'));
  feed.committed(entry('approve', 'one'));
  feed.committed(entry('deny', 'three', { body: { reason: 'timeout' } }));
  feed.committed(entry('review', 'theirs', { tenant: 'other' }));
  const names = [];
  for (let count = 0; count < 4; count++) names.push(/event: (\w+)\ndata: (.*)/.exec(await read(own))?.slice(1));
  const about = (id: string) => ({ envelope_id: id, session_id: 's', at: 't' });
  expect(names.map((each) => [each?.[0], JSON.parse(each?.[1] ?? '')])).toEqual([
    ['new', { event: 'new', ...about('one') }],
    ['voted', { event: 'voted', ...about('one') }],
    ['decided', { event: 'decided', ...about('one'), status: 'approved' }],
    ['expired', { event: 'expired', ...about('three'), status: 'denied' }],
  ]);
  expect(await read(other)).toContain('"theirs"');
});

test('[approval.events] a reader that reconnects gets the missed events, or a notice that some are missing', async () => {
  const { feed } = feedOf();
  feed.committed(entry('review', 'one'));
  feed.committed(entry('review', 'two'));
  const back = reader(feed, 'ab12.1');
  expect(await read(back)).toContain('{"missed":false}');
  expect(await read(back)).toContain('"two"');
  for (const unknown of ['cd34.1', 'ab12.9', 'ab12.-1', 'nonsense']) {
    const lost = reader(feed, unknown, 'acme', unknown);
    expect([unknown, await read(lost)]).toEqual([unknown, expect.stringContaining('{"missed":true}')]);
  }
  // Events committed while a reader takes one are delivered after it.
  feed.committed(entry('review', 'three'));
  expect(await read(back)).toContain('"three"');
  for (let count = 0; count < 1_001; count++) feed.committed(entry('review', `more-${count}`));
  expect(await read(reader(feed, 'ab12.1', 'acme', 'late'))).toContain('{"missed":true}');
  expect(await read(back)).toContain('{"missed":true}');
});

test('[approval.events] an idle stream is kept alive until its maximum duration; every stream ends when the process stops', async () => {
  const { feed, timeouts } = feedOf();
  const [first, second] = [reader(feed), reader(feed)];
  await read(first);
  await read(second);
  const silent = first.next();
  await Promise.resolve();
  timeouts.run(15_000);
  expect((await silent).value).toBe(': ping\n\n');
  const ended = first.next();
  timeouts.run(120_000);
  expect((await ended).done).toBe(true);
  const stopped = second.next();
  feed.close();
  expect((await stopped).done).toBe(true);
  expect(timeouts.size()).toBe(0);
});

test('[auth.revoked-key] a stream ends when the token of its reader expires, and not after two minutes only', async () => {
  const { feed, timeouts } = feedOf();
  const [short, long] = [30_000, 600_000].map((maxMs) =>
    feed.open({ tenant: 'acme', keyId: 'k', maxMs, watch: () => () => {} }, undefined)[Symbol.asyncIterator](),
  );
  await read(short!);
  await read(long!);
  const [ended, stays] = [short!.next(), long!.next()];
  timeouts.run(30_000);
  expect((await ended).done).toBe(true);
  feed.committed(entry('review', 'one'));
  expect((await stays).value).toContain('"one"');
  const last = long!.next();
  timeouts.run(120_000);
  expect((await last).done).toBe(true);
});

test('[auth.revoked-key] a stream ends when the key of its reader is revoked; the streams of other keys stay open', async () => {
  const { feed } = feedOf();
  const timeouts = woundTimeouts();
  const byKeyId = new Map(['gone', 'kept'].map((key_id) => [key_id, { key_id }]));
  const current = async () => ({ identities: { byKeyId } });
  const ports = { approvalEvents: feed, snapshots: { current }, timeouts, clock: { now: () => 0 } };
  const follow = async (key_id: string) => {
    const call = { ports, principal: { tenant: 'acme', key_id }, header: () => undefined };
    const { body } = await approvalEvents(call as unknown as Call);
    return (body as AsyncIterable<string>)[Symbol.asyncIterator]();
  };
  const look = async () => {
    timeouts.pass(4_000);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  const [gone, kept] = [await follow('gone'), await follow('kept')];
  await read(gone);
  await read(kept);
  await look();
  feed.committed(entry('review', 'one'));
  expect(await read(gone)).toContain('"one"');
  expect(await read(kept)).toContain('"one"');
  byKeyId.delete('gone');
  await look();
  feed.committed(entry('review', 'two'));
  expect((await gone.next()).done).toBe(true);
  expect(await read(kept)).toContain('"two"');
  await kept.return?.();
  expect(timeouts.size).toBe(0);
});

test('[approval.events] the number of streams per key is limited, and a stream whose reader has left no longer counts', async () => {
  const { feed, timeouts } = feedOf();
  const streams = Array.from({ length: maxStreams.key }, () => reader(feed));
  expect(() => reader(feed)).toThrow(expect.objectContaining({ code: 'rate_limit_error', retryAfterSeconds: 5 }));
  expect(() => reader(feed, undefined, 'acme', 'another')).not.toThrow();
  await streams[0]?.return?.();
  const again = reader(feed);
  await read(again);
  const waits = again.next();
  await again.return?.();
  expect((await waits).done).toBe(true);
  expect(timeouts.size()).toBe(0);
  expect(() => reader(feed)).not.toThrow();
  expect(() => reader(feed)).toThrow(/at most 8/);
});

test('[approval.events] after some of a key’s streams are closed, the remaining open ones still count', async () => {
  const { feed } = feedOf();
  const [first, ...others] = Array.from({ length: maxStreams.key }, () => reader(feed));
  for (const stream of others) await stream.return?.();
  for (let n = 1; n < maxStreams.key; n++) reader(feed);
  expect(() => reader(feed)).toThrow(/at most 8/);
  await first?.return?.();
  expect(() => reader(feed)).not.toThrow();
});

test('[approval.events] a waiting reader is woken by the next event without a ping', async () => {
  const { feed, timeouts } = feedOf();
  const stream = reader(feed);
  await read(stream);
  const waits = read(stream);
  await Promise.resolve();
  feed.committed(entry('review', 'one'));
  expect(await waits).toContain('"one"');
  const last = reader(feed, 'ab12.0', 'acme', 'other');
  expect(await read(last)).toContain('{"missed":false}');
  expect(await read(last)).toContain('"one"');
  // An event of another tenant also wakes the stream, but does not count as silence.
  const silent = read(stream);
  feed.committed(entry('review', 'theirs', { tenant: 'other' }));
  feed.committed(entry('review', 'two'));
  expect(await silent).toContain('"two"');
  expect(timeouts.size()).toBeGreaterThan(0);
});

test('[approval.events] the number of streams per process is limited', async () => {
  const { feed } = feedOf();
  for (let n = 0; n < maxStreams.process; n++) reader(feed, undefined, 'acme', `k${n}`);
  expect(() => reader(feed, undefined, 'acme', 'one-more')).toThrow(/The gateway has 256 streams .* at most 256/);
});

test('[approval.events] the last thousand events are kept', async () => {
  const { feed } = feedOf();
  for (let n = 1; n <= 1_001; n++) feed.committed(entry('review', `e${n}`));
  expect(await read(reader(feed, 'ab12.1', 'acme', 'a'))).toContain('{"missed":false}');
  expect(await read(reader(feed, 'ab12.0', 'acme', 'b'))).toContain('{"missed":true}');
  expect(await read(reader(feed, 'ab12.1001', 'acme', 'c'))).toContain('{"missed":false}');
  expect(await read(reader(feed, 'ab12.1002', 'acme', 'd'))).toContain('{"missed":true}');
});
