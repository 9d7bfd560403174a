/** The sweep over the embedded store: rows read, rows postponed, and continuation. */
import { approvalsTable } from '#adapters/tables/approvals-table.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { Turns } from '#core/kernel/turns.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { sweepReservations } from '#lambdas/sweep/event.ts';
import { recordedStore } from '../support/store.ts';
import { useGateway } from '../support/use-gateway.ts';

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

test('[store.sweep] rows that are not due are counted and not read', async () => {
  const ids = [await requested(1), await requested(2), await requested(3)];
  for (const id of ids) await started(id);
  gateway.pass(10);
  const { store, of } = recordedStore(gateway.store.store);
  const approvals = approvalsTable({ store });
  expect(await sweepApprovals(steps({ approvals }))).toMatchObject({ pending: 3, oldest_seconds: 10, started: 0 });
  expect(of('getMany').filter(({ args }) => (args[0] as unknown[]).length > 0)).toHaveLength(0);
  // One request a shard for what is due and one for what waits, however many tenants there are.
  expect(of('query')).toHaveLength(32);
});

describe('[store.sweep] the counters of 1,500 tenants', () => {
  const tenants = Array.from({ length: 1_500 }, (_, n) => ({ id: `tenant-${n}` }));
  /** Each request takes so long on a clock that the test winds, whatever runs beside it. */
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

  test('are checked within a minute at 50 ms a request, 20 at once', async () => {
    const { ports, asked, now, most } = world(50);
    await sweepReservations(ports, new Turns());
    expect(new Set(asked).size).toBe(1_500);
    expect(most()).toBe(20);
    expect(now()).toBeLessThan(40_000);
  });

  test('that were left are the first of the next minute, when the store is slow', async () => {
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

  test('[tenants.rows] that are rows have their turn, a bounded number each minute, whatever their number', async () => {
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

  test('[tenants.rows] that are rows and were left are the first of the next minute', async () => {
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
