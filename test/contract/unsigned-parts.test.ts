/** What `require_signed` refuses, through the handlers: evidence of each part, shown by GET supply-chain, and an alert. */
import { createHandler } from '#lambdas/alerts/event.ts';
import { configuration } from '../support/ports.ts';
import { indexOf, rootKeys, strangerKeys } from '../support/signed-plugins.ts';
import { useGateway } from '../support/use-gateway.ts';

const key = 'admin-token-1';
let evaluate: ReturnType<typeof createHandler>;
const gateway = useGateway({}, 'test');
const { call } = gateway;
beforeEach(() => {
  evaluate = createHandler(gateway.ports);
});

const put = (text: string) =>
  call('PUT', '/admin/v1/config', { key, raw: text, headers: { 'content-type': 'application/yaml' } });
const unsigned = configuration('', '', '{ pack: readonly, require_signed: true }');
const acts = async () => (await call('GET', '/admin/v1/supply-chain', { key })).body.acts;
const open = async () => (await call('GET', '/admin/v1/alerts?state=active', { key })).body.alerts;
const minutes = async (times: number) => {
  for (let nth = 0; nth < times; nth++) {
    gateway.pass(60);
    await evaluate();
  }
};

test('[supply-chain.require-signed] a pack without a signature is refused, and the refusal is evidence', async () => {
  const before = (await call('GET', '/admin/v1/config', { key })).body.version;
  const refused = await put(unsigned);
  expect(refused).toMatchObject({ status: 400, body: { error: { type: 'invalid_request' } } });
  expect(refused.body.error.message).toContain('tool_policies.pack');
  expect(await acts()).toEqual([
    expect.objectContaining({
      ...{ act: 'refuse', name: 'readonly', kind: 'policy_pack', reason: 'unsigned' },
      ...{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), message: expect.stringContaining('no signed index') },
    }),
  ]);
  expect((await call('GET', '/admin/v1/config', { key })).body.version).toBe(before);
  expect((await call('GET', '/admin/v1/audit/verify', { key })).body).toMatchObject({ valid: true });
});

test('[supply-chain.sequence] an index older than the one in force is refused, a newer one and another root key are accepted', async () => {
  const under = (file: object, pem = rootKeys.pem.publicKey) =>
    put(configuration(`supply_chain: ${JSON.stringify({ root_key: pem, index: file })}`));
  const sequence = (index: number, revocations: number) =>
    indexOf({ index: { sequence: index }, revocations: { sequence: revocations } });
  expect((await under(sequence(6, 6))).status).toBe(201);
  for (const older of [sequence(5, 6), sequence(7, 5)]) {
    const refused = await under(older);
    expect(refused).toMatchObject({ status: 400, body: { error: { type: 'invalid_request' } } });
    expect(refused.body.error.message).toMatch(/supply_chain\.index: found sequence_older/);
  }
  const reused = await under(indexOf({ index: { sequence: 6 }, plugins: [], revocations: { sequence: 6 } }));
  expect(reused.body.error.message).toContain('sequence_reused');
  expect((await under(sequence(7, 6))).status).toBe(201);
  expect((await under(indexOf({}, strangerKeys), strangerKeys.pem.publicKey)).status).toBe(201);
});

test('[supply-chain.require-signed] other refusals, and the same pack without the requirement, leave no such entry', async () => {
  expect((await put(configuration('unknown_key: 1'))).status).toBe(400);
  expect((await put(configuration('', '', '{ pack: readonly }'))).status).toBe(201);
  expect(await acts()).toEqual([]);
});

test('[alert.thresholds] a refusal opens one alert of its tenant, which resolves after its ten minutes', async () => {
  await minutes(1);
  expect(await open()).toEqual([]);
  await put(unsigned);
  await put(unsigned);
  await minutes(2);
  expect(await open()).toEqual([
    expect.objectContaining({
      ...{ type: 'system', dimension: 'tenant:default', metric: 'refused_plugins', value: 2, severity: 'warning' },
      message: expect.stringContaining('"readonly" (unsigned)'),
    }),
  ]);
  await minutes(14);
  expect(await open()).toEqual([]);
});

test('[alert.thresholds] a refusal before midnight counts after it', async () => {
  const day = 86_400_000;
  gateway.pass((day - (gateway.ports.clock.now() % day)) / 1000 - 30);
  await evaluate();
  await put(unsigned);
  await minutes(1);
  expect(await open()).toMatchObject([{ metric: 'refused_plugins', value: 1 }]);
});
