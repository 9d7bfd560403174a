/** Counters while the store fails. */
import { countersTable } from '#adapters/tables/counters-table.ts';
import { intercepted, testStore } from '../support/store.ts';
import { budget, call, noLimits, now, settled } from '../unit/limits/sample.ts';
import { clock, stores, time } from './counter-store.ts';

describe('a store that fails', () => {
  const unreachable = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' }));

  test('[error.store-down] is service_unavailable for everything', async () => {
    const down = stores(() => unreachable);
    const refused = expect.objectContaining({ code: 'service_unavailable' });
    await expect(down.reserve(call({ budgets: [budget(1000)] }))).rejects.toEqual(refused);
    await expect(down.begin('t', 'x')).rejects.toEqual(refused);
    await expect(down.extend('t', 'x')).rejects.toEqual(refused);
    await expect(down.settle('t', 'x', settled())).rejects.toEqual(refused);
    await expect(down.expired('t')).rejects.toEqual(refused);
    await expect(down.reclaim('t')).rejects.toEqual(refused);
    await expect(down.status('t', noLimits)).rejects.toEqual(refused);
  });

  test('[error.store-down] every call of a group is refused, and the next call goes through', async () => {
    let failing = true;
    const flaky = stores((send) => (command) => (failing ? unreachable() : send(command)));
    const limits = { requests_per_minute: 5, budgets: [] };
    const group = await Promise.allSettled([1, 2, 3].map(() => flaky.reserve(call(limits, { tenant: 'flaky' }))));
    expect(group.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    failing = false;
    expect((await flaky.reserve(call(limits, { tenant: 'flaky' }))).limits.remaining_requests).toBe(4);
  });

  test('[error.store-down] an item that cannot be read refuses, it is not begun again', async () => {
    const garbled = stores((send) => async (command) => {
      const answer = (await send(command)) as { Item?: Record<string, unknown> };
      return command.constructor.name === 'GetItemCommand'
        ? { Item: { id: { S: 'x' }, version: { N: '1' }, state: { S: '{' } } }
        : answer;
    });
    await expect(garbled.status('garbled', noLimits)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('a request the client repeats after a lost answer is counted once', async () => {
    const repeating = stores((send) => async (command) => {
      if (command.constructor.name === 'PutItemCommand') await send(command);
      return send(command);
    });
    const limits = { requests_per_minute: 5, budgets: [budget(100)] };
    const once = call(limits, { tenant: 'repeated', cost_microusd: 10 });
    expect((await repeating.reserve(once)).limits.remaining_requests).toBe(4);
    await repeating.settle('repeated', once.id, settled({ cost_microusd: 7 }));
    const { budgets, open } = await stores().status('repeated', limits);
    expect({ used: budgets[0]!.used_microusd, open }).toEqual({ used: 7, open: 0 });
  });

  test('an answer that is lost for good leaves a reservation, and its lease ends', async () => {
    const losing = stores((send) => async (command) => {
      const answer = await send(command);
      if (command.constructor.name === 'PutItemCommand') throw new Error('socket hang up');
      return answer;
    });
    const limits = { requests_per_minute: 1, budgets: [] };
    await expect(losing.reserve(call(limits, { tenant: 'lost' }))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect((await stores().status('lost', limits)).open).toBe(1);
    expect(await stores().expired('lost')).toEqual([]);
    time.ms = now + 60_000;
    expect(await stores().expired('lost')).toMatchObject([{ begun: false }]);
    time.ms = now;
  });

  /** A store in which another process is always faster. */
  function crowded(open = '[]') {
    const pauses: number[] = [];
    const writes: string[] = [];
    let n = 0;
    const row = () => ({
      ...{ id: 'x', version: ++n },
      state: `{"w":[0],"s":{},"g":{},"a":[],"o":${open}}`,
    });
    const counters = countersTable({
      store: intercepted(testStore(), async (method) => {
        if (method === 'get') return row();
        writes.push(method);
        return method === 'put' ? { written: false, row: row() } : { reasons: [{ code: 'condition', row: row() }] };
      }),
      clock,
      random: () => 1,
      pause: async (ms) => void pauses.push(ms),
    });
    return { counters, pauses, writes };
  }

  test('[limit.shards] a call is refused with Retry-After after three lost writes and one attempt to make room', async () => {
    const { counters, pauses, writes } = crowded();
    const limits = { requests_per_minute: 6000, budgets: [] };
    await expect(counters.reserve(call(limits))).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 1,
    });
    expect(writes.filter((name) => name === 'put')).toHaveLength(3);
    expect(writes.filter((name) => name === 'transact')).toHaveLength(1);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(200);
  });

  test('[limit.shards] a settlement is tried longer than a reservation', async () => {
    const { counters, pauses, writes } = crowded('[["open","s",0,0,10,0,[],0,9000000000000]]');
    await expect(counters.settle('t', 'open', settled())).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(writes).toEqual(Array(40).fill('put'));
    expect(Math.max(...pauses)).toBe(200);
  });

  test('a reservation that has ended cannot be begun: no amount would be charged', async () => {
    await expect(stores().begin('nobody', 'nothing')).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(stores().extend('nobody', 'nothing')).resolves.toBeUndefined();
    await expect(stores().settle('nobody', 'nothing', settled())).resolves.toBeUndefined();
  });

  test('an invalid count is refused before it is written', async () => {
    await expect(stores().reserve(call(noLimits, { tokens: Number.NaN }))).rejects.toMatchObject({
      code: 'server_error',
    });
    await expect(stores().settle('t', 'x', settled({ cost_microusd: -1 }))).rejects.toMatchObject({
      code: 'server_error',
    });
  });
});
