/** Objects become one configuration or one refusal. */

import { createHash } from 'node:crypto';
import { configurationSchema } from '#features/configuration.ts';
import { type Composition, compose, isRefusal, type Sources } from '../../../operator/compose.ts';
import type { Secret } from '../../../operator/resources.ts';
import { gateway, part, secret, tenant } from './objects.ts';

const secrets = new Map([
  secret('admin', { token: 'administrator' }),
  secret('one-key', { key: 'key-of-one' }),
  secret('two-key', { key: 'key-of-two' }),
  secret('openai', { key: 'sk-provider' }),
]);
const openai = part('Provider', 'openai-eu', {
  type: 'openai',
  models: ['gpt-*'],
  apiKey: { secretKeyRef: { name: 'openai', key: 'key' } },
});
const block = part('Policy', 'no-deletes', { rules: [{ protocol: 'git', tool: '*', decision: 'block' }] });
const sources = (over: Partial<Sources> = {}): Sources => ({
  gateway: gateway(),
  parts: [tenant('one'), openai, block],
  secrets,
  ...over,
});
const composed = (over: Partial<Sources> = {}) => compose(sources(over)) as Composition;
const read = (over: Partial<Sources> = {}) => JSON.parse(composed(over).text);

test('[operator.composed] the objects of a Gateway are composed into one valid configuration', () => {
  const configuration = configurationSchema.parse(read());
  expect(configuration.tenants.map(({ id }) => id)).toEqual(['one']);
  expect(configuration.providers).toMatchObject([{ name: 'openai-eu', api_key_env: 'PROVIDER_OPENAI_EU_API_KEY' }]);
  expect(configuration.tool_policies.rules).toMatchObject([{ protocol: 'git', decision: 'block' }]);
});

test('[operator.composed] objects are sorted by spec.order and then by name, whatever order they are listed in', () => {
  const [a, b, c] = [
    part('Policy', 'a', { order: 2, rules: [{ tool: 'a', decision: 'allow' }] }),
    part('Policy', 'b', { order: 1, rules: [{ tool: 'b', decision: 'block' }] }),
    part('Policy', 'c', { order: 1, rules: [{ tool: 'c', decision: 'review' }] }),
  ];
  const given = gateway({
    configuration: { tool_policies: { pack: 'readonly', rules: [{ tool: 'own', decision: 'block' }] } },
  });
  for (const parts of [
    [a, b, c],
    [c, b, a],
    [b, a, c],
  ]) {
    const { tool_policies } = read({ gateway: given, parts });
    expect(tool_policies.pack).toBe('readonly');
    expect(tool_policies.rules.map(({ tool }: { tool: string }) => tool)).toEqual(['own', 'b', 'c', 'a']);
  }
});

test('[operator.secrets] caller keys are output as digests, and provider keys as variable names', () => {
  const { text, environment } = composed();
  for (const value of ['administrator', 'key-of-one', 'sk-provider']) expect(text).not.toContain(value);
  const key_sha256 = createHash('sha256').update('key-of-one').digest('hex');
  expect(JSON.parse(text).tenants[0].api_keys).toEqual([{ key_sha256, role: 'operator', kind: 'agent' }]);
  expect(environment).toEqual([
    { name: 'PROVIDER_OPENAI_EU_API_KEY', valueFrom: { secretKeyRef: { name: 'openai', key: 'key' } } },
  ]);
});

test('[operator.composed] one incomplete object makes the whole configuration fail', () => {
  const refusal = compose(sources({ parts: [tenant('one'), tenant('two', 'absent'), block] }));
  expect(refusal).toEqual({
    reason: 'SecretMissing',
    message:
      'Tenant two: found a reference to the Secret absent that does not exist. Create it in the namespace of the object.',
  });
  // The otherwise identical object with the secret is composed.
  expect(isRefusal(compose(sources({ parts: [tenant('one'), tenant('two'), block] })))).toBe(false);
});

test('[operator.secrets] a Secret that the operator is not allowed to read is named and not reported as missing', () => {
  const given = sources({ parts: [tenant('one'), tenant('two')] });
  const hidden = { metadata: { name: 'two-key' }, isForbidden: true as const };
  const refusal = compose({
    ...given,
    secrets: new Map<string, Secret | undefined>([...given.secrets, ['two-key', hidden]]),
  });
  expect(refusal).toEqual({
    reason: 'SecretForbidden',
    message:
      'Tenant two: found a reference to the Secret two-key, which the role of the operator does not let it read. Add it to operator.secretNames of the chart, or name another one.',
  });
});

test('[operator.secrets] a Secret without this Gateway’s label cannot be used by any object', () => {
  const keys = secret('signing-keys', { 'tickets.key': 'ticket-key' }, {});
  const elsewhere = secret('signing-keys', { 'tickets.key': 'ticket-key' }, { 'governance.dev/usable-by': 'other' });
  const ref = { secretKeyRef: { name: 'signing-keys', key: 'tickets.key' } };
  const users: Partial<Sources>[] = [
    {
      parts: [part('Provider', 'mine', { type: 'openai', models: ['*'], base_url: 'https://x.example', apiKey: ref })],
    },
    { parts: [part('Tenant', 'mine', { keys: [{ ...ref, role: 'operator' }] })] },
    { gateway: gateway({ secrets: [{ name: 'HOOK_TOKEN', ...ref }] }) },
  ];
  for (const user of users) {
    for (const unlabelled of [keys, elsewhere])
      expect(compose(sources({ ...user, secrets: new Map([...secrets, unlabelled]) }))).toMatchObject({
        reason: 'SecretForbidden',
        message: expect.stringContaining('kubectl label secret signing-keys governance.dev/usable-by=main'),
      });
    const labelled = secret('signing-keys', { 'tickets.key': 'ticket-key' });
    expect(isRefusal(compose(sources({ ...user, secrets: new Map([...secrets, labelled]) })))).toBe(false);
  }
});

test.each(['providers', 'routes', 'tenants'])(
  '[operator.composed] %s in a Gateway are refused, because they are defined by objects of their own',
  (name) => {
    const refusal = compose(sources({ gateway: gateway({ configuration: { [name]: [] } }) }));
    expect(refusal).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringContaining(`spec.configuration.${name}`),
    });
  },
);

test('[operator.composed] only the object being deleted is omitted', () => {
  const deleted = {
    ...tenant('two'),
    metadata: { ...tenant('two').metadata, deletionTimestamp: '2026-11-23T00:00:00Z' },
  };
  expect(read({ parts: [tenant('one'), deleted] }).tenants.map(({ id }: { id: string }) => id)).toEqual(['one']);
});

test('[operator.composed] an unknown key is passed to the gateway, which refuses it', () => {
  const misspelt = part('Tenant', 'one', { ...tenant('one').spec, allowed_modelz: ['gpt-*'] });
  const { error } = configurationSchema.safeParse(read({ parts: [misspelt] }));
  expect(error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: ['allowed_modelz'] });
});

const ofOne = tenant('one').spec;
const key = (ofOne.keys as readonly Record<string, unknown>[])[0]!;
const members: readonly (readonly [string, Partial<Sources>, string])[] = [
  ['a misspelt list of a Policy', { parts: [part('Policy', 'p', { rulez: [] })] }, 'Policy p: found spec.rulez'],
  ['a guard in a Policy', { parts: [part('Policy', 'p', { disable_guards: [] })] }, 'spec.disable_guards'],
  ['a misspelt configuration', { gateway: gateway({ config: {} } as object) }, 'Gateway main: found spec.config.'],
  ['an id of a Tenant', { parts: [part('Tenant', 'one', { ...ofOne, id: 'two' })] }, 'Tenant one: found spec.id'],
  ['keys in plain text', { parts: [part('Tenant', 'one', { ...ofOne, api_keys: ['plain'] })] }, 'spec.api_keys'],
  ...['key', 'key_env', 'key_sha256'].map(
    (name) =>
      [
        `${name} of a key`,
        { parts: [part('Tenant', 'one', { keys: [key, { ...key, [name]: 'plain' }] })] },
        `Tenant one: found spec.keys[1].${name}.`,
      ] as const,
  ),
];
test.each(members)('[operator.composed] %s is refused instead of being omitted', (_what, over, message) => {
  const refusal = compose(sources(over));
  expect(refusal).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining(message) });
  expect(JSON.stringify(refusal)).not.toContain('plain');
});

test('[operator.composed] known members of a Policy and a Gateway are still allowed', () => {
  const policy = part('Policy', 'p', { order: 1, input: [], output: [], rules: [] });
  const whole = gateway({ deployment: { name: 'gateway' }, secrets: [], configuration: { version: 1 } });
  expect(isRefusal(compose(sources({ gateway: whole, parts: [tenant('one'), policy] })))).toBe(false);
});

test('[operator.composed] an invalid object that is being deleted causes no refusal, because it is omitted anyway', () => {
  const policy = part('Policy', 'p', { rulez: [] });
  const deleted = { ...policy, metadata: { ...policy.metadata, deletionTimestamp: '2026-11-23T00:00:00Z' } };
  expect(isRefusal(compose(sources({ parts: [tenant('one'), deleted] })))).toBe(false);
});

test("[operator.composed] the Secret of the administrator's token is not the key of a provider: it would be sent to its address", () => {
  const apiKey = (name: string) => ({ apiKey: { secretKeyRef: { name, key: name === 'admin' ? 'token' : 'key' } } });
  const provider = (name: string) =>
    part('Provider', 'elsewhere', { type: 'openai', base_url: 'https://example.com', ...apiKey(name) });
  expect(compose(sources({ parts: [tenant('one'), provider('admin')] }))).toMatchObject({
    reason: 'InvalidSpec',
    message: expect.stringContaining('found a reference to the Secret admin'),
  });
  expect(isRefusal(compose(sources({ parts: [tenant('one'), provider('openai')] })))).toBe(false);
});
