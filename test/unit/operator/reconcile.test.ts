/** Reconciliation of observed objects, in steps, until no more writes are needed. */
import fc from 'fast-check';
import { isApplied, wantedDeployment } from '../../../operator/environment.ts';
import { isDue, type Observed, plan, type ReconcileOutcome } from '../../../operator/plan.ts';
import type { Condition, Deployment, Gateway, Part, PartStatus } from '../../../operator/resources.ts';
import { settle, settleWithoutGateway } from '../../../operator/settle.ts';
import { deployment, gateway, part, secret, tenant } from './objects.ts';

const now = '2026-11-23T10:00:00Z';
const secrets = new Map([
  secret('admin', { token: 'administrator' }),
  secret('one-key', { key: 'key-of-one' }),
  secret('openai', { key: 'sk-provider' }),
]);
const openai = part('Provider', 'openai', { type: 'openai', apiKey: { secretKeyRef: { name: 'openai', key: 'key' } } });
const observed = (over: Partial<Observed> = {}): Observed => ({
  gateway: gateway({ deployment: { name: 'gateway' } }),
  parts: [tenant('one'), openai],
  secrets,
  deployment: deployment(),
  ...over,
});
const applied = (of: Observed): Deployment => {
  const { template } = plan(of).apply!.spec;
  return deployment({ ...template });
};
const stored: ReconcileOutcome = {
  stored: true,
  version: 3,
  sha256: 'a'.repeat(64),
  composed: 'c'.repeat(64),
  warnings: [],
};
const refused: ReconcileOutcome = { stored: false, reason: 'Refused', message: 'tenants[0].id: found "!"' };
const deletedOf = <Of extends Gateway | Part>(object: Of): Of => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: now },
});
const conditionOf = (type: string, status: PartStatus | undefined): Condition =>
  status!.conditions!.find((each) => each.type === type)!;

test('[operator.secrets] variables are rolled out first, and the configuration is stored once all pods have them', () => {
  const first = plan(observed());
  expect(first.apply?.spec.template.spec.containers[0]?.env).toEqual([
    { name: 'PROVIDER_OPENAI_API_KEY', valueFrom: { secretKeyRef: { name: 'openai', key: 'key' } } },
    { name: 'GATEWAY_SECRET_NAMES', value: 'PROVIDER_OPENAI_API_KEY' },
  ]);
  expect(first).toMatchObject({ outcome: { reason: 'RollingOut' } });
  expect(JSON.stringify(first.apply)).not.toContain('sk-provider');

  const running = applied(observed());
  const rolling = { ...running, status: { ...running.status!, readyReplicas: 0 } };
  expect(plan(observed({ deployment: rolling }))).toMatchObject({ outcome: { reason: 'RollingOut' } });
  expect(plan(observed({ deployment: rolling })).apply).toBeUndefined();
  expect(plan(observed({ deployment: running })).composition).toBeDefined();
});

test('[operator.secrets] a changed Secret value replaces the pods, and a changed label does not', () => {
  const running = applied(observed());
  const rotated = new Map([...secrets, secret('openai', { key: 'sk-rotated' })]);
  expect(plan(observed({ deployment: running, secrets: rotated })).apply).toBeDefined();
  const [name, same] = secret('openai', { key: 'sk-provider' });
  const labelled = new Map([
    ...secrets,
    [name, { ...same, metadata: { ...same.metadata, resourceVersion: '99' } }] as const,
  ]);
  expect(plan(observed({ deployment: running, secrets: labelled })).apply).toBeUndefined();
});

test('[operator.secrets] a variable that was changed by hand is restored', () => {
  const wanted = wantedDeployment(observed().gateway, [], secrets)!;
  const running = deployment({ ...wanted.spec.template });
  expect(isApplied(wanted, running)).toBe(true);
  const changed = deployment({
    ...wanted.spec.template,
    spec: { containers: [{ name: 'gateway', env: [{ name: 'GATEWAY_SECRET_NAMES', value: 'ANOTHER' }] }] },
  });
  expect(isApplied(wanted, changed)).toBe(false);
});

test.each(['NODE_OPTIONS', 'GATEWAY_ADMIN_TOKEN', 'LD_PRELOAD', 'DYNAMODB_ENDPOINT', 'lower'])(
  '[operator.composed] a Gateway object may not set the variable %s',
  (name) => {
    const given = gateway({
      deployment: { name: 'gateway' },
      secrets: [{ name, secretKeyRef: { name: 'openai', key: 'key' } }],
    });
    expect(plan(observed({ gateway: given }))).toMatchObject({
      outcome: { reason: 'InvalidSpec', message: expect.stringContaining(`found ${name}`) },
    });
  },
);

test("[operator.composed] the configuration in force is not sent again; another writer's is replaced", () => {
  const { composition } = plan(observed({ deployment: applied(observed()) }));
  const status = { version: 3, sha256: 'a'.repeat(64), composed: composition!.composed };
  const known = { ...observed().gateway, status };
  expect(isDue(composition!, known, { sha256: 'a'.repeat(64) })).toBe(false);
  expect(isDue(composition!, known, { sha256: 'b'.repeat(64) })).toBe(true);
  expect(isDue({ ...composition!, composed: 'other' }, known, { sha256: 'a'.repeat(64) })).toBe(true);
});

test('[operator.composed] a refusal sets a condition on every object, and a Gateway that is serving stays ready', () => {
  const serving = { ...observed().gateway, status: { version: 2 } };
  const { statuses } = settle({ ...observed(), gateway: serving }, refused, now);
  expect(statuses).toHaveLength(3);
  for (const { status } of statuses)
    expect(conditionOf('Synced', status)).toMatchObject({
      status: 'False',
      reason: 'Refused',
      message: 'tenants[0].id: found "!"',
    });
  const ready = statuses.map(({ object, status }) => [object.kind, conditionOf('Ready', status).status]);
  expect(ready).toEqual([
    ['Gateway', 'True'],
    ['Tenant', 'False'],
    ['Provider', 'False'],
  ]);
});

test('[operator.kubernetes] only the Gateway reports that pods are being replaced, unless a part failed earlier', () => {
  const rolling: ReconcileOutcome = { stored: false, reason: 'RollingOut', message: 'pods are replaced' };
  const inForce = written(observed(), stored, now);
  const kinds = (of: Observed) => settle(of, rolling, now).statuses.map(({ object }) => object.kind);
  expect(kinds(observed())).toEqual(['Gateway']);
  expect(kinds(inForce)).toEqual(['Gateway']);
  expect(kinds(written(observed(), refused, now))).toEqual(['Gateway', 'Tenant', 'Provider']);
  const after = written(inForce, rolling, now);
  expect(settle(after, stored, now).statuses.map(({ object }) => object.kind)).toEqual(['Gateway']);
});

test('[operator.kubernetes] a deleted object is released only after a configuration without it has been stored', () => {
  const parts = [tenant('one'), deletedOf(tenant('two'))];
  expect(settle(observed({ parts }), refused, now).release).toEqual([]);
  expect(settle(observed({ parts }), stored, now).release).toEqual([parts[1]]);
  expect(settleWithoutGateway(parts, now).release).toEqual([parts[1]]);
});

test('[operator.kubernetes] each new object is claimed once, before it is used', () => {
  const fresh = { ...tenant('one'), metadata: { name: 'one', namespace: 'governance' } };
  expect(plan(observed({ parts: [fresh, openai] })).claim).toEqual([fresh]);
  expect(plan(observed({ parts: [deletedOf(fresh), openai] })).claim).toEqual([]);
});

test('[operator.kubernetes] a deleted Gateway’s variables are removed and the Gateway is released', () => {
  const gone = observed({ gateway: deletedOf(observed().gateway), deployment: applied(observed()) });
  const { apply, composition, outcome } = plan(gone);
  expect(composition).toBeUndefined();
  expect(apply?.spec.template.spec.containers).toEqual([]);
  expect(settle(gone, outcome!, now).release).toEqual([gone.gateway]);
});

test('[operator.composed] a repeated identical outcome writes nothing', () => {
  const outcomes = fc.oneof(
    fc.constant(stored),
    fc.record({
      stored: fc.constant(false as const),
      reason: fc.constantFrom('Refused', 'Unreachable', 'RollingOut', 'SecretMissing'),
      message: fc.string(),
    }),
  );
  const objects = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(outcomes, { minLength: 1, maxLength: 5 }), objects, (history, names) => {
      let state = observed({ parts: names.map((name) => tenant(name)) });
      for (const outcome of history) {
        state = written(state, outcome as ReconcileOutcome, now);
        expect(settle(state, outcome as ReconcileOutcome, '2027-01-01T00:00:00Z').statuses).toEqual([]);
      }
    }),
  );
});

function written(state: Observed, outcome: ReconcileOutcome, at: string): Observed {
  const { statuses } = settle(state, outcome, at);
  const after = <Of extends Gateway | Part>(object: Of): Of => {
    const write = statuses.find((each) => each.object === object);
    return write ? { ...object, status: JSON.parse(JSON.stringify(write.status)) } : object;
  };
  return { ...state, gateway: after(state.gateway), parts: state.parts.map(after) };
}
