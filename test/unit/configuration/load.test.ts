/** Configuration errors, and the stored form of a valid configuration. */
import { readFileSync } from 'node:fs';
import { load } from './loading.ts';
import { base } from './memory.ts';

describe('[cors.headers] origins of pages', () => {
  const origins = (...list: string[]) => base(`server: { cors: { allowed_origins: ${JSON.stringify(list)} } }`);

  test.each([
    ...['app.example', 'https://app.example/', 'https://App.example', 'https://app.example:443'],
    ...['https://app.example/page', 'https://*.app.example', 'https://user@app.example'],
    ...['https://app.example, https://b.example', 'null'],
  ])('loading fails for %s, which no browser sends', async (origin) => {
    await expect(load(origins('https://ok.example', origin))).rejects.toThrow(
      `server.cors.allowed_origins[1] (line 8): found ${JSON.stringify(origin)}, allowed "*", or an origin as browsers send it`,
    );
  });

  test('origins in the format that browsers send are accepted', async () => {
    const list = '* https://app.example http://localhost:5173 http://[::1]:3000 chrome-extension://abcdef'.split(' ');
    const { configuration } = await load(origins(...list));
    expect(configuration.server.cors.allowed_origins).toEqual(list);
  });
});
test('all problems are reported together', async () => {
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
test('only version and tenants are required', async () => {
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
    'tenants[0].api_keys[0] (line 2): the key is in plain text, visible to every reader of the file. Name the environment variable that holds it with key_env, or give its digest as key_sha256.',
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
