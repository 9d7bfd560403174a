/** The deployed approval definition in the local interpreter: decided, timed out, restarted, settled twice. */

import type { StateMachine } from '#adapters/local/asl/definition.ts';
import { createInterpreter } from '#adapters/local/asl/interpreter.ts';
import { definitionOf, localApprovalClock } from '#adapters/local/clocks.ts';
import { fakeTime } from './fake-time.ts';
import { memoryExecutions } from './memory-executions.ts';

let definition: StateMachine;
beforeAll(async () => {
  definition = await definitionOf('approval');
});

interface Payload {
  readonly step: string;
  readonly envelope_id: string;
  readonly task_token?: string;
}

/** Sets up an approval row and its steps; several interpreters may run on it one after another, as after restarts. */
function setUp(seconds = 60) {
  const time = fakeTime();
  const kept = memoryExecutions();
  const row = { status: 'pending', token: '', expires: time.clock.now() + seconds * 1000 };
  const calls: string[] = [];
  const reports: string[] = [];
  const faults: string[] = [];
  let ids = 0;

  const steps = async ({ step, envelope_id, task_token }: Payload, settle: (token: string) => Promise<void>) => {
    calls.push(step);
    expect(envelope_id).toBe('e1');
    const fault = faults[0]?.startsWith(`${step}:`) ? faults.shift()?.split(':')[1] : undefined;
    if (fault) throw Object.assign(new Error('no'), { name: fault });
    if (step === 'announce') return { seconds_left: Math.max(1, Math.ceil((row.expires - time.clock.now()) / 1000)) };
    if (step === 'hold') {
      row.token = task_token ?? '';
      if (row.status !== 'pending') await settle(row.token);
      return {};
    }
    if (row.status === 'pending' && row.expires <= time.clock.now()) row.status = 'denied';
    if (row.status === 'pending') throw Object.assign(new Error('no'), { name: 'ApprovalPending' });
    return { status: row.status };
  };

  const start = () => {
    const interpreter = createInterpreter({
      name: 'approval',
      definition,
      store: kept.store,
      clock: time.clock,
      timers: time.timers,
      invoke: (_name, payload) => steps(payload as Payload, (token) => clock.settle(token, { status: row.status })),
      ids: { uuid: () => 'id', randomHex: () => `token-${++ids}` },
      random: () => 1,
      report: (message) => void reports.push(message),
    });
    const clock = localApprovalClock(interpreter);
    return { interpreter, clock, idle: interpreter.idle };
  };
  const ended = () => kept.row('e1');
  return { ...time, ...kept, row, calls, reports, faults, start, ended };
}

const decide = (row: { status: string }, status = 'approved') => {
  row.status = status;
  return { status };
};

test('[approval.machine] an approval releases the execution and cancels the timeout', async () => {
  const { start, row, calls, ended, waiting } = setUp();
  const { clock, idle } = start();
  await clock.start('e1');
  await idle();
  expect(waiting()).toEqual([60]);
  await clock.settle(row.token, decide(row));
  expect(ended()?.state).toBe('Settle'); // written before settle returns
  await idle();
  expect(calls).toEqual(['announce', 'hold', 'settle']);
  expect(ended()).toMatchObject({ status: 'succeeded', output: { status: 'approved' } });
  expect(waiting()).toEqual([]);
});

test('[approval.machine] [approval.timeout] without a decision, the timeout settles the request as denied', async () => {
  const { start, calls, ended, pass } = setUp();
  const { clock, idle } = start();
  await clock.start('e1');
  await idle();
  pass(60);
  await idle();
  expect(calls).toEqual(['announce', 'hold', 'settle']);
  expect(ended()).toMatchObject({ status: 'succeeded', output: { status: 'denied' } });
});

test('if the timeout fires before the row expires, the clock waits again', async () => {
  const { start, calls, ended, pass, row, waiting } = setUp();
  const { clock, idle } = start();
  await clock.start('e1');
  await idle();
  row.expires += 30_000; // as with a clock ahead of the row's clock
  pass(60);
  await idle();
  expect([calls, waiting()]).toEqual([['announce', 'hold', 'settle'], [5]]); // a short pause before it checks again
  pass(5);
  await idle();
  expect([calls, waiting()]).toEqual([['announce', 'hold', 'settle', 'announce', 'hold'], [25]]);
  pass(30);
  await idle();
  expect([calls.at(-1), ended()?.output]).toEqual(['settle', { status: 'denied' }]);
});

test('starting twice runs only once; settling twice, too late or with an unknown id succeeds', async () => {
  const { start, calls, row, ended } = setUp();
  const { clock, idle } = start();
  await Promise.all([clock.start('e1'), clock.start('e1')]);
  await idle();
  await clock.start('e1');
  const token = row.token;
  await Promise.all([clock.settle(token, decide(row)), clock.settle(token, { status: 'denied' })]);
  await idle();
  await clock.settle(token, { status: 'denied' });
  await clock.settle('never heard of', { status: 'denied' });
  await clock.start('e1');
  await idle();
  expect(calls).toEqual(['announce', 'hold', 'settle']);
  expect(ended()?.output).toEqual({ status: 'approved' });
});

describe('after a crash', () => {
  test('the waiting state is re-entered with its token and deadline', async () => {
    const { start, row, pass, waiting, calls, ended } = setUp();
    const before = start();
    await before.clock.start('e1');
    await before.idle();
    const token = row.token;
    await before.interpreter.stop();
    pass(20);
    const after = start();
    expect(await after.interpreter.recover()).toBe(1);
    await after.idle();
    expect([row.token, waiting(), calls]).toEqual([token, [40], ['announce', 'hold', 'hold']]);
    await after.clock.settle(token, decide(row));
    await after.idle();
    expect(ended()?.output).toEqual({ status: 'approved' });
  });

  test('a request that timed out during the downtime is settled immediately', async () => {
    const { start, pass, calls, ended } = setUp();
    const before = start();
    await before.clock.start('e1');
    await before.idle();
    await before.interpreter.stop();
    pass(3600);
    const after = start();
    await after.interpreter.recover();
    await after.idle();
    expect(calls).toEqual(['announce', 'hold', 'settle']);
    expect(ended()?.output).toEqual({ status: 'denied' });
  });

  test('a request that was decided during the downtime is settled by the settle step', async () => {
    const { start, row, calls, ended } = setUp();
    const before = start();
    await before.clock.start('e1');
    await before.idle();
    await before.interpreter.stop();
    decide(row);
    const after = start();
    await after.interpreter.recover();
    await after.idle();
    expect(calls).toEqual(['announce', 'hold', 'hold', 'settle']);
    expect(ended()?.output).toEqual({ status: 'approved' });
  });

  test('an execution interrupted at any transition reaches the same final state', async () => {
    const whole = setUp();
    const run = whole.start();
    await run.clock.start('e1');
    await run.idle();
    await run.clock.settle(whole.row.token, decide(whole.row));
    await run.idle();
    expect(whole.history.length).toBeGreaterThanOrEqual(5);
    for (const place of whole.history) {
      const again = setUp();
      if (place.status === 'running') decide(again.row);
      await again.store.create(place);
      const { interpreter, idle } = again.start();
      await interpreter.recover();
      await idle();
      expect(again.ended()).toMatchObject({ status: 'succeeded', output: { status: 'approved' } });
    }
  });

  test('if another process has advanced the execution, the clock releases its request', async () => {
    const { start, row, ended, calls } = setUp();
    const old = start();
    await old.clock.start('e1');
    await old.idle();
    const next = start();
    await next.interpreter.recover();
    await next.idle();
    await next.clock.settle(row.token, decide(row));
    await next.idle();
    await old.clock.settle('token-1', { status: 'denied' });
    await old.idle();
    expect(calls.filter((step) => step === 'settle')).toHaveLength(1);
    expect(ended()?.output).toEqual({ status: 'approved' });
  });
});

describe('failing steps', () => {
  test('the announce step is retried after a pause', async () => {
    const { start, faults, calls, waiting, pass, idle } = { ...setUp(), idle: async () => {} };
    faults.push('announce:ServiceUnavailable');
    const run = start();
    await run.clock.start('e1');
    await run.idle();
    expect([calls, waiting()]).toEqual([['announce'], [1]]);
    pass(1);
    await run.idle();
    await idle();
    expect(calls).toEqual(['announce', 'announce', 'hold']);
  });

  test('the settle step is retried until the row is settled', async () => {
    const { start, faults, calls, waiting, pass, row, ended } = setUp();
    faults.push('settle:ServiceUnavailable', 'settle:ServiceUnavailable');
    const { clock, idle } = start();
    await clock.start('e1');
    await idle();
    await clock.settle(row.token, decide(row));
    await idle();
    expect(waiting()).toEqual([1]);
    pass(1);
    await idle();
    expect(waiting()).toEqual([2]);
    pass(2);
    await idle();
    expect(calls.filter((step) => step === 'settle')).toHaveLength(3);
    expect(ended()?.output).toEqual({ status: 'approved' });
  });

  test('a token never appears in error reports', async () => {
    const { start, faults, reports, row, calls, pass } = setUp();
    faults.push(...Array<string>(9).fill('settle:Broken'));
    const { clock, idle } = start();
    await clock.start('e1');
    await idle();
    await clock.settle(row.token, decide(row));
    for (let tries = 0; tries < 9; tries++) {
      await idle();
      pass(60);
    }
    await idle();
    expect(calls.filter((step) => step === 'settle')).toHaveLength(9);
    expect(reports).toEqual([expect.stringMatching(/^Execution e1 failed in Settle: .*Broken/)]);
    expect(reports.join()).not.toContain('token-');
  });
});

test('a temporary store failure only causes a delay', async () => {
  const { start, store, row, ended, pass, reports } = setUp();
  const { clock, idle } = start();
  await clock.start('e1');
  await idle();
  const { save } = store;
  Object.assign(store, { save: () => Promise.reject(new Error('store down')) });
  await expect(clock.settle(row.token, decide(row))).rejects.toThrow('store down');
  await idle();
  Object.assign(store, { save });
  expect(reports).toEqual([expect.stringContaining('store down')]);
  pass(1);
  await new Promise(setImmediate); // the row is read before the execution runs again
  await idle();
  expect(ended()?.output).toEqual({ status: 'approved' });
});
