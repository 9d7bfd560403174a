/** A key goes to the address it was entered for. */
import { loadConfiguration } from '#core/configuration/load.ts';
import { dropMovedKeys } from '#core/configuration/moved-keys.ts';
import { base, packs } from './memory.ts';

const configured = async (providers: string) =>
  (await loadConfiguration(base(`providers: [${providers}]`), { packs })).configuration;
const provider = (name: string, more: string, key = 'OPENAI_API_KEY') =>
  `{ name: ${name}, type: openai, api_key_env: ${key}${more} }`;
const at = (address: string) => `, base_url: "${address}"`;

const before = provider('openai', at('https://api.example/v1'));

test.each([
  ['another address', provider('openai', at('https://evil.example/v1'))],
  ['no address, which is the vendor', provider('openai', '')],
  ['another path', provider('openai', at('https://api.example/v2'))],
  ['another name and address', provider('other', at('https://evil.example/v1'))],
])('[config.base-url-drops-key] a provider with %s loses the key in force', async (_what, after) => {
  const { configuration, warnings } = dropMovedKeys(await configured(before), await configured(after));
  expect(configuration.providers[0]).not.toHaveProperty('api_key_env');
  expect(configuration.providers[0]?.type).toBe('openai');
  expect(warnings).toEqual([
    expect.stringMatching(/^The provider (openai|other) has another base_url than the one OPENAI_API_KEY/),
  ]);
});

test.each([
  ['the same address', before],
  ['the same address, written otherwise', provider('openai', at('https://API.example:443/v1/'))],
  ['the same address under another name', provider('renamed', at('https://api.example/v1'))],
  ['another address and another variable', provider('openai', at('https://evil.example/v1'), 'OTHER_KEY')],
  ['a key no provider had', `${before}, ${provider('new', at('https://new.example'), 'NEW_KEY')}`],
])('[config.base-url-drops-key] a provider with %s keeps its key', async (_what, after) => {
  const given = await configured(after);
  expect(dropMovedKeys(await configured(before), given)).toEqual({ configuration: given, warnings: [] });
});

test('[config.base-url-drops-key] of another type without an address, a provider calls another vendor', async () => {
  const moved = provider('openai', '').replace('type: openai', 'type: anthropic');
  const { warnings } = dropMovedKeys(await configured(provider('openai', '')), await configured(moved));
  expect(warnings).toHaveLength(1);
});

test('[config.base-url-drops-key] a key of two addresses may stay at either', async () => {
  const two = `${before}, ${provider('eu', at('https://eu.example'))}`;
  const swapped = `${provider('openai', at('https://eu.example'))}, ${provider('eu', at('https://third.example'))}`;
  const { configuration } = dropMovedKeys(await configured(two), await configured(swapped));
  expect(configuration.providers.map(({ api_key_env }) => api_key_env)).toEqual(['OPENAI_API_KEY', undefined]);
});

describe('[config.base-url-drops-key] secrets of other entries', () => {
  const entries = (over: Readonly<Record<string, string>> = {}, more = '') => {
    const { slack, github, vault, mcp } = {
      ...{ slack: 'https://slack.example/api', github: 'https://git.example' },
      ...{ vault: 'https://vault.example', mcp: 'https://mcp.example/mcp' },
      ...over,
    };
    return `approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_TOKEN, signing_secret_env: SLACK_SIGNING, api_url: "${slack}" }
    github: { token_env: GITHUB_TOKEN, webhook_secret_env: GITHUB_WEBHOOK, api_url: "${github}", pull_request: "acme/web#1" }
credentials: { brokers: [{ name: db, type: vault, url: "${vault}", role: r, token_env: VAULT_TOKEN }] }
upstreams: { mcp: [{ name: notes, url: "${mcp}", token_env: MCP_TOKEN }] }
${more}`;
  };
  const loaded = async (text: string) => (await loadConfiguration(base(text), { packs })).configuration;

  test.each([
    ['slack', 'SLACK_TOKEN', 'approvals.channels.slack.bot_token_env'],
    ['github', 'GITHUB_TOKEN', 'approvals.channels.github.token_env'],
    ['vault', 'VAULT_TOKEN', 'credentials.brokers[0].token_env'],
    ['mcp', 'MCP_TOKEN', 'upstreams.mcp[0].token_env'],
  ])('of %s: with another address the change is refused, and said where', async (place, name, path) => {
    const after = await loaded(entries({ [place]: 'https://evil.example/' }));
    const before = await loaded(entries());
    expect(() => dropMovedKeys(before, after)).toThrow(
      `${path}: found ${name} with another address than the one it was entered for, allowed a variable of its own`,
    );
    expect(dropMovedKeys(before, before)).toEqual({ configuration: before, warnings: [] });
  });

  test('a secret of one entry goes by no other: a provider loses it', async () => {
    const before = await loaded(entries());
    const after = await loaded(
      entries({}, `providers: [${provider('evil', at('https://evil.example'), 'VAULT_TOKEN')}]`),
    );
    const { configuration, warnings } = dropMovedKeys(before, after);
    expect(configuration.providers[0]).not.toHaveProperty('api_key_env');
    expect(warnings).toEqual([expect.stringContaining('VAULT_TOKEN')]);
  });
});
