/** Notifications that do not reach their channel, as `agentctl status` has them. */
import { deliverDue } from '#core/approvals/deliver.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';

let gateway: Awaited<ReturnType<typeof testPorts>>;
beforeAll(async () => {
  gateway = await testPorts();
}, 60_000);
afterAll(() => gateway?.stop());

test('[cli.status-failing] a failed notification is retrying, then dead, with its error and without the address', async () => {
  const { ports } = gateway;
  const { deliveries, clock } = ports;
  for (const tenant of ['default', 'elsewhere'])
    await deliveries.enqueue({
      ...{ id: `${tenant}#submitted#slack`, channel: 'slack', event: 'submitted', envelope_id: tenant, tenant },
      ...{ attempts: 0, due_at: new Date(clock.now()).toISOString(), state: 'due' },
    });
  const statusOf = async () =>
    (await caller(ports)('GET', '/admin/v1/health/detailed', { key: keys.viewer })).body.deliveries;
  expect(await statusOf()).toEqual({ due: 2, failing: [] });

  const tryAll = () =>
    deliverDue({
      ...ports,
      approvals: { find: async () => ({ envelope_id: 'x' }) as never },
      notifier: async () => ({
        send: () => Promise.reject(new Error('POST https://hooks.slack.example/T0/B0/secret answered 404')),
      }),
      random: () => 0.5,
    });
  await tryAll();
  const retrying = await statusOf();
  expect(retrying.failing).toMatchObject([
    { channel: 'slack', envelope_id: 'default', state: 'retrying', attempts: 1 },
  ]);
  expect(retrying.failing[0].error).toBe('POST <address> answered 404');
  expect(JSON.stringify(retrying)).not.toMatch(/secret|elsewhere/);

  for (let attempt = 2; attempt <= 8; attempt++) {
    gateway.pass(3600);
    await tryAll();
  }
  expect(await statusOf()).toMatchObject({ due: 0, failing: [{ state: 'dead', attempts: 8 }] });
});
