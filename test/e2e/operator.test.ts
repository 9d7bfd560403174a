/** The operator as processes between an API server and a real gateway: everything goes over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permissions } from '../../operator/kubernetes-api.ts';
import type { Condition, GatewayStatus } from '../../operator/resources.ts';
import { until } from '../support/executor-cases.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OperatorProcess, startOperatorProcess } from '../support/operator-process.ts';
import { type KubeApi, kubeApi } from './kube-api.ts';

const custom = (plural: string) => `governance.dev/${plural}`;
const adminToken = 'administrator-of-the-operator-test';
const folder = mkdtempSync(join(tmpdir(), 'operator-'));
let gateway: Gateway;
let api: KubeApi;
let operators: Operator[] = [];

beforeAll(async () => {
  gateway = await startGateway({
    env: {
      GATEWAY_ADMIN_TOKEN: adminToken,
      GATEWAY_SECRET_NAMES: 'PROVIDER_OPENAI_API_KEY',
      PROVIDER_OPENAI_API_KEY: 'sk-1',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  api = await kubeApi(permissions);
  api.create('/secrets', secretOf('admin', 'token', adminToken));
  api.create('/secrets', secretOf('one', 'key', 'key-of-tenant-one'));
  api.create('apps/deployments', {
    metadata: { name: 'gateway' },
    spec: {
      replicas: 1,
      template: {
        spec: { containers: [{ name: 'gateway', image: 'gateway:1', env: [{ name: 'LOG', value: 'on' }] }] },
      },
    },
  });
  rolledOut();
});
afterEach(async () => {
  for (const operator of operators) await operator.stop('SIGTERM');
  operators = [];
  await api.stop();
});

type Operator = OperatorProcess & { readonly identity: string };

function startOperator(identity: string): Operator {
  const token = join(folder, identity);
  writeFileSync(token, identity);
  const started = startOperatorProcess({
    KUBERNETES_API: api.url,
    KUBERNETES_TOKEN_FILE: token,
    OPERATOR_NAMESPACE: api.namespace,
    OPERATOR_GATEWAY_ADDRESS: gateway.ready.admin_url,
    OPERATOR_IDENTITY: identity,
  });
  const operator = { identity, ...started };
  operators.push(operator);
  return operator;
}

/** Returns metadata with a label by which the owner lets Gateway objects refer to the object. */
const marked = (name: string) => ({ name, labels: { 'governance.dev/usable-by': 'main' } });
const secretOf = (name: string, key: string, value: string) => ({
  metadata: marked(name),
  data: { [key]: Buffer.from(value).toString('base64') },
});
const create = (kind: string, plural: string, name: string, spec: object) =>
  api.create(custom(plural), { apiVersion: 'governance.dev/v1alpha1', kind, metadata: { name }, spec });
const createGateway = () =>
  create('Gateway', 'gateways', 'main', {
    service: { name: 'gateway' },
    deployment: { name: 'gateway' },
    adminToken: { secretKeyRef: { name: 'admin', key: 'token' } },
    configuration: { tool_policies: { pack: 'readonly' } },
  });
const createTenant = (name: string, secret = 'one', more = {}) =>
  create('Tenant', 'tenants', name, {
    gateway: 'main',
    keys: [{ secretKeyRef: { name: secret, key: 'key' }, role: 'operator', kind: 'agent' }],
    ...more,
  });
const statusOf = (plural: string, name: string) => api.get(custom(plural), name)?.status as GatewayStatus | undefined;
const synced = (plural: string, name: string): Condition | undefined =>
  statusOf(plural, name)?.conditions?.find(({ type }) => type === 'Synced');
const isSynced = (plural: string, name: string) => synced(plural, name)?.status === 'True';

function rolledOut(): void {
  const { generation } = api.get('apps/deployments', 'gateway')!.metadata;
  const status = { observedGeneration: generation, replicas: 1, updatedReplicas: 1, readyReplicas: 1 };
  api.setStatus('apps/deployments', 'gateway', status);
}
/** Waits for a condition of the cluster; meanwhile pods run their template. */
const settled = (holds: () => boolean | Promise<boolean>) =>
  until(async () => {
    rolledOut();
    return holds();
  });
const called = (path: string, key: string, init: RequestInit = {}) =>
  fetch(`${gateway.ready.admin_url}/admin/v1/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...init.headers },
  });
const live = async () =>
  (await called('config', adminToken)).json() as Promise<{
    version: number;
    configuration: { tenants: { id: string }[] };
  }>;
/** Checks that a key is accepted: the call is allowed, or refused because agents may not make it. */
const works = async (key: string) => [200, 403].includes((await called('policies', key)).status);
const versionNow = () => statusOf('gateways', 'main')?.version ?? 0;

test('[operator.kubernetes] objects take effect, a refusal is reported as a condition, and deletion revokes a key', async () => {
  createGateway();
  createTenant('one');
  create('Policy', 'policies', 'no-push', {
    gateway: 'main',
    rules: [{ protocol: 'git', tool: '*', decision: 'block' }],
  });
  const operator = startOperator('first');
  await settled(() => isSynced('gateways', 'main') && isSynced('tenants', 'one') && isSynced('policies', 'no-push'));
  expect(await works('key-of-tenant-one')).toBe(true);
  const { version } = await live();
  expect(statusOf('gateways', 'main')).toMatchObject({ version, observedGeneration: 1 });

  // A configuration that the gateway refuses: the gateway's own message is shown, and the last configuration stays.
  createTenant('two', 'one', { allowed_modelz: ['*'] });
  await settled(() => synced('tenants', 'two')?.reason === 'Refused');
  expect(synced('gateways', 'main')).toMatchObject({
    status: 'False',
    message: expect.stringContaining('allowed_modelz'),
  });
  expect((await live()).version).toBe(version);
  expect(await works('key-of-tenant-one')).toBe(true);
  api.delete(custom('tenants'), 'two');
  await settled(() => isSynced('gateways', 'main') && api.get(custom('tenants'), 'two') === undefined);

  // A deleted tenant disappears from the API server only after its key has stopped working.
  api.create('/secrets', secretOf('three', 'key', 'key-of-tenant-three'));
  createTenant('three', 'three');
  await settled(() => isSynced('tenants', 'three'));
  expect(await works('key-of-tenant-three')).toBe(true);
  api.delete(custom('tenants'), 'three');
  await settled(() => api.get(custom('tenants'), 'three') === undefined);
  expect(await works('key-of-tenant-three')).toBe(false);
  expect(await works('key-of-tenant-one')).toBe(true);
  for (const secret of [adminToken, 'key-of-tenant']) expect(operator.log()).not.toContain(secret);
  expect(JSON.stringify(statusOf('gateways', 'main'))).not.toContain('key-of-tenant');
});

test('[operator.secrets] a rotated caller key replaces the old one; a rotated provider key replaces the pods', async () => {
  api.create('/secrets', secretOf('openai', 'key', 'sk-1'));
  createGateway();
  createTenant('one');
  create('Provider', 'providers', 'openai', {
    gateway: 'main',
    type: 'openai',
    models: ['gpt-*'],
    apiKey: { secretKeyRef: { name: 'openai', key: 'key' } },
  });
  startOperator('rotating');
  await settled(() => isSynced('gateways', 'main'));
  const containers = () => JSON.stringify(api.get('apps/deployments', 'gateway')!.spec);
  expect(containers()).toContain('PROVIDER_OPENAI_API_KEY');
  expect(containers()).toContain('"LOG"');
  expect(containers()).not.toContain('sk-1');

  const before = containers();
  const version = versionNow();
  api.edit('/secrets', 'one', (found) => ({
    ...found,
    ...secretOf('one', 'key', 'key-after-rotation'),
    metadata: found.metadata,
  }));
  await settled(() => versionNow() > version);
  expect(await works('key-after-rotation')).toBe(true);
  expect(await works('key-of-tenant-one')).toBe(false);
  expect(containers()).toBe(before);

  api.edit('/secrets', 'openai', (found) => ({
    ...found,
    ...secretOf('openai', 'key', 'sk-2'),
    metadata: found.metadata,
  }));
  await settled(() => containers() !== before);
  await settled(() => isSynced('gateways', 'main'));

  api.delete(custom('providers'), 'openai');
  await settled(() => api.get(custom('providers'), 'openai') === undefined);
  expect(containers()).not.toContain('PROVIDER_OPENAI_API_KEY');
  expect(containers()).toContain('"LOG"');
});

test('[operator.kubernetes] only one replica is active; another takes over if it is killed, and a clean exit releases the lease', async () => {
  createGateway();
  createTenant('one');
  const first = startOperator('replica-a');
  await settled(() => isSynced('gateways', 'main'));
  const second = startOperator('replica-b');
  const askedBySecond = () =>
    api.requests.some(({ user, resource }) => user === 'replica-b' && resource.endsWith('/leases'));
  await settled(askedBySecond);
  expect(api.writes().filter(({ user }) => user === 'replica-b')).toEqual([]);

  await first.stop('SIGKILL');
  api.create('/secrets', secretOf('two', 'key', 'key-of-tenant-two'));
  createTenant('after-the-kill', 'two');
  await settled(() => isSynced('tenants', 'after-the-kill'));
  expect(second.log()).toContain('"event":"leading"');
  const lease = () => api.get('coordination.k8s.io/leases', 'governance-operator')!.spec as { holderIdentity: string };
  expect(lease().holderIdentity).toBe('replica-b');

  // Stopped by the kubelet, so the lease is released.
  await second.stop('SIGTERM');
  expect(lease().holderIdentity).toBe('');
});
