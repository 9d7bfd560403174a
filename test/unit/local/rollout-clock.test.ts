/** The deployed definition of the rollout clock in the local interpreter. */
import type { StateMachine } from '#adapters/local/asl/definition.ts';
import { createInterpreter } from '#adapters/local/asl/interpreter.ts';
import { definitionOf, localRolloutClock } from '#adapters/local/clocks.ts';
import { fakeTime } from './fake-time.ts';
import { memoryExecutions } from './memory-executions.ts';

let definition: StateMachine;
beforeAll(async () => {
  definition = await definitionOf('rollout');
});

/** @param answers the function's results, one per check; the name of an error makes it fail with that error. */
function setUp(answers: readonly (number | string)[]) {
  const time = fakeTime();
  const kept = memoryExecutions();
  const looked: unknown[] = [];
  const rest = [...answers];
  const start = () => {
    const interpreter = createInterpreter({
      name: 'rollout',
      definition,
      store: kept.store,
      clock: time.clock,
      timers: time.timers,
      invoke: async (name, payload) => {
        looked.push([name, payload]);
        const next = rest.shift() ?? 0;
        if (typeof next === 'string') throw Object.assign(new Error('no'), { name: next });
        return { seconds: next };
      },
      ids: { uuid: () => 'id', randomHex: () => 'token' },
      random: () => 1,
      report: () => {},
    });
    return { interpreter, clock: localRolloutClock(interpreter) };
  };
  return { ...time, ...kept, looked, start };
}

const look = ['sweep', { rollout_id: 'r1' }];

test('[rollout.states] the clock checks, waits for the time its step requires, and ends when the rollout is complete', async () => {
  const { start, waiting, pass, looked, row } = setUp([10, 3600, 0]);
  const { clock, interpreter } = start();
  await clock.start('r1');
  await clock.start('r1');
  await interpreter.idle();
  expect([waiting(), looked]).toEqual([[10], [look]]);
  pass(10);
  await interpreter.idle();
  expect([waiting(), looked]).toEqual([[3600], [look, look]]);
  pass(3600);
  await interpreter.idle();
  expect([waiting(), looked.length, row('r1')?.status]).toEqual([[], 3, 'succeeded']);
});

test('[rollout.states] a failed check is repeated, and after a restart the clock continues at the same step', async () => {
  const { start, waiting, pass, looked, row } = setUp(['Lambda.ServiceException', 10, 0]);
  const first = start();
  await first.clock.start('r1');
  await first.interpreter.idle();
  expect([waiting(), looked.length]).toEqual([[2], 1]);
  pass(2);
  await first.interpreter.idle();
  expect(looked.length).toBe(2);
  await first.interpreter.stop();
  const second = start();
  expect(await second.interpreter.recover()).toBe(1);
  pass(10);
  await second.interpreter.idle();
  expect([looked.length, row('r1')?.status]).toEqual([3, 'succeeded']);
});
