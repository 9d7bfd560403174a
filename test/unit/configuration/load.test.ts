/** How a configuration is refused, and what a good one becomes. */
import { readFileSync } from 'node:fs';
import { keys, load, type Row, rules, tenant } from './loading.ts';
import { base } from './memory.ts';

describe('[config.unknown-keys] keys the schema does not know', () => {
  test.each<Row>([
    ['at the top', base('colour: red'), 'colour (line 8): found an unknown key, allowed version, server, admin'],
    [
      'in a list',
      tenant('api_keys: [a-key], colour: red'),
      'tenants[0].colour (line 3): found an unknown key, allowed id, name',
    ],
    [
      'in a key entry',
      keys('[{ key: a, rolle: admin }]'),
      'tenants[0].api_keys[0].rolle (line 6): found an unknown key, allowed key, key_env',
    ],
    [
      'in a rule',
      rules('[{ tools: x, decision: allow }]'),
      'tool_policies.rules[0].tools (line 7): found an unknown key',
    ],
    [
      'in a broker',
      base('credentials: { brokers: [{ name: b, type: static, secret_env: B, x: 1 }] }'),
      'brokers[0].x (line 8): found an unknown key, allowed name, type, secret_env',
    ],
    [
      'in a filter',
      base('policies: { input: [{ name: n, type: pii, action: warn, entities: [email], x: 1 }] }'),
      'policies.input[0].x (line 8): found an unknown key, allowed name, action, type, entities',
    ],
  ])('%s', async (_what, text, expected) => {
    await expect(load(text)).rejects.toThrow(expected);
  });
});
test.each<Row>([
  [
    'without keys',
    tenant('api_keys: []'),
    'tenants[0].api_keys (line 3): found an empty list, allowed at least one API key',
  ],
  [
    'without the list',
    'version: 1\ntenants: [{ id: t1 }]',
    'tenants[0].api_keys (line 2): found nothing, allowed a list',
  ],
  [
    'of one id',
    'version: 1\ntool_policies: { pack: null }\ntenants: [{ id: a, api_keys: [k-1] }, { id: a, api_keys: [k-2] }]',
    'tenants[1].id (line 3): Tenant "a" is defined twice (entries 0 and 1)',
  ],
  ['none at all', 'version: 1\ntenants: []', 'tenants (line 2): found an empty list, allowed at least one tenant'],
  [
    'budget of an unknown one',
    base('budgets: { tenants: { nobody: { monthly_usd: 1 } } }'),
    'budgets.tenants.nobody (line 8): found tenant "nobody", allowed one of the tenants default',
  ],
])('[config.tenants] tenants %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});
test.each<Row>([
  [
    'requests',
    tenant('api_keys: [k], rate_limit: { requests_per_minute: -1 }'),
    'tenants[0].rate_limit.requests_per_minute (line 3): found -1, allowed a whole number, at least 0',
  ],
  ['tokens', tenant('api_keys: [k], rate_limit: { tokens_per_minute: -5 }'), 'tokens_per_minute (line 3): found -5'],
  [
    "a tenant's body",
    tenant('api_keys: [k], max_body_bytes: -1'),
    'tenants[0].max_body_bytes (line 3): found -1, allowed a whole number of bytes from 1 to 104857600',
  ],
  ["the server's body", base('server: { max_body_bytes: -1 }'), 'server.max_body_bytes (line 8): found -1'],
  [
    'a time-out that no timer has',
    base('providers: [{ name: m, type: mock, timeout_ms: 3000000000 }]'),
    'from 1 to 86400000',
  ],
  ['an approval without end', base('approvals: { timeout_seconds: 9007199254740991 }'), 'from 1 to 31536000'],
  [
    'a budget that micro-dollars cannot hold',
    base('budgets: { global: { monthly_usd: 1e300 } }'),
    'from 0 to 9000000000',
  ],
  [
    'a grant beyond an hour',
    base('credentials: { grants: [{ tool: a, broker: b, scope: s, ttl_seconds: 3601 }] }'),
    'found 3601, allowed a whole number of seconds from 1 to 3600',
  ],
])('[config.limits-not-negative] [config.keys-described] %s', async (_what, text, expected) => {
  await expect(load(text)).rejects.toThrow(expected);
});
describe('[cors.origins] origins of pages', () => {
  const origins = (...list: string[]) => base(`server: { cors: { allowed_origins: ${JSON.stringify(list)} } }`);

  test.each([
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://app.example:443',
    'https://app.example/page',
    'https://*.app.example',
    'https://user@app.example',
    'https://app.example, https://b.example',
    'null',
  ])('%s, which no browser sends, fails the load', async (origin) => {
    await expect(load(origins('https://ok.example', origin))).rejects.toThrow(
      `server.cors.allowed_origins[1] (line 8): found ${JSON.stringify(origin)}, allowed "*", or an origin as browsers send it`,
    );
  });

  test('as browsers send them are taken', async () => {
    const list = [
      '*',
      'https://app.example',
      'http://localhost:5173',
      'http://[::1]:3000',
      'chrome-extension://abcdef',
    ];
    const { configuration } = await load(origins(...list));
    expect(configuration.server.cors.allowed_origins).toEqual(list);
  });
});
test('every problem is listed at once', async () => {
  const text = base('server: { max_body_bytes: -1 }\nmessages: { tool_use: maybe }\ncolour: red');
  await expect(load(text)).rejects.toMatchObject({
    code: 'invalid_request',
    data: {
      problems: [
        'server.max_body_bytes (line 8): found -1, allowed a whole number of bytes from 1 to 104857600',
        'messages.tool_use (line 9): found "maybe", allowed reject, govern, hook',
        expect.stringMatching(/^colour \(line 10\): found an unknown key/),
      ],
    },
  });
});
test('version and tenants are enough', async () => {
  const { configuration, warnings } = await load(
    'version: 1\ntenants: [{ id: t1, api_keys: [a-key-of-16-characters] }]',
  );
  expect(configuration.tool_policies.pack?.name).toBe('pr-writer');
  expect(configuration).toMatchObject({
    admin: { token_env: 'GATEWAY_ADMIN_TOKEN' },
    providers: [{ name: 'mock', type: 'mock', enabled: true }],
    approvals: { timeout_seconds: 1800, on_approval: 'release', hold_seconds: 0 },
    messages: { tool_use: 'reject' },
  });
  expect(warnings).toEqual([
    'tenants[0].api_keys[0] (line 2): the key is in plain text, for each reader of the file. Name the environment variable that holds it with key_env, or give its digest as key_sha256.',
    "The pack's rule git:scm.create_pull_request names the broker scm, which is not configured.",
  ]);
});
test('the shipped configuration loads without a warning, and names its schema for editors', async () => {
  const text = readFileSync('config/gateway.yaml', 'utf8');
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../docs/reference/gateway.schema.json');
  const { configuration, warnings } = await load(text);
  expect(warnings).toEqual([]);
  expect(configuration.credentials.grants[0]).toMatchObject({
    tool: 'scm.create_pull_request',
    broker: 'scm',
    scope: 'pull_requests:write,contents:read',
    ttl_seconds: 600,
  });
});
