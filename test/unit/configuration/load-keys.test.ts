/** Keys and secrets as they are written, and what is stored of them. */
import { readFileSync } from 'node:fs';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { keys, load, type Row, tenant } from './loading.ts';
import { base } from './memory.ts';

describe('[config.keys] key entries', () => {
  test.each<Row>([
    [
      'empty text',
      keys('[""]'),
      'tenants[0].api_keys[0] (line 6): found an empty text, allowed a key of at least one character',
    ],
    ['empty key', keys('[{ key: "" }]'), 'tenants[0].api_keys[0].key (line 6): found an empty text'],
    ['a key with blanks', keys('["two words"]'), 'a key of visible ASCII characters'],
    ['twice', keys('[k-1, k-1]'), 'tenants[0].api_keys[1] (line 6): found the key of tenants[0].api_keys[0] again'],
    [
      'twice, once by digest',
      keys(`[k-1, { key_sha256: ${sha256('k-1')} }]`),
      'found the key of tenants[0].api_keys[0] again',
    ],
    [
      'in two tenants',
      keys('[key-of-the-other-tenant]'),
      'tenants[1].api_keys[0] (line 7): found the key of tenants[0].api_keys[0] again',
    ],
    [
      'one variable twice',
      keys('[{ key_env: K }, { key_env: K, role: admin }]'),
      'tenants[0].api_keys[1] (line 6): found the key of',
    ],
    [
      'key beside key_env',
      keys('[{ key: a, key_env: K }]'),
      'found key and key_env, allowed exactly one of key, key_env, key_sha256',
    ],
    ['no key at all', keys('[{ role: admin }]'), 'found none, allowed exactly one of key, key_env, key_sha256'],
    [
      'neither text nor entry',
      keys('[7]'),
      'tenants[0].api_keys[0] (line 6): found a number (not shown), allowed a text or an object',
    ],
    [
      'an unknown person',
      keys('[{ key: a, kind: human, person: carol }]'),
      'api_keys[0].person (line 6): found "carol", allowed one of the people alice, bob',
    ],
    ['an unknown owner', keys('[{ key: a, owner: carol }]'), 'api_keys[0].owner (line 6): found "carol"'],
    [
      'a person on an agent',
      keys('[{ key: a, person: bob }]'),
      'found a key of kind agent, allowed person on keys of kind human',
    ],
    [
      'a person of another tenant',
      keys('[{ key: a, kind: human, person: alice }]'),
      'found "alice", allowed a person of this tenant (alice has other)',
    ],
  ])('%s', async (_what, text, expected) => {
    await expect(load(text)).rejects.toThrow(expected);
  });
});
test.each<Row>([
  ['of the cloud', keys('[{ key_env: AWS_SECRET_ACCESS_KEY }]'), 'and none that begins with AWS_'],
  ['of the process', keys('[{ key_env: PATH }]'), 'a name of your own'],
  [
    'of the runtime',
    base('admin: { token_env: NODE_OPTIONS }'),
    'admin.token_env (line 8): found a string (not shown)',
  ],
  ['in lower case', keys('[{ key_env: my_key }]'), 'the name of an environment variable'],
  ['that is a secret by mistake', base('admin: { token_env: "s3cr3t-value" }'), 'found a string (not shown)'],
  [
    'that lets callers in, sent out',
    base('providers: [{ name: p, type: openai, api_key_env: GATEWAY_ADMIN_TOKEN }]'),
    'providers[0].api_key_env (line 8): found GATEWAY_ADMIN_TOKEN, allowed another name: admin.token_env lets callers in by it',
  ],
  [
    'of a tenant, for the administrator',
    keys('[{ key_env: GATEWAY_ADMIN_TOKEN }]'),
    'allowed another name: admin.token_env',
  ],
])('[auth.secret-env-allow-list] a secret under a name %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});
describe('[config.plain-key] what is stored of keys', () => {
  test('a plain text is an operator key of an agent without owner, kept by its digest alone', async () => {
    const { configuration } = await load(tenant('api_keys: [plain-string-key-1]'));
    expect(configuration.tenants[0]?.api_keys).toEqual([
      {
        key_sha256: sha256('plain-string-key-1'),
        role: 'operator',
        kind: 'agent',
        priority: 'normal',
        platform: false,
      },
    ]);
    expect(JSON.stringify(configuration)).not.toContain('plain-string-key-1');
  });

  test('the stored form loads again to itself: what GET shows may be PUT', async () => {
    const first = await load(readFileSync('config/gateway.yaml', 'utf8'));
    const again = await load(JSON.stringify(first.configuration));
    expect(again.sha256).toBe(first.sha256);
    expect(again.configuration).toEqual(first.configuration);
    expect(sha256(canonicalize(first.configuration))).toBe(first.sha256);
  });
});
test('short keys and human keys without a person are warned of', async () => {
  const { warnings } = await load(tenant('api_keys: [short, { key_env: H, kind: human }]'));
  expect(warnings).toEqual([
    expect.stringMatching(/^tenants\[0\]\.api_keys\[0\] \(line 3\): the key is in plain text/),
    'tenants[0].api_keys[0]: the key is shorter than 16 characters.',
    'tenants[0].api_keys[1]: a human key without person cannot vote on approvals.',
  ]);
});
