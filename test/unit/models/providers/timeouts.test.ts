/** When a stream whose connection stays open has ended. */
import type { JsonObject } from '#core/kernel/json.ts';
import { withEventTimeout } from '#core/models/providers/timeouts.ts';

/** Events that come, and then none; timers that run when the test says so. */
function open(...events: JsonObject[]) {
  const timers: { ms: number; work: () => void }[] = [];
  const closed: string[] = [];
  return {
    timers,
    closed,
    deadline: {
      timeouts: {
        after(ms: number, work: () => void) {
          const timer = { ms, work };
          timers.push(timer);
          return () => void timers.splice(timers.indexOf(timer), 1);
        },
      },
      ms: 60_000,
      giveUp: () => void closed.push('closed'),
    },
    events: {
      next: async () => {
        const value = events.shift();
        return value ? { done: false as const, value } : new Promise<never>(() => {});
      },
      return: async () => ({ done: true as const, value: undefined }),
    },
  };
}

test('[providers.complete-ends] a complete answer ends the call though its connection stays open', async () => {
  const source = open({ finish_reason: 'stop' });
  let complete = false;
  const events = withEventTimeout(
    source.events,
    source.deadline,
    () => new Error('fault'),
    () => complete,
  );
  expect(await events.next()).toMatchObject({ done: false });
  complete = true;
  const last = events.next();
  expect(source.timers).toMatchObject([{ ms: 3_000 }]);
  source.timers[0]!.work();
  expect(await last).toEqual({ done: true, value: undefined });
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(source.closed).toEqual(['closed']);
});

test('[providers.complete-ends] an answer that has not ended is cut by its time-out, which is a fault', async () => {
  const source = open();
  const events = withEventTimeout(source.events, source.deadline, () => new Error('fault'));
  const next = events.next();
  expect(source.timers).toMatchObject([{ ms: 60_000 }]);
  source.timers[0]!.work();
  await expect(next).rejects.toThrow('fault');
});
