/** Messages grouped into posts: order, sizes, and failed posts. */
import fc from 'fast-check';
import { SocketBatches } from '#core/chat/socket-batches.ts';
import { woundTimeouts } from '../../support/wound-timeouts.ts';

const maxPostBytes = 32_000;

const batchBytes = 24_000;

const batchMs = 50;

const message = (n: number, length = 0) => JSON.stringify({ type: 'event', id: 'c', n, text: 'é'.repeat(length) });

function world(answers: (text: string) => boolean = () => true) {
  const timeouts = woundTimeouts();
  const posts: string[] = [];
  const batches = new SocketBatches({
    timeouts,
    callId: 'c',
    post: async (text) => {
      const well = answers(text);
      if (well) posts.push(text);
      return well;
    },
  });
  return { timeouts, posts, batches, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

/** Returns the messages that a client reads from posts. */
function heard(posts: readonly string[]): string[] {
  let joined = '';
  return posts.flatMap((post) => {
    const read = JSON.parse(post);
    if (read.type === 'batch') return read.messages.map((each: object) => JSON.stringify(each));
    if (read.type !== 'part') return [post];
    joined += read.data;
    if (!read.last) return [];
    const whole = joined;
    joined = '';
    return [whole];
  });
}

test('[chat.ws] posts the first message immediately, messages within the next 50 ms together, and a later one immediately', async () => {
  const { timeouts, posts, batches, settled } = world();
  for (const n of [0, 1, 2, 3]) expect(batches.add(message(n))).toBeUndefined();
  await settled();
  expect(posts).toEqual([message(0)]);
  timeouts.pass(batchMs);
  await settled();
  expect(posts).toHaveLength(2);
  expect(heard(posts)).toEqual([0, 1, 2, 3].map((n) => message(n)));
  timeouts.pass(batchMs); // no message arrived, so the next one does not wait
  batches.add(message(4));
  await settled();
  expect(posts.at(-1)).toBe(message(4));
});

test('[chat.ws] 24 kB of messages are posted immediately, and the sender waits for the connection', async () => {
  const { posts, batches } = world();
  batches.add(message(0));
  const large = Array.from({ length: 30 }, (_, n) => message(n + 1, 1_000));
  const behind = large.map((text) => batches.add(text));
  const promises = behind.filter((each) => each !== undefined);
  expect(promises).toHaveLength(2);
  await Promise.all(promises);
  expect(heard(posts)).toEqual([message(0), ...large.slice(0, heard(posts).length - 1)]);
  expect(heard(posts).length).toBeGreaterThan(20);
});

test('[chat.ws] close posts the collected messages and leaves no timer behind', async () => {
  const { timeouts, posts, batches } = world();
  for (const n of [0, 1, 2]) batches.add(message(n));
  await batches.close();
  expect(heard(posts)).toEqual([0, 1, 2].map((n) => message(n)));
  expect(timeouts.size).toBe(0);
});

test('[chat.ws] after a failed post, collected messages are dropped but the last message is still sent', async () => {
  let fails = true;
  const { posts, batches, settled } = world(() => !fails);
  for (const n of [0, 1, 2]) batches.add(message(n));
  await settled();
  fails = false;
  batches.add(message(9));
  await batches.close();
  expect(heard(posts)).toEqual([message(9)]);
});

test('[chat.ws] messages stay in order, and each post is smaller than a frame', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 200 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
    { weight: 2, arbitrary: fc.constant('time' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { timeouts, posts, batches } = world();
      const sent: string[] = [];
      for (const each of steps) {
        if (each === 'time') timeouts.pass(batchMs);
        else {
          sent.push(message(sent.length, each));
          await batches.add(sent.at(-1)!);
        }
      }
      await batches.close();
      expect(heard(posts)).toEqual(sent);
      for (const post of posts) {
        expect(Buffer.byteLength(post)).toBeLessThanOrEqual(maxPostBytes);
        if (JSON.parse(post).type === 'batch') expect(Buffer.byteLength(post)).toBeLessThan(batchBytes + 500);
      }
    }),
    { numRuns: 50 },
  );
});
