/** The sweep over the embedded store: due rows, and actions that started but did not end. */

import { actionsTable } from '#adapters/tables/actions-table.ts';
import { approvalsTable } from '#adapters/tables/approvals-table.ts';
import { closeAbandonedActions } from '#core/actions/sweep-actions.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { ExecutionFault } from '#core/execution/executors/fault.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import { Turns } from '#core/kernel/turns.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { createHandler as sweep, sweepReservations } from '#lambdas/sweep/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys } from '../support/ports.ts';
import { recordedStore } from '../support/store.ts';
import { useGateway } from '../support/use-gateway.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

/** The sweep over the embedded store: rows read, rows postponed, and continuation. */
describe('rows', () => {
  const gateway = useGateway({}, 'test');

  const requested = async (n: number): Promise<string> => {
    const params = { title: `t${n}`, head: 'b', base: 'main' };
    const body = {
      protocol: 'git',
      tool: 'scm.create_pull_request',
      target: 'acme/web',
      capability: 'write',
      parameters: params,
    };
    const { body: answer } = await gateway.act({ ...body, actor: { agent: 'writer', session: `sweep-${n}` } });
    return answer.envelope_id;
  };
  const steps = (over: object = {}) => stepPorts({ ...gateway.ports, ...over });
  const started = async (id: string) => gateway.ports.approvals.clockStarted((await gateway.ports.approvals.find(id))!);

  test('[store.sweep] rows that are not due are counted but not read', async () => {
    const ids = [await requested(1), await requested(2), await requested(3)];
    for (const id of ids) await started(id);
    gateway.pass(10);
    const { store, of } = recordedStore(gateway.store.store);
    const approvals = approvalsTable({ store });
    expect(await sweepApprovals(steps({ approvals }))).toMatchObject({ pending: 3, oldest_seconds: 10, started: 0 });
    expect(of('getMany').filter(({ args }) => (args[0] as unknown[]).length > 0)).toHaveLength(0);
    // One request per shard for due rows and one for pending rows, however many tenants there are.
    expect(of('query')).toHaveLength(32);
  });

  describe('[store.sweep] counters for 1,500 tenants', () => {
    const tenants = Array.from({ length: 1_500 }, (_, n) => ({ id: `tenant-${n}` }));
    /** Simulates requests that each take this long on a clock that the test advances, however many run concurrently. */
    const world = (requestMs: number, rows: readonly string[] = []) => {
      let [now, most, underWay] = [0, 0, 0];
      const asked: string[] = [];
      const request = async (tenant?: string) => {
        if (tenant !== undefined) asked.push(tenant);
        underWay++;
        most = Math.max(most, underWay);
        await new Promise(setImmediate);
        now += requestMs / underWay;
        underWay--;
      };
      const ports = {
        clock: { now: () => now },
        snapshots: { current: async () => ({ configuration: { tenants }, identities: { limits: new Map() } }) },
        configStore: {
          tenantRowIds: async (after = '', limit = 0) => rows.filter((id) => id > after).slice(0, limit),
        },
        telemetry: { log: () => {} },
        counters: {
          expired: async (tenant: string) => {
            await request(tenant);
            return [];
          },
          reclaim: () => request(),
        },
      } as unknown as Parameters<typeof sweepReservations>[0];
      return { ports, asked, now: () => now, most: () => most };
    };

    test('are checked within a minute at 50 ms per request, 20 at a time', async () => {
      const { ports, asked, now, most } = world(50);
      await sweepReservations(ports, new Turns());
      expect(new Set(asked).size).toBe(1_500);
      expect(most()).toBe(20);
      expect(now()).toBeLessThan(40_000);
    });

    test('tenants skipped because the store was slow come first in the next minute', async () => {
      const { ports, asked } = world(2_000);
      const turns = new Turns();
      const minutes: number[] = [];
      while (new Set(asked).size < 1_500) {
        const before = asked.length;
        await sweepReservations(ports, turns);
        minutes.push(asked.length - before);
      }
      expect(minutes.length).toBeGreaterThan(2);
      expect(asked.slice(0, 1_500)).toEqual(tenants.map(({ id }) => id));
    });

    test('[tenants.rows] tenants stored as rows are checked in turn, a limited number per minute, however many there are', async () => {
      const rows = Array.from({ length: 5_000 }, (_, n) => `row-${String(n).padStart(5, '0')}`);
      const { ports, asked } = world(1, rows);
      const turns = new Turns();
      const minutes: (readonly string[])[] = [];
      for (let minute = 0; minute < 4; minute++) {
        asked.length = 0;
        await sweepReservations(ports, turns);
        minutes.push(asked.filter((id) => id.startsWith('row')));
      }
      expect(minutes.map((each) => each.length)).toEqual([2_000, 2_000, 1_000, 2_000]);
      expect(minutes.slice(0, 3).flat()).toEqual(rows);
    });

    test('[tenants.rows] skipped tenants that are stored as rows come first in the next minute', async () => {
      const rows = Array.from({ length: 1_000 }, (_, n) => `row-${String(n).padStart(5, '0')}`);
      const { ports, asked } = world(300, rows);
      const turns = new Turns();
      for (let minute = 0; new Set(asked).size < 2_500; minute++) {
        if (minute > 20) throw new Error('some tenants have no turn');
        await sweepReservations(ports, turns);
      }
      expect(asked.filter((id) => id.startsWith('row')).slice(0, 1_000)).toEqual(rows);
    });
  });
});

describe('interrupted actions', () => {
  const note = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
  const lock = {
    ...note,
    tool: 'scm.create_branch',
    capability: 'write',
    parameters: { branch: 'fix', from_branch: 'main' },
  };

  /** Creates an upstream that behaves as instructed and counts its calls. */
  function upstream() {
    const state = { calls: 0, behave: async (_signal?: AbortSignal): Promise<unknown> => ({ id: 7 }) };
    const executor: Executor = {
      name: 'notes',
      handles: ({ protocol }) => protocol === 'git',
      execute: async (_envelope, _credential, options) => {
        state.calls += 1;
        return state.behave(options?.signal);
      },
    };
    return { state, executor };
  }

  let notes: ReturnType<typeof upstream>;

  const gateway = useGateway(() => {
    notes = upstream();
    return { executors: [notes.executor] };
  });
  const { call } = gateway;
  beforeEach(() => {
    notes.state.calls = 0;
    notes.state.behave = async () => ({ id: 7 });
  });

  const act = (session: string, idempotencyKey?: string, action: object = note, key = keys.agent) =>
    call('POST', '/admin/v1/test-action', {
      key,
      body: { ...action, actor: { agent: 'writer', session } },
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    });

  const entries = (session: string) => evidenceOf(gateway.ports, session);

  /** Simulates a process that is killed midway: the ledger no longer accepts results. */
  function killedBeforeResult() {
    const ledger = {
      ...gateway.ports.ledger,
      commit: (step: Parameters<typeof gateway.ports.ledger.commit>[0]) =>
        step.draft.kind === 'result' ? Promise.reject(new Error('killed')) : gateway.ports.ledger.commit(step),
    };
    return caller({ ...gateway.ports, ledger });
  }

  describe('a request with an idempotency key', () => {
    test('[action.idempotency-key] a repeated request gets the first outcome, and the call is not made again', async () => {
      const first = await act('once-1', 'k-1');
      expect(first.body).toMatchObject({ decision: 'allow', result: { id: 7 } });
      const again = await act('once-1', 'k-1');
      expect(again.body).toMatchObject({
        envelope_id: first.body.envelope_id,
        decision: 'allow',
        matched_rule: first.body.matched_rule,
        replayed: true,
        result: { id: 7 },
      });
      expect(notes.state.calls).toBe(1);
      expect((await entries('once-1')).map(({ kind }) => kind)).toEqual(['allow', 'result']);
    });

    test('[action.idempotency-key] the call is made again without a key, with a different key, and for another caller', async () => {
      await act('once-2', 'k-2');
      await act('once-2');
      await act('once-2', 'k-3');
      await act('once-2b', 'k-2', note, keys.other);
      expect(notes.state.calls).toBe(4);
    });

    test('[action.idempotency-key] reusing the key for a different call is a conflict, and a malformed key is refused', async () => {
      await act('once-4', 'k-4');
      const other = await act('once-4', 'k-4', { ...note, target: 'acme/other' });
      expect(other).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
      expect((await act('once-4', 'two words')).status).toBe(400);
      expect(notes.state.calls).toBe(1);
    });

    test('[action.idempotency-key] only one of several concurrent requests is carried out', async () => {
      const release = Promise.withResolvers<void>();
      notes.state.behave = () => release.promise.then(() => ({ id: 8 }));
      const all = ['a', 'b', 'c', 'd'].map(() => act('once-5', 'k-5'));
      const early = await Promise.race(all);
      expect(early).toMatchObject({ status: 409, body: { error: { type: 'conflict', outcome: 'unknown' } } });
      release.resolve();
      const answers = await Promise.all(all);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(notes.state.calls).toBe(1);
      expect((await act('once-5', 'k-5')).body).toMatchObject({ replayed: true, result: { id: 8 } });
    });

    test('[action.idempotency-key] if no call was made the first time, the repeated request is carried out', async () => {
      const brokers = async () => undefined;
      const none = caller({ ...gateway.ports, brokers });
      const read = { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' };
      const headers = { 'idempotency-key': 'k-6' };
      const body = { ...read, actor: { agent: 'writer', session: 'once-6' } };
      expect((await none('POST', '/admin/v1/test-action', { key: keys.agent, body, headers })).status).toBe(503);
      expect((await act('once-6', 'k-6', read)).body).toMatchObject({ decision: 'allow', result: { id: 7 } });
      expect(notes.state.calls).toBe(1);
    });

    test('[action.idempotency-key] repeating an approved call does not request another approval', async () => {
      const asked = await act('once-7', 'k-7', lock);
      expect(asked.body.decision).toBe('review');
      const id = asked.body.envelope_id;
      await call('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
      const first = await act('once-7', 'k-7', lock);
      expect(first.body).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}`, result: { id: 7 } });
      expect((await act('once-7', 'k-7', lock)).body).toMatchObject({ replayed: true, result: { id: 7 } });
      expect((await act('once-7', undefined, lock)).body.decision).toBe('review');
      expect(notes.state.calls).toBe(1);
    });
  });

  describe('an action whose function was killed', () => {
    test('[action.decision-before-effect] the sweep records its outcome as unknown, once, and not before its time is up', async () => {
      const killed = killedBeforeResult();
      const headers = { 'idempotency-key': 'k-8' };
      const body = { ...note, actor: { agent: 'writer', session: 'killed-1' } };
      const cut = await killed('POST', '/admin/v1/test-action', { key: keys.agent, body, headers });
      expect(cut.status).toBe(500);
      expect((await act('killed-1', 'k-8')).status).toBe(409);
      await act('killed-1b');

      expect(await closeAbandonedActions(gateway.ports)).toBe(0);
      gateway.pass(16 * 60 + 10);
      await sweep(gateway.ports)();
      expect(await closeAbandonedActions(gateway.ports)).toBe(0);

      const [allow, result] = await entries('killed-1');
      expect(result).toMatchObject({
        kind: 'result',
        envelope_id: allow!.envelope_id,
        actor: { key_id: 'system' },
        body: { tool: note.tool, outcome: 'unknown' },
      });
      const told = await act('killed-1', 'k-8');
      expect(told.body).toMatchObject({ replayed: true, error: { data: { outcome: 'unknown' } } });
      expect(notes.state.calls).toBe(2);
      expect((await entries('killed-1b')).map(({ kind }) => kind)).toEqual(['allow', 'result']);
    });

    test("[action.decision-before-effect] [action.idempotency-key] if it had an approval, the outcome is recorded when the approval's lease ends", async () => {
      const asked = await act('killed-2', 'k-9', lock);
      const id = asked.body.envelope_id;
      await call('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
      const killed = killedBeforeResult();
      const headers = { 'idempotency-key': 'k-9' };
      const body = { ...lock, actor: { agent: 'writer', session: 'killed-2' } };
      await killed('POST', '/admin/v1/test-action', { key: keys.agent, body, headers });
      gateway.pass(20 * 60);
      await sweepApprovals(stepPorts(gateway.ports));
      await closeAbandonedActions(gateway.ports);
      expect((await entries('killed-2')).filter(({ kind }) => kind === 'result')).toHaveLength(1);
      expect((await act('killed-2', 'k-9', lock)).body).toMatchObject({ error: { data: { outcome: 'unknown' } } });
      expect(notes.state.calls).toBe(1);
    });
  });

  describe('a function that is about to reach its time limit', () => {
    const endingIn = (ms: number, timeouts = gateway.ports.timeouts) =>
      caller({ ...gateway.ports, timeouts }, { endsAtMs: gateway.ports.clock.now() + ms });

    test('[action.decision-before-effect] aborts the execution five seconds before the limit, records the outcome as unknown and returns it', async () => {
      const timeouts = woundTimeouts();
      notes.state.behave = (signal) =>
        new Promise((_, reject) => {
          signal!.addEventListener('abort', () => {
            const { name } = signal!.reason as Error;
            reject(new ExecutionFault('cancelled', `it ended: ${name}`, { effect: 'unknown' }));
          });
        });
      const body = { ...note, actor: { agent: 'writer', session: 'late-1' } };
      const answer = endingIn(20_000, timeouts)('POST', '/admin/v1/test-action', { key: keys.agent, body });
      await timeouts.armed(15_000);
      timeouts.pass(15_000);
      expect((await answer).body).toMatchObject({
        decision: 'allow',
        error: { message: 'scm.list_branches failed at notes: it ended: TimeoutError', data: { outcome: 'unknown' } },
      });
      expect((await entries('late-1')).at(-1)).toMatchObject({ kind: 'result', body: { outcome: 'unknown' } });
      expect(timeouts.size).toBe(0);
    });

    test('[action.decision-before-effect] stops waiting for an executor that does not react', async () => {
      const timeouts = woundTimeouts();
      notes.state.behave = () => new Promise(() => {});
      const body = { ...note, actor: { agent: 'writer', session: 'late-2' } };
      const answer = endingIn(20_000, timeouts)('POST', '/admin/v1/test-action', { key: keys.agent, body });
      await timeouts.armed(15_000);
      timeouts.pass(15_000);
      await timeouts.armed(1_000);
      timeouts.pass(1_000);
      expect((await answer).body).toMatchObject({ error: { data: { outcome: 'unknown' } } });
      expect((await entries('late-2')).at(-1)).toMatchObject({ kind: 'result', body: { outcome: 'unknown' } });
    });

    test('[action.decision-before-effect] makes no call without enough time left, and makes it with enough time', async () => {
      const body = { ...note, actor: { agent: 'writer', session: 'late-3' } };
      const refused = await endingIn(4_000)('POST', '/admin/v1/test-action', { key: keys.agent, body });
      expect(refused).toMatchObject({ status: 503, body: { error: { type: 'service_unavailable' } } });
      expect(notes.state.calls).toBe(0);
      expect((await entries('late-3')).at(-1)).toMatchObject({ kind: 'result', body: { outcome: 'not_executed' } });
      const done = await endingIn(60_000)('POST', '/admin/v1/test-action', { key: keys.agent, body });
      expect(done.body).toMatchObject({ decision: 'allow', result: { id: 7 } });
    });
  });

  test('[action.decision-before-effect] due actions are found in all shards; finished ones are not', async () => {
    const table = actionsTable(gateway.store);
    for (let i = 0; i < 40; i++) await act(`many-${i}`);
    expect(await table.due('9999', 100)).toEqual([]);
    const killed = killedBeforeResult();
    for (let i = 0; i < 40; i++)
      await killed('POST', '/admin/v1/test-action', {
        key: keys.agent,
        body: { ...note, actor: { agent: 'writer', session: `many-${i}` } },
      });
    expect(await table.due('9999', 100)).toHaveLength(40);
    expect(await closeAbandonedActions(gateway.ports, '9999')).toBe(40);
    expect(await table.due('9999', 100)).toEqual([]);
  });
});
