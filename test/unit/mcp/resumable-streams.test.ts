/** Responses as events, with replay for a client that reconnects. */
import type { JsonObject } from '#core/kernel/json.ts';
import { MessageQueue } from '#core/mcp/sessions/message-queue.ts';
import { keptMs, ResumableStreams, type StreamEvent } from '#core/mcp/sessions/resumable-streams.ts';
import { woundTimeouts } from '../../support/wound-timeouts.ts';

const setUp = () => {
  const timeouts = woundTimeouts();
  let made = 0;
  const ids = { randomHex: (bytes: number) => String(++made).padStart(bytes * 2, '0') };
  const queue = new MessageQueue();
  return { timeouts, queue, streams: new ResumableStreams({ ids, timeouts }) };
};
const ofKey = (session: string, owner = 'k1') => ({ session, owner });
const said = (n: number): JsonObject => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n } });
const numberOf = ({ message }: StreamEvent) => (message?.params as JsonObject | undefined)?.progress;
const take = async (events: AsyncIterator<StreamEvent>, count: number): Promise<StreamEvent[]> => {
  const taken: StreamEvent[] = [];
  while (taken.length < count) taken.push((await events.next()).value as StreamEvent);
  return taken;
};
const rest = async (events: AsyncIterable<StreamEvent>): Promise<unknown[]> => {
  const all: unknown[] = [];
  for await (const event of events) all.push(numberOf(event));
  return all;
};

test('[mcp.event-streams] after any event the remaining events are delivered once and in order, including later ones', async () => {
  for (let seen = 0; seen <= 4; seen++) {
    const { queue, streams } = setUp();
    const events = streams.begin(ofKey('s'), queue);
    for (const n of [1, 2, 3]) void queue.write(said(n));
    const taken = await take(events, Math.min(seen, 3) + 1);
    await events.return!();
    const resumed = streams.resume('s', taken.at(-1)!.id)!;
    void queue.write(said(4));
    queue.end();
    expect(await rest(resumed)).toEqual([1, 2, 3, 4].slice(Math.min(seen, 3)));
  }
});

test('[mcp.event-streams] a newer reader replaces an older one', async () => {
  const { queue, streams } = setUp();
  const events = streams.begin(ofKey('s'), queue);
  const [first] = await take(events, 1);
  const waiting = events.next();
  const newer = streams.resume('s', first!.id)!;
  expect((await waiting).done).toBe(true);
  // When the older reader leaves now, the newer one continues.
  await events.return!();
  void queue.write(said(1));
  expect((await take(newer, 1)).map(numberOf)).toEqual([1]);
});

test('[mcp.event-streams] a stream without a reader is kept for a minute, and its response is still read to the end', async () => {
  const { queue, streams, timeouts } = setUp();
  const events = streams.begin(ofKey('s'), queue);
  const [first] = await take(events, 1);
  await events.return!();
  timeouts.pass(keptMs - 1);
  const again = streams.resume('s', first!.id)!;
  timeouts.pass(keptMs); // a reader is connected, so nothing ends
  void queue.write(said(1));
  expect((await take(again, 1)).map(numberOf)).toEqual([1]);
  await again.return!();
  timeouts.pass(keptMs);
  expect(() => streams.resume('s', first!.id)).toThrow(/no stored response/);
  for (let n = 0; n < 500; n++) await queue.write(said(n));
  queue.end();
});

test('[mcp.event-streams] a response without a reader blocks its writer, and only part of a long response is kept', async () => {
  const { queue, streams } = setUp();
  const events = streams.begin(ofKey('s'), queue);
  const [first] = await take(events, 1);
  let written = 0;
  const writing = (async () => {
    for (let n = 1; n <= 600; n++) {
      await queue.write(said(n));
      written = n;
    }
    queue.end();
  })();
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBeLessThan(200);
  expect((await rest(events)).length).toBe(600);
  await writing;
  expect(() => streams.resume('s', first!.id)).toThrow(/is older than the stored part of the response/);
});

test('[mcp.event-streams] a key that opens too many responses loses only its own, whichever sessions they belong to', async () => {
  const { streams } = setUp();
  const queueOfOther = new MessageQueue();
  const [first] = await take(streams.begin(ofKey('other', 'k2'), queueOfOther), 1);
  const queues = Array.from({ length: 1_001 }, () => new MessageQueue());
  const ids: string[] = [];
  for (const [n, queue] of queues.entries()) {
    const events = streams.begin(ofKey(`s${n}`), queue);
    ids.push((await take(events, 1))[0]!.id);
    await events.return?.();
  }
  void queueOfOther.write(said(7));
  queueOfOther.end();
  expect(await rest(streams.resume('other', first!.id)!)).toEqual([7]);
  expect(() => streams.resume('s0', ids[0]!)).toThrow('belongs to no stored response');
  for (const queue of queues) queue.end();
});
