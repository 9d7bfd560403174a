/** Keys and secrets as configured and as stored. */
import { readFileSync } from 'node:fs';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { load, tenant } from './loading.ts';

describe('[config.key-env] what is stored for a key', () => {
  test('a plain string is an operator key for an agent without an owner, stored only as a digest', async () => {
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

  test('the stored form loads to the same result, so a GET response can be sent back with PUT', async () => {
    const first = await load(readFileSync('config/gateway.yaml', 'utf8'));
    const again = await load(JSON.stringify(first.configuration));
    expect(again.sha256).toBe(first.sha256);
    expect(again.configuration).toEqual(first.configuration);
    expect(sha256(canonicalize(first.configuration))).toBe(first.sha256);
  });
});
test('short keys and human keys without a person cause warnings', async () => {
  const { warnings } = await load(tenant('api_keys: [short, { key_env: H, kind: human }]'));
  expect(warnings).toEqual([
    expect.stringMatching(/^tenants\[0\]\.api_keys\[0\] \(line 3\): the key is in plain text/),
    'tenants[0].api_keys[0]: the key is shorter than 16 characters.',
    'tenants[0].api_keys[1]: a human key without person cannot vote on approvals.',
  ]);
});
