/** Two replicas and a killed one, the permissions of the chart's service account, and a thousand objects. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import type { Programs } from './build.ts';
import { adminToken, at, type Cluster, custom, gatewaySpec, rendered, tenantSpec, values } from './cluster.ts';

const lease = at('apis/coordination.k8s.io/v1', 'leases', 'governance-operator');
const user = 'system:serviceaccount:governance:main-operator';
const changes = ['create', 'update', 'patch', 'delete'];
const many = 1000;

export const replicas = (cluster: Cluster, programs: Programs): Check[] => {
  const { create, secret, settled, isSynced, works, read, must, api } = cluster;
  const holder = async () => (await read(lease)).spec?.holderIdentity as string | undefined;
  /** Returns the operator's requests that change something. Leaders renew their lease continuously. */
  const writes = () =>
    api.asked().filter(({ verb, resource }) => changes.includes(verb) && resource !== 'coordination.k8s.io/leases');
  const begin = async () => {
    await cluster.clear();
    await secret('governance-admin', { token: adminToken });
    await secret('one', { key: 'key-of-tenant-one' });
    await create('Gateway', 'gateways', 'main', gatewaySpec);
    await create('Tenant', 'tenants', 'one', tenantSpec('one'));
  };
  return [
    check(
      '[operator.kubernetes] only one of two replicas is active; when it is killed, the other takes over, and later releases the lease',
      async () => {
        await begin();
        const first = cluster.startOperator('replica-a');
        await settled(() => isSynced('gateways', 'main'), 'the first replica');
        assert.equal(await holder(), 'replica-a');
        const { leaseTransitions } = (await read(lease)).spec;
        const second = cluster.startOperator('replica-b');
        const gets = () =>
          api.asked().filter(({ verb, resource }) => verb === 'get' && resource.endsWith('/leases')).length;
        const before = gets();
        await settled(async () => gets() > before + 2, 'the second replica to look at the lease');
        assert.ok(!second.log().includes('"event":"leading"'));
        await first.stop('SIGKILL');
        await secret('late', { key: 'key-of-a-late-tenant' });
        await create('Tenant', 'tenants', 'late', tenantSpec('late'));
        await settled(() => isSynced('tenants', 'late'), 'the second replica to take over');
        assert.equal(await holder(), 'replica-b');
        assert.equal((await read(lease)).spec.leaseTransitions, leaseTransitions + 1);
        assert.equal(await works('key-of-a-late-tenant'), true);
        await second.stop('SIGTERM');
        assert.ok(!(await holder()));
        await cluster.clear();
      },
    ),
    check(`[operator.composed] ${many} objects come into force, and then nothing is written`, async () => {
      await begin();
      const keys = Array.from({ length: many }, (_, n) => [`key-${n}`, `key-of-tenant-${n}`]);
      await secret('many', Object.fromEntries(keys));
      for (let n = 0; n < many; n += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            create('Tenant', 'tenants', `tenant-${n + i}`, tenantSpec('many', `key-${n + i}`)),
          ),
        );
      const earlier = writes().length;
      const begun = performance.now();
      const operator = cluster.startOperator('steady');
      const areSynced = async () => {
        const { items } = await must('GET', custom('tenants'));
        const isTrue = ({ status }: Loose) =>
          status?.conditions?.some(({ type, status: truth }: Loose) => type === 'Synced' && truth === 'True');
        return items.every(isTrue) && (await isSynced('gateways', 'main'));
      };
      // The tenants are checked only now, since listing a thousand objects would slow down the measured work.
      await settled(async () => operator.log().includes('"synced":true'), 'the configuration in force');
      await settled(areSynced, `${many} tenants in force`);
      const took = ((performance.now() - begun) / 1000).toFixed(1);
      assert.equal(await works('key-of-tenant-999'), true);
      const runs = () => operator.log().split('"event":"reconciled"').length;
      const [written, reconciled] = [writes().length, runs()];
      // One write claims an object, and another reports that it is in force.
      assert.ok(written - earlier <= 2 * many + 20, `${written - earlier} writes`);
      // `settled` writes the Deployment status repeatedly, and even that does not cause the operator to write.
      await settled(async () => runs() >= reconciled + 3, 'three more runs');
      assert.equal(writes().length, written);
      console.log(
        `    ${many} objects in ${took} s with ${written - earlier} writes; none in the three runs after them`,
      );
      await cluster.clear();
    }),
    check("[operator.chart] the chart's role is sufficient, and none of its verbs is unused", async () => {
      await begin();
      for (const [kind, plural, spec] of [
        ['Provider', 'providers', { gateway: 'main', type: 'mock', models: ['mock'] }],
        ['Route', 'routes', { gateway: 'main', match: { model: 'mock' }, providers: ['mock'] }],
        ['Policy', 'policies', { gateway: 'main' }],
      ] as const)
        await create(kind, plural, 'mock', spec);
      const operator = cluster.startOperator('least');
      await settled(() => isSynced('policies', 'mock'), 'one object of each kind');
      await operator.stop('SIGTERM');
      const asked = api.asked();
      assert.deepEqual([...new Set(asked.map((each) => each.user))], [user]);
      assert.deepEqual(
        asked.filter(({ status }) => status === 401 || status === 403),
        [],
      );
      const used = new Set(asked.map(({ verb, resource }) => `${verb} ${resource}`));
      const role = rendered(programs, values).find(({ kind }) => kind === 'Role');
      const granted = role.rules.flatMap(({ apiGroups, resources, verbs }: Loose) =>
        apiGroups.flatMap((group: string) =>
          resources.flatMap((resource: string) => verbs.map((verb: string) => `${verb} ${group}/${resource}`)),
        ),
      );
      assert.deepEqual([...used].sort(), [...new Set(granted)].sort());
      await cluster.clear();
    }),
    check(
      '[operator.chart] the service account has no access to other secrets, Deployments, namespaces or pods',
      async () => {
        const as = api.as(cluster.token);
        const status = async (method: string, path: string, body?: unknown, type?: string) =>
          (await as(method, path, body, type)).status;
        assert.equal(await status('GET', custom('tenants')), 200);
        for (const [method, path] of [
          ['GET', at('api/v1', 'secrets')],
          ['GET', '/api/v1/namespaces/kube-system/secrets/any'],
          ['GET', at('api/v1', 'pods')],
          ['GET', at('apis/apps/v1', 'deployments')],
          ['GET', at('apis/apps/v1', 'deployments', 'main-operator')],
          ['GET', custom('tenants', 'any')],
          ['DELETE', custom('tenants', 'any')],
          ['DELETE', lease],
          ['GET', '/apis/governance.dev/v1alpha1/tenants'],
          ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
        ] as const)
          assert.equal(await status(method, path), 403, `${method} ${path}`);
        for (const [path, body] of [
          [at('api/v1', 'secrets'), { metadata: { name: 'new' } }],
          [at('apis/rbac.authorization.k8s.io/v1', 'rolebindings'), { metadata: { name: 'more' } }],
          [custom('policies'), { metadata: { name: 'new' } }],
        ] as const)
          assert.equal(await status('POST', path, body), 403, path);
        const other = at('apis/coordination.k8s.io/v1', 'leases', 'another');
        assert.equal(await status('PUT', other, { metadata: { name: 'another' } }), 403);
        const patch = { metadata: { labels: { mine: 'yes' } } };
        const operator = at('apis/apps/v1', 'deployments', 'main-operator');
        assert.equal(await status('PATCH', operator, patch, 'application/merge-patch+json'), 403);
      },
    ),
    check(
      '[operator.secrets] with operator.secretNames, the operator can read those secrets and no others',
      async () => {
        const role = rendered(programs, { ...values, operator: { secretNames: ['governance-admin'] } }).find(
          ({ kind }) => kind === 'Role',
        );
        await cluster.apply(role);
        await secret('other', { key: 'value' });
        const as = api.as(cluster.token);
        const readable = async (name: string) => (await as('GET', at('api/v1', 'secrets', name))).status;
        await settled(async () => (await readable('other')) === 403, 'the narrower role');
        assert.equal(await readable('governance-admin'), 200);
        await begin();
        cluster.startOperator('narrow');
        const said = async () => (await cluster.synced('gateways', 'main'))?.message ?? '';
        await settled(async () => /Secret one.*operator\.secretNames/.test(await said()), 'the secret to be named');
        await settled(
          async () => (await cluster.synced('tenants', 'one'))?.reason === 'SecretForbidden',
          'the condition of the tenant',
        );
        await cluster.apply(rendered(programs, values).find(({ kind }) => kind === 'Role'));
        await settled(() => isSynced('tenants', 'one'), 'the tenant under the wider role');
        await cluster.clear();
      },
    ),
  ];
};
