/** The maximum number of pending requests, counted in the store and exact even in bursts. */
import { type PendingCaps, PendingLimit } from '#core/approvals/pending-limit.ts';

const caps: PendingCaps = { max_pending_per_key: 3, max_pending_per_tenant: 5 };

function started(pending: string[] = []) {
  const looks = { count: 0 };
  const limit = new PendingLimit({
    pendingKeys: async (_tenant, most) => {
      looks.count++;
      const seen = pending.slice(0, most);
      await new Promise((resolve) => setImmediate(resolve));
      return seen;
    },
  });
  return { limit, looks };
}

const refusals = async (asked: Promise<void>[]) =>
  (await Promise.allSettled(asked)).flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));

test('[approval.pending-cap] accepts three of twenty concurrent requests', async () => {
  const { limit, looks } = started();
  const refused = await refusals(Array.from({ length: 20 }, () => limit.take('t', 'k1', caps, 0)));
  expect(refused).toHaveLength(17);
  expect(refused[0]).toMatch(/3 requests from this key.*max_pending_per_key is 3.*wait until/);
  expect(looks.count).toBe(1);
});

test('[approval.pending-cap] a key at its limit does not block other keys; a tenant at its limit blocks all of its keys', async () => {
  const { limit } = started(['k1', 'k1', 'k1']);
  expect(await refusals([limit.take('t', 'k1', caps, 0)])).toHaveLength(1);
  await limit.take('t', 'k2', caps, 0);
  await limit.take('t', 'k3', caps, 0);
  expect((await refusals([limit.take('t', 'k4', caps, 0)]))[0]).toMatch(/5 requests from this tenant/);
  const other = started();
  await other.limit.take('elsewhere', 'k4', caps, 0);
});

test('[approval.pending-cap] requests that have been decided free their slots a quarter of a second later', async () => {
  const pending = ['k1', 'k1', 'k1'];
  const { limit, looks } = started(pending);
  expect(await refusals([limit.take('t', 'k1', caps, 0)])).toHaveLength(1);
  pending.pop();
  expect(await refusals([limit.take('t', 'k1', caps, 100)])).toHaveLength(1);
  expect(looks.count).toBe(1);
  await limit.take('t', 'k1', caps, 300);
  expect(await refusals([limit.take('t', 'k1', caps, 300)])).toHaveLength(1);
});

test('[approval.pending-cap] grants no slot if the store is unreachable', async () => {
  const limit = new PendingLimit({ pendingKeys: () => Promise.reject(new Error('down')) });
  await expect(limit.take('t', 'k1', caps, 0)).rejects.toThrow('down');
  await expect(limit.take('t', 'k1', caps, 0)).rejects.toThrow('down');
});
