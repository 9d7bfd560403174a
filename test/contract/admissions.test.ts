import type { HttpEvent } from '#core/contracts/http.ts';
import { routes } from '#features/routes.ts';
import { beforeBody } from '#lambdas/middleware/before-body.ts';
import { identify } from '#lambdas/middleware/identify.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway();

const listing = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read', dry_run: true };

test('[admin.rate-limit] all routes of the admin surface count together, dry runs too, and the gateway surface does not', async () => {
  const call = caller(gateway.ports);
  const ask = (n: number) =>
    n % 2 === 0
      ? call('GET', '/admin/v1/whoami', { key: keys.other })
      : call('POST', '/admin/v1/test-action', { key: keys.other, body: listing });
  const statuses: number[] = [];
  for (let n = 0; n < 252; n++) statuses.push((await ask(n)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(250);
  const refused = await ask(1);
  expect(refused).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
  expect(refused.headers['retry-after']).toBe('1');
  expect((await call('GET', '/v1/models', { key: keys.other })).status).toBe(200);
  expect((await call('GET', '/admin/v1/whoami', { key: keys.agent })).status).toBe(200);
  gateway.pass(1);
  expect((await ask(0)).status).toBe(200);
});

test('[auth.before-body] wrong keys end in 429 on every surface', async () => {
  const call = caller(gateway.ports);
  expect((await call('GET', '/v1/models', { key: keys.viewer })).status).toBe(200);
  const statuses = new Set<number>();
  for (let n = 0; n < 100; n++) statuses.add((await call('GET', '/admin/v1/whoami', { key: `guess-${n}` })).status);
  expect(statuses).toEqual(new Set([401]));
  expect(gateway.telemetry.metricsText()).toMatch(/^svc_credentials_rejected_total \d{3}$/m);
  expect((await call('POST', '/v1/messages', { key: 'guess', body: {} })).status).toBe(429);
  expect((await call('GET', '/admin/v1/whoami')).status).toBe(401); // no key is no guess
  expect((await call('GET', '/v1/models', { key: keys.viewer })).status).toBe(200);
  gateway.pass(200);
});

const asked = (method: string, resource: string, key?: string) =>
  ({
    httpMethod: method,
    resource,
    path: resource,
    headers: key === undefined ? {} : { 'x-api-key': key },
    multiValueHeaders: key === undefined ? {} : { 'x-api-key': [key] },
  }) as unknown as HttpEvent;

test.each([
  ['POST', '/v1/chat/completions', undefined, 0],
  ['POST', '/v1/chat/completions', 'wrong', 0],
  ['POST', '/v1/chat/completions', keys.agent, 10_485_760],
  ['POST', '/mcp', 'wrong', 0],
  ['POST', '/admin/v1/test-action', undefined, 0],
  ['POST', '/admin/v1/test-action', keys.viewer, 0], // its role may not
  ['POST', '/admin/v1/test-action', keys.agent, 262_144],
  ['GET', '/health', keys.agent, 0],
  ['POST', '/callbacks/slack', undefined, 262_144],
] as const)('[auth.before-body] %s %s with %s: %d bytes of the body are read', async (method, resource, key, bytes) => {
  const before = await beforeBody(asked(method, resource, key), gateway.ports);
  expect(before.bodyBytes).toBe(bytes);
  expect(before.caller?.kind).toBe(key === keys.agent && bytes > 0 ? 'agent' : undefined);
});

test('[admin.rate-limit] the rate is configured', async () => {
  const other = await testPorts({ admin: ', requests_per_second: 1' });
  try {
    const call = caller(other.ports);
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await call('GET', '/admin/v1/whoami', { key: keys.agent })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  } finally {
    await other.stop();
  }
});

test('[error.store-down] an open route is answered without the configuration, and a route with a key is not', async () => {
  const current = async () => {
    throw new Error('the store is down');
  };
  const ports = { ...gateway.ports, snapshots: { current } };
  expect(await beforeBody(asked('GET', '/health', ''), ports)).toEqual({ bodyBytes: 0 });
  await expect(beforeBody(asked('POST', '/v1/chat/completions', ''), ports)).rejects.toThrow('is down');
});

test('[auth.before-body] a key is checked once, and again if the configuration changes while the body arrives', async () => {
  const { ports } = gateway;
  const route = routes.find(({ operation }) => operation === 'testAction')!;
  const event = asked('POST', route.path, keys.agent);
  const snapshot = await ports.snapshots.current();
  const { caller } = await beforeBody(event, ports);
  expect(await identify({ ...event, body: '{}' }, route, snapshot, ports)).toBe(caller);
  const revoked = { ...snapshot, identities: { ...snapshot.identities, byDigest: new Map() } };
  await expect(identify(event, route, revoked, ports)).rejects.toMatchObject({ code: 'authentication_error' });
});
