/** Notifications that do not reach their channel, as `agentctl status` has them. */
import { deliverUntilNoneIsDue } from '#core/approvals/notifications/deliver.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

/** One page of what is due. */
const deliverDue = (ports: Parameters<typeof deliverUntilNoneIsDue>[0]) => deliverUntilNoneIsDue(ports, 0);

const gateway = useGateway();

test('[cli.status] a failed notification is retrying, then dead, with its error and without the address', async () => {
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
      waiting: ports.approvals,
      digestTerms: async () => ({ on: false, above: 20, everySeconds: 60 }),
      random: () => 0.5,
      placeOf: async () => undefined,
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

describe('[admin.status] what the gateway depends on', () => {
  const fresh = useGateway({}, 'test');

  const health = async (ports = fresh.ports) =>
    (await caller(ports)('GET', '/admin/v1/health/detailed', { key: keys.viewer })).body;
  const of = (body: { dependencies: { name: string }[] }, name: string) =>
    body.dependencies.find((one) => one.name === name);

  test('stores answer, a provider that was not called is unknown, one that is off is not listed', async () => {
    const body = await health();
    expect(body.status).toBe('ok');
    const since = new Date(fresh.ports.clock.now()).toISOString();
    expect(body.dependencies).toEqual([
      { kind: 'store', name: 'tables', needed: true, state: 'up', latency_ms: 0, since },
      { kind: 'object_store', name: 'objects', needed: true, state: 'up', latency_ms: 0, since },
      { kind: 'provider', name: 'mock', needed: false, state: 'unknown', since },
      { kind: 'projection', name: 'evidence', needed: false, state: 'up', since },
    ]);
  });

  test('a channel that fails degrades it, since then and with the reason; the stores keep their time', async () => {
    const before = await health();
    fresh.pass(60);
    const { deliveries, clock } = fresh.ports;
    const now = new Date(clock.now()).toISOString();
    await deliveries.enqueue({
      ...{ id: 'one', channel: 'slack', event: 'submitted', envelope_id: 'one', tenant: 'default' },
      ...{ attempts: 1, last_error: 'it answered 500', due_at: now, state: 'due' },
    });
    const body = await health();
    expect(body.status).toBe('degraded');
    expect(of(body, 'slack')).toMatchObject({ kind: 'channel', state: 'down', reason: 'it answered 500', since: now });
    expect(of(body, 'tables')).toEqual(of(before, 'tables'));
  });

  test('[admin.status] a server that could not be started is down, with the reason, before any call; one that answered is up', async () => {
    const withServers = await testPorts({
      extra: `
upstreams:
  mcp:
    - { name: here, url: "https://mcp.example/mcp" }
    - { name: gone, url: "https://mcp.example/gone" }
    - { name: other, url: "https://mcp.example/other" }
`,
    });
    const { dependencyStates } = withServers.ports;
    dependencyStates.connected('here', 'it does not answer');
    dependencyStates.connected('here');
    dependencyStates.connected('gone', 'the process exited with code 127');
    const body = await health(withServers.ports);
    await withServers.stop();
    expect(body.status).toBe('degraded');
    expect(of(body, 'here')).toMatchObject({ state: 'up' });
    expect(of(body, 'gone')).toMatchObject({ state: 'down', reason: 'the process exited with code 127' });
    expect(of(body, 'other')).toMatchObject({ state: 'unknown' });
  });

  test('without its object store it is unavailable, and reports it', async () => {
    const objects = { ...fresh.ports.objects, get: () => Promise.reject(new Error('https://secret.example refused')) };
    const body = await health({ ...fresh.ports, objects });
    expect(body.status).toBe('unavailable');
    expect(of(body, 'objects')).toMatchObject({ needed: true, state: 'down' });
    expect(JSON.stringify(body)).not.toContain('secret.example');
  });
});
