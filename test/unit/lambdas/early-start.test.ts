/** Composition while a function loads: a failure is reported by the first call. */
import { startedEarly } from '#lambdas/early-start.ts';
import { woundTimeouts } from '../../support/wound-timeouts.ts';

const earlyMs = 4_000;

test('[cloud.early-start] composes the ports once, and waits for the first read', async () => {
  const timeouts = woundTimeouts();
  const done: string[] = [];
  const compose = () => {
    done.push('composed');
    return 'ports';
  };
  const ready = await startedEarly(compose, async (made) => void done.push(`read with ${made}`), timeouts);
  expect([ready(), ready()]).toEqual(['ports', 'ports']);
  expect(done).toEqual(['composed', 'read with ports']);
  expect(timeouts.size).toBe(0);
});

test('[cloud.early-start] a failed composition is retried by each call until it succeeds', async () => {
  let broken = true;
  let made = 0;
  const compose = () => {
    made++;
    if (broken) throw new Error('TABLE_CONFIG is missing');
    return made;
  };
  const ready = await startedEarly(compose, async () => {}, woundTimeouts());
  expect(ready).toThrow('TABLE_CONFIG');
  broken = false;
  expect(ready()).toBe(3);
  expect(ready()).toBe(3);
});

test('[cloud.early-start] a failed first read does not prevent startup', async () => {
  const ready = await startedEarly(
    () => 'ports',
    () => Promise.reject(new Error('store down')),
    woundTimeouts(),
  );
  expect(ready()).toBe('ports');
});

test('[cloud.early-start] a first read that never ends does not prevent startup', async () => {
  const timeouts = woundTimeouts();
  const started = startedEarly(
    () => 'ports',
    () => new Promise(() => {}),
    timeouts,
  );
  await timeouts.armed(earlyMs);
  timeouts.pass(earlyMs);
  expect((await started)()).toBe('ports');
});
