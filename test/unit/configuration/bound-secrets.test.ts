/** A secret may be used only with the addresses and for the purposes it was entered for. */
import { enforceBindings } from '#core/configuration/checks/bound-secrets.ts';
import { importFile } from '#core/configuration/load/import-file.ts';
import type { SecretBindings } from '#core/configuration/ports.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, handClock, memoryConfigStore, memoryObjects, packs } from './memory.ts';

const dropMovedKeys = (before: Configuration, after: Configuration) => {
  const { configuration, warnings } = enforceBindings({ before, bound: {}, listed: undefined }, after);
  return { configuration, warnings };
};

const configured = async (providers: string) =>
  (await loadConfiguration(base(`providers: [${providers}]`), { packs })).configuration;
const provider = (name: string, more: string, key = 'OPENAI_API_KEY') =>
  `{ name: ${name}, type: openai, api_key_env: ${key}${more} }`;
const at = (address: string) => `, base_url: "${address}"`;

const before = provider('openai', at('https://api.example/v1'));

test.each([
  ['a different address', provider('openai', at('https://evil.example/v1'))],
  ['no address, which is the vendor', provider('openai', '')],
  ['another path', provider('openai', at('https://api.example/v2'))],
  ['another name and address', provider('other', at('https://evil.example/v1'))],
])('[config.secrets-stay-bound] a provider with %s loses its active key', async (_what, after) => {
  const { configuration, warnings } = dropMovedKeys(await configured(before), await configured(after));
  expect(configuration.providers[0]).not.toHaveProperty('api_key_env');
  expect(configuration.providers[0]?.type).toBe('openai');
  expect(warnings).toEqual([
    expect.stringMatching(/^The provider (openai|other) has a different base_url from the one OPENAI_API_KEY/),
  ]);
});

test.each([
  ['the same address', before],
  ['the same address, written otherwise', provider('openai', at('https://API.example:443/v1/'))],
  ['the same address under another name', provider('renamed', at('https://api.example/v1'))],
  ['a different address and another variable', provider('openai', at('https://evil.example/v1'), 'OTHER_KEY')],
  ['a key no provider had', `${before}, ${provider('new', at('https://new.example'), 'NEW_KEY')}`],
])('[config.secrets-stay-bound] a provider with %s keeps its key', async (_what, after) => {
  const given = await configured(after);
  expect(dropMovedKeys(await configured(before), given)).toEqual({ configuration: given, warnings: [] });
});

test('[config.secrets-stay-bound] a provider with a different type and no address calls a different vendor', async () => {
  const moved = provider('openai', '').replace('type: openai', 'type: anthropic');
  const { warnings } = dropMovedKeys(await configured(provider('openai', '')), await configured(moved));
  expect(warnings).toHaveLength(1);
});

test('[config.secrets-stay-bound] a key used with two addresses can stay with either of them', async () => {
  const two = `${before}, ${provider('eu', at('https://eu.example'))}`;
  const swapped = `${provider('openai', at('https://eu.example'))}, ${provider('eu', at('https://third.example'))}`;
  const { configuration } = dropMovedKeys(await configured(two), await configured(swapped));
  expect(configuration.providers.map(({ api_key_env }) => api_key_env)).toEqual(['OPENAI_API_KEY', undefined]);
});

describe('[config.secrets-stay-bound] secrets of other entries', () => {
  const entries = (over: Readonly<Record<string, string>> = {}, more = '') => {
    const { slack, github, vault, mcp } = {
      slack: 'https://slack.example/api',
      github: 'https://git.example',
      vault: 'https://vault.example',
      mcp: 'https://mcp.example/mcp',
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
  ])('%s: a change to a different address is refused, and the error names the setting', async (place, name, path) => {
    const after = await loaded(entries({ [place]: 'https://evil.example/' }));
    const before = await loaded(entries());
    expect(() => dropMovedKeys(before, after)).toThrow(
      `${path}: found ${name} with a different address or purpose from the one it was entered for, allowed a separate variable`,
    );
    expect(dropMovedKeys(before, before)).toEqual({ configuration: before, warnings: [] });
  });

  test('a secret cannot move from another entry to a provider: the provider loses it', async () => {
    const before = await loaded(entries());
    const after = await loaded(
      entries({}, `providers: [${provider('evil', at('https://evil.example'), 'VAULT_TOKEN')}]`),
    );
    const { configuration, warnings } = dropMovedKeys(before, after);
    expect(configuration.providers[0]).not.toHaveProperty('api_key_env');
    expect(warnings).toEqual([expect.stringContaining('VAULT_TOKEN')]);
  });
});

const key = (name: string) => provider('evil', at('https://evil.example/v1'), name);
const shell = (name: string) =>
  `executors: { shell: { enabled: true, allowed_binaries: [ls], working_directory: /tmp, env: [${name}] } }`;
const program = 'upstreams: { mcp: [{ name: local, transport: stdio, command: [/usr/bin/env] }] }';
const ticketKeys = (field: string) => `credentials: { tickets: { ${field}: OLD_TICKET_KEY } }`;

describe('[config.secrets-stay-bound]', () => {
  const loaded = async (text: string) => (await loadConfiguration(base(text), { packs })).configuration;
  const evil = provider('evil', at('https://evil.example/v1'));

  /** Stores configurations one after another, as HTTP requests would, and returns the stored form of the last one. */
  async function stored(texts: readonly string[], listed?: readonly string[]) {
    let before: Configuration | undefined;
    let bound: SecretBindings = {};
    for (const text of texts) {
      const kept = enforceBindings({ before, bound, listed: before && listed }, await loaded(text));
      bound = kept.bound;
      before = kept.configuration;
    }
    return before as Configuration;
  }

  test('a removed key can be restored only for its original address', async () => {
    const without = 'providers: [{ name: openai, type: openai }]';
    const moved = await stored([`providers: [${before}]`, without, `providers: [${evil}]`]);
    expect(moved.providers[0]).not.toHaveProperty('api_key_env');
    const back = await stored([`providers: [${before}]`, without, `providers: [${before}]`]);
    expect(back.providers[0]).toHaveProperty('api_key_env', 'OPENAI_API_KEY');
  });

  const database = 'executors: { sql: { databases: [{ name: shop, url_env: SHOP_URL }] } }';
  const grant = (broker: string, server: string) => `
upstreams: { mcp: [{ name: files, url: "https://${server}/mcp" }] }
credentials: { brokers: [${broker}], grants: [{ protocol: mcp, tool: "files.*", broker: b, scope: s, upstream: files }] }`;
  const staticBroker = '{ name: b, type: static, secret_env: FILES_TOKEN }';
  const storedBroker = '{ name: b, type: secrets_manager, secret_id: "prod/files" }';

  test.each([
    ['a connection URL as a key', [database, `${database}\nproviders: [${key('SHOP_URL')}]`]],
    ['the key of tickets, which no setting names', ['', `providers: [${key('GATEWAY_TICKET_KEY')}]`]],
    [
      'a secret of a channel that is gone',
      [
        'approvals: { channels: { webhook: { url: "https://a.example", secret_env: HOOK } } }',
        '',
        `providers: [${key('HOOK')}]`,
      ],
    ],
  ])('%s is not sent to a provider', async (_, texts) => {
    expect((await stored(texts)).providers[0]).not.toHaveProperty('api_key_env');
  });

  test.each([
    ['a static secret', [grant(staticBroker, 'files.example'), grant(staticBroker, 'evil.example')], 'FILES_TOKEN'],
    ['a stored secret', [grant(storedBroker, 'files.example'), grant(storedBroker, 'evil.example')], 'prod/files'],
    [
      'a provider key as a static secret',
      [`providers: [${before}]`, grant(staticBroker.replace('FILES_TOKEN', 'OPENAI_API_KEY'), 'evil.example')],
      'OPENAI_API_KEY',
    ],
    ['a provider key for programs', [`providers: [${before}]`, shell('OPENAI_API_KEY')], 'OPENAI_API_KEY'],
    ['a program started beside the gateway', ['', program], 'a program that the active configuration does not use'],
  ])('%s that would be sent elsewhere is refused', async (_, texts, found) => {
    await expect(stored(texts)).rejects.toThrow(found);
  });

  test.each([
    ['the same grant again', [grant(staticBroker, 'files.example'), grant(staticBroker, 'files.example')]],
    ['a secret that moves to the place of the previous one', [ticketKeys('key_env'), ticketKeys('previous_key_env')]],
    ['a new name', [`providers: [${before}]`, `providers: [${before}, ${provider('b', '', 'NEW_KEY')}]`]],
  ])('%s is stored', async (_, texts) => {
    await expect(stored(texts)).resolves.toBeDefined();
  });

  test('a name that is neither used in a file nor listed by the operator is refused if secrets come from environment variables', async () => {
    const texts = [`providers: [${before}]`, `providers: [${before}, ${provider('b', '', 'NEW_KEY')}]`];
    await expect(stored(texts, [])).rejects.toThrow('NEW_KEY, which no configuration file uses');
    await expect(stored(texts, ['NEW_KEY'])).resolves.toBeDefined();
  });

  test('the configuration file can bind a secret to a new address, which replaces the old one', async () => {
    const deps = { configStore: memoryConfigStore(), objects: memoryObjects(), clock: handClock(), packs };
    await importFile(deps, { text: base(`providers: [${before}]`), by: 'file' });
    await importFile(deps, { text: base(`providers: [${provider('openai', at('https://new.example'))}]`), by: 'file' });
    expect((await deps.configStore.bindings()).names.OPENAI_API_KEY).toEqual(['https://new.example']);
  });
});
