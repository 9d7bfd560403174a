/** Objects become a real gateway's configuration: conditions, refusals, finalizers, secrets, drift, field owners. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import type { Programs } from './build.ts';
import { adminToken, type Cluster, custom, deployment, gatewaySpec, rendered, tenantSpec, values } from './cluster.ts';

const variables = ({ spec }: Loose): Loose[] => spec.template.spec.containers[0].env;
const isDeploymentOfGateway = ({ kind, metadata }: Loose): boolean =>
  kind === 'Deployment' && metadata.name === 'main-gateway';
const namesOf = (found: Loose): string[] => variables(found).map(({ name }) => name);

export const story = (cluster: Cluster, programs: Programs): Check[] => {
  const { create, secret, settled, isSynced, synced, works, read, must, live } = cluster;
  const both = async () => (await isSynced('gateways', 'main')) && (await isSynced('tenants', 'one'));
  const begin = async () => {
    await secret('governance-admin', { token: adminToken });
    await secret('one', { key: 'key-of-tenant-one' });
    await create('Gateway', 'gateways', 'main', gatewaySpec);
    await create('Tenant', 'tenants', 'one', tenantSpec('one'));
  };
  return [
    check(
      '[operator.kubernetes] objects come into force, and their conditions report the generation in force',
      async () => {
        await begin();
        const operator = cluster.startOperator('story');
        await settled(both, 'the first objects in force');
        assert.equal(await works('key-of-tenant-one'), true);
        const { version } = await live();
        const status = await cluster.statusOf('gateways', 'main');
        assert.equal(status?.version, version);
        assert.equal(status?.observedGeneration, 1);
        await create('Policy', 'policies', 'no-push', {
          gateway: 'main',
          rules: [{ protocol: 'git', tool: '*', decision: 'block' }],
        });
        await settled(() => isSynced('policies', 'no-push'), 'the policy in force');
        const more = { spec: { rules: [{ protocol: 'git', tool: 'git.push', decision: 'block' }] } };
        await must('PATCH', custom('policies', 'no-push'), more, 'application/merge-patch+json');
        await settled(
          async () => (await synced('policies', 'no-push'))?.observedGeneration === 2,
          'generation 2 in force',
        );
        for (const word of [adminToken, 'key-of-tenant']) assert.ok(!operator.log().includes(word), word);
      },
    ),
    check(
      '[operator.secrets] a rotated caller key takes effect; a rotated provider key replaces the pods',
      async () => {
        await secret('openai', { key: 'sk-1' });
        await create('Provider', 'providers', 'openai', {
          gateway: 'main',
          type: 'openai',
          models: ['gpt-*'],
          apiKey: { secretKeyRef: { name: 'openai', key: 'key' } },
        });
        await settled(() => isSynced('providers', 'openai'), 'the provider');
        const before = await read(deployment);
        assert.ok(namesOf(before).includes('PROVIDER_OPENAI_API_KEY'));
        assert.ok(!JSON.stringify(before).includes('sk-1'));
        await secret('one', { key: 'key-after-rotation' });
        await settled(() => works('key-after-rotation'), 'the rotated key');
        assert.equal(await works('key-of-tenant-one'), false);
        assert.equal((await read(deployment)).metadata.generation, before.metadata.generation);
        await secret('openai', { key: 'sk-2' });
        const isReplaced = async () => (await read(deployment)).metadata.generation > before.metadata.generation;
        await settled(isReplaced, 'new pods');
        await settled(both, 'the configuration after new pods');
      },
    ),
    check('[operator.secrets] the operator owns only its variables and annotation in the Deployment', async () => {
      const { metadata } = await read(`${deployment}`);
      const owned = metadata.managedFields.find(
        ({ manager, subresource }: Loose) => manager === 'governance-operator' && subresource === undefined,
      );
      assert.equal(owned.operation, 'Apply');
      const template = owned.fieldsV1['f:spec']['f:template'];
      assert.deepEqual(Object.keys(owned.fieldsV1), ['f:spec']);
      assert.deepEqual(Object.keys(template['f:metadata']['f:annotations']), ['f:governance.dev/secrets']);
      const container = template['f:spec']['f:containers']['k:{"name":"gateway"}'];
      assert.deepEqual(Object.keys(container).sort(), ['.', 'f:env', 'f:name']);
      assert.deepEqual(Object.keys(container['f:env']).sort(), [
        'k:{"name":"GATEWAY_SECRET_NAMES"}',
        'k:{"name":"PROVIDER_OPENAI_API_KEY"}',
      ]);
    }),
    check("[operator.chart] applying the chart again keeps the operator's variables", async () => {
      const tagged = { image: { ...values.image, tag: 'next' } };
      await cluster.apply(rendered(programs, tagged).find(isDeploymentOfGateway));
      const next = await read(deployment);
      assert.equal(next.spec.template.spec.containers[0].image, 'registry.example.com/gateway:next');
      assert.ok(namesOf(next).includes('PROVIDER_OPENAI_API_KEY'));
      await settled(both, 'the configuration after the upgrade');
    }),
    check(
      '[operator.kubernetes] changes made by others to the gateway or to fields owned by the operator are reverted',
      async () => {
        const foreign = JSON.stringify({ version: 1, tenants: [{ id: 'intruder', api_keys: ['key-of-an-intruder'] }] });
        const headers = { 'content-type': 'application/yaml' };
        const put = await cluster.called('config', adminToken, { method: 'PUT', body: foreign, headers });
        assert.equal(put.status, 201);
        await settled(async () => !(await works('key-of-an-intruder')), 'the repair of the configuration');
        const env = variables(await read(deployment)).map((entry) =>
          entry.name === 'GATEWAY_SECRET_NAMES' ? { ...entry, value: 'AWS_SECRET' } : entry,
        );
        const patch = { spec: { template: { spec: { containers: [{ name: 'gateway', env }] } } } };
        await must('PATCH', `${deployment}?fieldManager=intruder`, patch, 'application/strategic-merge-patch+json');
        assert.ok(JSON.stringify(await read(deployment)).includes('AWS_SECRET'));
        const isRepaired = async () => !JSON.stringify(variables(await read(deployment))).includes('AWS_SECRET');
        await settled(isRepaired, 'the repair of the Deployment');
      },
    ),
    check("[operator.secrets] a Provider that goes takes its variable with it, and nobody else's", async () => {
      const kept = ['GATEWAY_ADMIN_TOKEN', 'GATEWAY_SECRET_NAMES'];
      await must('DELETE', custom('providers', 'openai'));
      await settled(
        async () => (await cluster.api.admin('GET', custom('providers', 'openai'))).status === 404,
        'the provider to be released',
      );
      assert.deepEqual(namesOf(await read(deployment)).sort(), kept);
      await must('DELETE', custom('gateways', 'main'));
      await settled(
        async () => (await cluster.api.admin('GET', custom('gateways', 'main'))).status === 404,
        'the Gateway to be released',
      );
      assert.deepEqual(namesOf(await read(deployment)), ['GATEWAY_ADMIN_TOKEN']);
      await settled(
        async () => (await synced('tenants', 'one'))?.reason === 'GatewayMissing',
        'the orphan to be named',
      );
      await cluster.clear();
    }),
  ];
};
