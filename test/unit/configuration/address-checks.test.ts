/** Addresses and commands of the configuration hold no secret; what only looks like one in a query is taken. */
import { load, type Row } from './loading.ts';
import { base } from './memory.ts';

const mcp = (url: string) => base(`upstreams: { mcp: [{ name: notes, url: "${url}" }] }`);
const refused = 'found an address with a secret in it (not shown), allowed an address without one';

test.each<Row>([
  ['a key in the query of a server', mcp('https://notes.example.com/mcp?api_key=canary-key-123456'), refused],
  ['a token in its path', mcp('https://notes.example.com/ghp_abcdefghijklmnopqrstuvwxyz0123456789/mcp'), refused],
  [
    'a key of a provider',
    base(
      'providers: [{ name: a, type: openai, base_url: "https://api.example.com/v1?key=AIzaSyA1234567890abcdefghijklmnopqrstuv" }]',
    ),
    `providers[0].base_url (line 8): ${refused}`,
  ],
  [
    'a password in the address of a webhook',
    base('approvals: { channels: { webhook: { url: "https://h.example.com/?password=hunter2", secret_env: HOOK } } }'),
    `approvals.channels.webhook.url (line 8): ${refused}`,
  ],
  [
    'a token of the webhook that evaluates',
    base('evaluation: { url: "https://e.example.com/?access_token=canary-key-123456", secret_env: EVALUATION }'),
    `evaluation.url (line 8): ${refused}`,
  ],
  [
    'a token among the words of a command',
    base('upstreams: { mcp: [{ name: n, transport: stdio, command: [npx, server, --token, canary-key-123456] }] }'),
    'upstreams.mcp[0].command (line 8): found a command with a secret in it (not shown), allowed one without',
  ],
  [
    'a variable with a value in a command',
    base('upstreams: { mcp: [{ name: n, transport: stdio, command: [env, API_KEY=canary-key-123456, server] }] }'),
    'upstreams.mcp[0].command (line 8): found a command with a secret',
  ],
  [
    'a key in an address of a command',
    base(
      'upstreams: { mcp: [{ name: n, transport: stdio, command: [npx, mcp-remote, "https://h/mcp?api_key=canary-key-1"] }] }',
    ),
    `upstreams.mcp[0].command[2] (line 8): ${refused}`,
  ],
])('[config.address-secrets] %s is refused and not repeated', async (_what, text, expected) => {
  const loading = load(text);
  await expect(loading).rejects.toThrow(expected);
  await expect(loading).rejects.not.toThrow(/canary|ghp_|AIza|hunter2/);
});

test.each([
  'https://notes.example.com/mcp?api-version=2024-10-21&tenant=acme',
  'https://notes.example.com/mcp?api_key_id=3&token_type=bearer&max_tokens=4000',
  'https://notes.example.com/oauth2/token/mcp',
])('[config.address-secrets] %s is taken', async (url) => {
  await expect(load(mcp(url))).resolves.toBeDefined();
});

test.each([
  '[npx, server, --token-file, /run/token, --port, "4000"]',
  '[npx, -y, "@scope/server@1.2.3", /srv/files]',
  '[uvx, mcp-server-git, --repository, /srv/repo]',
])('[config.address-secrets] the command %s is taken', async (command) => {
  const text = base(`upstreams: { mcp: [{ name: n, transport: stdio, command: ${command} }] }`);
  await expect(load(text)).resolves.toBeDefined();
});
