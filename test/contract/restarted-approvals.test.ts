/** Approved calls that the gateway should have made: a lost execution is restarted once, and no call runs twice. */
import { createInterpreter } from '#adapters/local/asl/interpreter.ts';
import { definitionOf, localApprovalClock } from '#adapters/local/clocks.ts';
import { takeForExecution } from '#core/approvals/execution.ts';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { createHandler } from '#lambdas/approval-steps/event.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { fakeTime } from '../unit/local/fake-time.ts';
import { memoryExecutions } from '../unit/local/memory-executions.ts';

const call = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };
const parameters = { title: 'Fix', head: 'fix', base: 'main' };
const down = () => Promise.reject(new GatewayError('service_unavailable', 'The issuer is down.'));

/**
 * Sets up a gateway with a real state-machine interpreter, whose executions can be lost and whose clock is advanced by
 * hand.
 */
async function setUp(extra = 'approvals: { on_approval: execute }\n') {
  const runs: string[] = [];
  const world = { minting: async () => {}, running: async () => {}, losing: false, started: [] as string[] };
  const execute = async () => {
    runs.push('run');
    await world.running();
    return { run: runs.length };
  };
  const gateway = await testPorts({ extra, executors: [{ name: 'git', handles: () => true, execute }] });
  const time = fakeTime(gateway.ports.clock.now());
  const wind = (seconds: number) => {
    gateway.pass(seconds);
    time.pass(seconds);
  };
  const interpreter = createInterpreter({
    name: 'approval',
    definition: await definitionOf('approval'),
    store: memoryExecutions().store,
    clock: gateway.ports.clock,
    ids: gateway.ports.ids,
    random: () => 1,
    report: () => {},
    timers: time.timers,
    invoke: (_name, payload) => createHandler(ports)(payload),
  });
  const clock = localApprovalClock(interpreter);
  const approvalClock: ApprovalClock = {
    ...clock,
    async start(id, name = id) {
      world.started.push(name);
      if (!world.losing) await clock.start(id, name);
    },
  };
  const ports: TestPorts['ports'] = {
    ...gateway.ports,
    approvalClock,
    brokers: async (name) => {
      const broker = await gateway.ports.brokers(name);
      return broker && { ...broker, issue: async (...given) => world.minting().then(() => broker.issue(...given)) };
    },
  };
  const ask = caller(ports);
  const act = (body: object = {}) =>
    ask('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: { ...call, parameters, actor: { agent: 'writer', session: 's' }, ...body },
    });
  const approved = async () => {
    const { envelope_id } = (await act()).body;
    await interpreter.idle();
    await ask('POST', `/admin/v1/approvals/${envelope_id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
    await interpreter.idle();
    return String(envelope_id);
  };
  /** Advances the clock until the retries of an execution are used up. */
  const exhaust = async () => {
    for (let round = 0; round < 9; round++) {
      wind(60);
      await interpreter.idle();
    }
  };
  /** Runs the sweep every minute. */
  const sweep = async (minutes: number, over: object = {}) => {
    for (let minute = 0; minute < minutes; minute++) {
      wind(60);
      await sweepApprovals(stepPorts({ ...ports, ...over }));
      await interpreter.idle();
    }
  };
  const due = async () => {
    const rows = [];
    for await (const row of ports.approvals.due(isoTime(ports.clock.now() + 1e10))) rows.push(row.envelope_id);
    return rows;
  };
  const find = async (id: string) => (await ports.approvals.find(id))!;
  return { ...gateway, ports, world, runs, act, approved, exhaust, sweep, due, find, interpreter };
}

let made: Awaited<ReturnType<typeof setUp>>;
const begin = async (extra?: string) => {
  made = await setUp(extra);
  return made;
};
afterEach(() => made.stop());

describe('[approval.restarted] the sweep starts a second execution', () => {
  test('the outcome of the lost call is recorded, and identical calls get its result', async () => {
    const { world, approved, sweep, runs, find, act, due } = await begin();
    world.losing = true;
    const id = await approved();
    await sweep(4);
    expect([world.started, runs]).toEqual([[id], []]);
    world.losing = false;
    await sweep(30);
    expect(world.started).toEqual([id, `${id}-again`]);
    expect([runs.length, (await find(id)).outcome]).toEqual([1, 'executed']);
    expect((await act()).body).toMatchObject({ decision: 'allow', result: { run: 1 } });
    expect(await due()).toEqual([]);
  });

  test('a call that failed before it started is made by the second execution', async () => {
    const { world, approved, exhaust, sweep, runs, find, due } = await begin();
    world.minting = down;
    const id = await approved();
    await exhaust();
    world.minting = async () => {};
    await sweep(3);
    expect([runs.length, (await find(id)).status]).toEqual([0, 'approved']);
    await sweep(6);
    expect([runs.length, (await find(id)).outcome]).toEqual([1, 'executed']);
    expect(await due()).toEqual([]);
  });

  test('it starts only one: if that one fails as well, the approval stays with its caller', async () => {
    const { world, approved, exhaust, sweep, runs, find, due } = await begin();
    world.minting = down;
    const id = await approved();
    for (let round = 0; round < 3; round++) {
      await exhaust();
      await sweep(7);
    }
    expect(world.started.filter((name) => name !== id)).toEqual([`${id}-again`]);
    expect([runs.length, (await find(id)).status, await due()]).toEqual([0, 'approved', []]);
  });
});

/** Returns the same ports, with one call that fails before or after its effect. */
function dying(ports: TestPorts['ports'], at: number, after: boolean) {
  let calls = 0;
  const wrap = <T extends object>(port: T, names: readonly (keyof T)[]): T => {
    const copy = { ...port };
    for (const name of names) {
      const work = port[name] as (...args: unknown[]) => Promise<unknown>;
      copy[name] = (async (...args: unknown[]) => {
        const dies = ++calls === at;
        if (dies && !after) throw new Error('killed');
        const result = await work(...args);
        if (dies) throw new Error('killed');
        return result;
      }) as T[typeof name];
    }
    return copy;
  };
  const approvals = wrap(ports.approvals, ['releaseToken', 'noteRestarted', 'postpone']);
  return { approvals, approvalClock: wrap(ports.approvalClock, ['start', 'settle']) };
}

const points = [1, 2, 3, 4].flatMap((at) => [[at, false] as const, [at, true] as const]);
test.each(points)(
  '[approval.restarted] if a sweep dies at write %i (done: %s), the call is made only once',
  async (at, after) => {
    const { ports, world, approved, sweep, runs, find, due } = await begin();
    world.losing = true;
    const id = await approved();
    world.losing = false;
    await sweep(8, dying(ports, at, after));
    await sweep(8);
    expect([runs.length, (await find(id)).outcome]).toEqual([1, 'executed']);
    expect(new Set(world.started)).toEqual(new Set([id, `${id}-again`]));
    expect(await due()).toEqual([]);
  },
);

test('[approval.restarted] an execution that was merely late, a second one and a caller together make the call only once', async () => {
  const { ports, world, approved, sweep, runs, act, interpreter } = await begin();
  world.losing = true;
  const id = await approved();
  world.losing = false;
  await sweep(4);
  await Promise.all([sweep(2), ports.approvalClock.start(id), act()]);
  await interpreter.idle();
  expect(runs).toHaveLength(1);
});

describe('[approval.restarted] starts no second execution for', () => {
  test('a call that is still running', async () => {
    const { ports, world, sweep, runs, find, ...rest } = await begin();
    let done: () => void = () => {};
    world.running = () => new Promise((resolve) => (done = resolve));
    const approving = rest.approved();
    while (runs.length === 0) await new Promise(setImmediate);
    rest.pass(90);
    await sweepApprovals(stepPorts(ports));
    done();
    const id = await approving;
    await sweep(8);
    expect([world.started, runs.length, (await find(id)).outcome]).toEqual([[id], 1, 'executed']);
  });

  test('a call that was killed while running, so that its outcome is unknown', async () => {
    const { ports, world, approved, sweep, runs, find } = await begin();
    world.losing = true;
    const id = await approved();
    const { call_digest, matched_rule } = await find(id);
    const holder = { approval: id, tenant: 'default', owner: 'killed' };
    const change = takeForExecution(holder, 'gateway', ports.clock.now(), { call_digest, matched_rule });
    const draft: EntryDraft = {
      tenant: 'default',
      session_id: 's',
      timestamp: isoTime(ports.clock.now()),
      kind: 'allow',
      envelope_id: 'killed',
      actor: { key_id: 'k' },
      body: {},
    };
    expect(await ports.ledger.commit({ draft, changes: [change] })).toMatchObject({ ok: true });
    await sweep(10);
    expect([world.started, runs.length, (await find(id)).outcome]).toEqual([[id], 0, 'unknown']);
  });

  test('a call whose credential the issuer refuses to issue', async () => {
    const { world, approved, exhaust, sweep, runs, due } = await begin();
    world.minting = () => Promise.reject(new GatewayError('forbidden', 'Not for this repository.'));
    const id = await approved();
    await exhaust();
    world.minting = async () => {};
    await sweep(10);
    expect([world.started, runs.length, await due()]).toEqual([[id], 0, []]);
  });

  test('an approved call that its caller is to make, under on_approval: release', async () => {
    const { world, approved, sweep, runs, due } = await begin('');
    world.losing = true;
    const id = await approved();
    await sweep(10);
    expect([world.started, runs.length, await due()]).toEqual([[id], 0, []]);
  });
});
