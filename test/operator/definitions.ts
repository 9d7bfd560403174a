/** The definitions and the chart as accepted by the API server: schemas, CEL, defaults, columns, strict fields. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import type { Programs } from './build.ts';
import {
  at,
  type Cluster,
  conditionOf,
  custom,
  gatewaySpec,
  helm,
  namespace,
  objectOf,
  rendered,
  tenantSpec,
  values,
} from './cluster.ts';

const plurals = ['gateways', 'providers', 'routes', 'tenants', 'policies'];
const kindOf: Readonly<Record<string, string>> = {
  gateways: 'Gateway',
  providers: 'Provider',
  routes: 'Route',
  tenants: 'Tenant',
  policies: 'Policy',
};
const mock = { gateway: 'main', type: 'mock', models: ['mock'] };

/** Refused objects, each with a part of the error message; a CEL rule has its own message. */
const refusals: readonly [says: string, plural: string, name: string, spec: object, message: string][] = [
  [
    'secrets without a Deployment',
    'gateways',
    'main',
    { ...gatewaySpec, deployment: undefined, secrets: [{ name: 'A', secretKeyRef: { name: 's', key: 'k' } }] },
    'name it in deployment',
  ],
  [
    'an address as a Service',
    'gateways',
    'main',
    { ...gatewaySpec, service: { name: 'evil.example.com' } },
    'should match',
  ],
  ['no token', 'gateways', 'main', { service: { name: 'gateway' } }, 'adminToken'],
  ['a name of a Provider with a dot', 'providers', 'open.ai', mock, 'has no "."'],
  ['an unknown type of Provider', 'providers', 'other', { ...mock, type: 'other' }, 'Unsupported value'],
  [
    'providers beside regions',
    'routes',
    'both',
    { gateway: 'main', match: { model: '*' }, providers: ['mock'], regions: [{ name: 'eu', providers: ['mock'] }] },
    'exactly one of providers and regions',
  ],
  ['neither providers nor regions', 'routes', 'none', { gateway: 'main', match: { model: '*' } }, 'exactly one of'],
  ['a name of a Tenant past 64 characters', 'tenants', 't'.repeat(65), tenantSpec('one'), 'at most 64 characters'],
  ['a Tenant without keys', 'tenants', 'bare', { gateway: 'main', keys: [] }, 'should have at least 1 items'],
  [
    'a human key without its person',
    'tenants',
    'human',
    { gateway: 'main', keys: [{ secretKeyRef: { name: 'one', key: 'key' }, kind: 'human' }] },
    'names its person',
  ],
  [
    'an unknown decision',
    'policies',
    'odd',
    { gateway: 'main', rules: [{ decision: 'perhaps' }] },
    'Unsupported value',
  ],
];

export const definitions = (cluster: Cluster, programs: Programs): Check[] => [
  check('[operator.composed] the definitions are established and structural, and their CEL rules compile', async () => {
    for (const plural of plurals) {
      const { status } = await cluster.read(
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.governance.dev`,
      );
      assert.equal(conditionOf(status, 'Established'), 'True', plural);
      assert.equal(conditionOf(status, 'NamesAccepted'), 'True', plural);
      assert.equal(conditionOf(status, 'NonStructuralSchema'), undefined, plural);
    }
  }),
  check(
    "[operator.composed] the chart's example is accepted with strict field validation, and defaults are filled in",
    async () => {
      await cluster.create('Gateway', 'gateways', 'main', gatewaySpec);
      const { spec } = await cluster.read(custom('gateways', 'main'));
      assert.deepEqual(spec.service, { name: 'main-gateway', port: 8081, scheme: 'http' });
      assert.deepEqual(spec.deployment, { name: 'main-gateway', container: 'gateway' });
      await cluster.create('Policy', 'policies', 'ordered', { gateway: 'main', allowed_tolls: ['*'] });
      const policy = await cluster.read(custom('policies', 'ordered'));
      // A misspelt key is kept, the gateway refuses it, and its message becomes the condition.
      assert.deepEqual(policy.spec, { gateway: 'main', order: 0, allowed_tolls: ['*'] });
      await cluster.clear();
    },
  ),
  ...refusals.map(([says, plural, name, spec, message]) =>
    check(`[operator.composed] refused: ${says}`, async () => {
      const answer = await cluster.api.admin('POST', custom(plural), objectOf(kindOf[plural]!, name, spec));
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      assert.ok(answer.body.message.includes(message), answer.body.message);
    }),
  ),
  check('[operator.composed] an object cannot move to another Gateway', async () => {
    await cluster.create('Policy', 'policies', 'fixed', { gateway: 'main' });
    const moved = { spec: { gateway: 'other' } };
    const answer = await cluster.api.admin('PATCH', custom('policies', 'fixed'), moved, 'application/merge-patch+json');
    assert.equal(answer.status, 422);
    assert.match(answer.body.message, /gateway is fixed/);
    await cluster.clear();
  }),
  check('[operator.composed] kubectl get shows whether objects are in force and, if not, why', async () => {
    await cluster.create('Tenant', 'tenants', 'one', tenantSpec('one'));
    const table = await cluster.api.admin(
      'GET',
      custom('tenants'),
      undefined,
      'application/json;as=Table;v=v1;g=meta.k8s.io',
    );
    const names = table.body.columnDefinitions.map(({ name }: Loose) => name);
    assert.deepEqual(names, ['Name', 'Gateway', 'Ready', 'Synced', 'Reason', 'Age']);
    assert.deepEqual(table.body.rows[0].cells.slice(0, 2), ['one', 'main']);
    await cluster.clear();
  }),
  check('[operator.chart] Helm lints the chart, and rejects values that violate its schema', async () => {
    helm(programs, 'lint', values);
    for (const [wrong, message] of [
      [{}, 'repository'],
      [{ ...values, gatway: {} }, 'gatway'],
      [{ ...values, gateway: { replicas: 2 } }, 'replicas'],
      [{ ...values, gateway: { dynamodbEndpoint: 'http://dynamodb.governance.svc:8000' } }, 'secret'],
      [{ ...values, gateway: { archive: { region: 'eu-west-1' } } }, 'region'],
      [{ ...values, gateway: { archive: null } }, 'archive'],
      [{ ...values, image: { repository: 'https://registry.example.com/gateway' } }, 'repository'],
      [{ ...values, networkPolicy: { callers: [{}] } }, 'callers'],
    ] as const)
      assert.throws(
        () => helm(programs, 'template', wrong),
        (thrown: Loose) => String(thrown.stderr).includes(message),
      );
  }),
  check('[operator.chart] without configured callers, the network policy admits only the operator', async () => {
    const policyOf = (networkPolicy: object) =>
      rendered(programs, { ...values, networkPolicy }).find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'main-gateway',
      );
    const ports = (policy: Loose) => policy.spec.ingress.map((rule: Loose) => rule.ports[0].port);
    assert.deepEqual(ports(policyOf({ callers: [] })!), ['admin']);
    assert.deepEqual(ports(policyOf({ callers: [{ podSelector: {} }] })!), ['gateway', 'admin']);
    await cluster.apply(policyOf({ callers: [] })!);
  }),
  check(
    '[operator.chart] every object in the chart is accepted with strict field validation, with one replica and with several',
    async () => {
      const several = {
        ...values,
        gateway: {
          replicas: 3,
          dynamodbEndpoint: 'http://dynamodb.governance.svc:8000',
          keys: { secret: 'governance-keys' },
          archive: {
            bucket: 'gateway-evidence',
            region: 'eu-west-1',
            endpoint: 'http://s3.governance.svc:9000',
            credentials: { secret: 'governance-s3' },
          },
        },
        operator: { secretNames: ['governance-admin'] },
      };
      const kinds = (objects: Loose[]) => objects.map(({ kind }) => kind as string);
      assert.ok(!kinds(rendered(programs, several)).includes('PersistentVolumeClaim'));
      assert.equal(kinds(rendered(programs, several)).filter((kind) => kind === 'PodDisruptionBudget').length, 2);
      for (const set of [several, values]) {
        for (const object of rendered(programs, set)) await cluster.apply(object);
        const found = await cluster.read(at('apis/apps/v1', 'deployments', 'main-gateway'));
        assert.equal(found.spec.replicas, set === several ? 3 : 1);
        // Returning to one replica with a volume needs a different strategy, which the server does not change in place.
        if (set === several) await cluster.must('DELETE', at('apis/apps/v1', 'deployments', 'main-gateway'));
      }
      const { items } = await cluster.must('GET', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`);
      assert.ok(items.length > 0);
    },
  ),
];
