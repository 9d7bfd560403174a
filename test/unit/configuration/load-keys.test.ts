/** Keys and secrets as written and as stored. */
import { readFileSync } from 'node:fs';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { load, tenant } from './loading.ts';

describe('[config.key-env] stored parts of keys', () => {
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

  test('the stored form loads again to itself: the answer of GET may be PUT', async () => {
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
