/** Misspelt keys, words, names and tools are answered with the one that was probably meant; secrets without a value are reported. */

import { globSync, readFileSync } from 'node:fs';
import { unknownTools } from '#core/configuration/checks/unknown-tools.ts';
import { unsetSecrets } from '#core/configuration/checks/unset-secrets.ts';
import { loadConfiguration } from '#core/configuration/load/load.ts';
import { configurationSchema } from '#core/contracts/config.ts';
import { shellCarriers } from '#core/contracts/executor-tools.ts';
import { didYouMean, nearest } from '#core/kernel/did-you-mean.ts';
import { base, packs } from './memory.ts';

const load = (text: string) => loadConfiguration(text, { packs });
const rules = (list: string, more = '') => base(more).replace('pack: null', `pack: null, rules: ${list}`);

test('[config.did-you-mean] a word that is near is named, a word that is far or the same is not', () => {
  expect(nearest('tenant', ['tenants', 'routes'])).toBe('tenants');
  expect(nearest('Tenants', ['tenants'])).toBe('tenants');
  expect(nearest('colour', ['tenants', 'routes'])).toBeUndefined();
  expect(nearest('id', ['ip'])).toBeUndefined();
  expect(nearest('token_env', ['bot_token_env', 'signing_secret_env'])).toBe('bot_token_env');
  expect(nearest('secret_env', ['signing_secret_env', 'previous_secret_env'])).toBeUndefined();
  expect(nearest('url', ['api_url', 'link_base'])).toBeUndefined();
  expect(didYouMean('readonly', ['readonly'])).toBe('');
});

test.each([
  ['a key at the top', base('tenats: []'), 'tenats (line 8): found an unknown key', 'did you mean "tenants"?'],
  [
    'a key in a list',
    rules('[{ tool: x, decission: allow, decision: allow }]'),
    'tool_policies.rules[0].decission',
    'did you mean "decision"?',
  ],
  ['a word of a closed set', rules('[{ tool: x, decision: allows }]'), 'rules[0].decision', 'did you mean "allow"?'],
  [
    'a capability',
    rules('[{ tool: x, capability: wirte, decision: allow }]'),
    'rules[0].capability',
    'did you mean "write"?',
  ],
  [
    'the type of a broker',
    base('credentials: { brokers: [{ name: b, type: statik, secret_env: B }] }'),
    'credentials.brokers[0].type',
    'did you mean "static"?',
  ],
  [
    'the name of a broker',
    base(
      'credentials: { brokers: [{ name: host, type: static, secret_env: B }], grants: [{ protocol: git, tool: x, broker: hots, scope: s }] }',
    ),
    'credentials.grants[0].broker',
    'did you mean "host"?',
  ],
  [
    'the name of a provider',
    base('routes: [{ match: { model: "*" }, providers: [mok] }]'),
    'routes[0].providers[0]',
    'did you mean "mock"?',
  ],
  ['a tenant', base('budgets: { tenants: { defualt: {} } }'), 'budgets.tenants.defualt', 'did you mean "default"?'],
])('[config.did-you-mean] %s', async (_what, text, place, hint) => {
  const refused = await load(text).then(
    () => '',
    (fault: Error) => fault.message,
  );
  const line = refused.split('\n').find((each) => each.includes(place));
  expect(line).toContain(hint);
});

test('[config.did-you-mean] what may be a secret is neither quoted nor compared', async () => {
  const refused = load(base().replace('{ key: agent-key-of-16-chars }', '{ key: a, role: admin, key_env: Admin }'));
  await expect(refused).rejects.toThrow(/^(?!.*did you mean)/s);
});

describe('[config.did-you-mean] tools of rules', () => {
  const warnings = async (rule: string, more = '') =>
    (await load(rules(`[{ ${rule}, decision: allow }]`, more))).warnings.filter((text) =>
      text.includes('did you mean'),
    );

  test.each([
    ['protocol: git, tool: scm.get_file_content', 'did you mean "scm.get_file_contents"?', ''],
    ['protocol: git, tool: smc.get_file_contents', 'did you mean "scm.get_file_contents"?', ''],
    [
      'protocol: http, tool: biling.get',
      'did you mean "billing.get"?',
      'upstreams: { http: [{ name: billing, base_url: "https://billing.example" }] }',
    ],
    ['protocol: sql, tool: sql.selct', 'did you mean "sql.select"?', ''],
    ['protocol: shell, tool: shell.pytets', 'did you mean "shell.pytest"?', ''],
  ])('%s is reported', async (rule, hint, more) => {
    expect(await warnings(rule, more)).toEqual([expect.stringContaining(hint)]);
  });

  test.each([
    ['protocol: git, tool: scm.get_file_contents'],
    ['protocol: git, tool: "scm.get_*"'],
    ['protocol: git, tool: scm.delete_repo'],
    ['protocol: shell, tool: shell.ls'],
    ['protocol: shell, tool: shell.deploy-everything'],
    ['protocol: mcp, tool: serch'],
    ['protocol: shell, tool: shell.run'],
    ['protocol: shell, tool: shell.helm'],
    ['protocol: shell, tool: shell.tofu'],
  ])('%s is not', async (rule) => {
    expect(await warnings(rule)).toEqual([]);
  });
});

test('[config.did-you-mean] names of tools in packs, tables, guides and the gateway itself are known', () => {
  const texts = globSync(['policies/*.yaml', 'config/*.yaml', 'docs/{how-to,tutorial,explanation}/*.md', 'README.md'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const named = [...texts.matchAll(/(?:\btool: "?|--tool )([a-z]+)\.([\w-]+)(?=["\s,}])/g)];
  const own = [
    'shell.run',
    'shell.redirect',
    'sql.query',
    'http.request',
    ...shellCarriers.map((name) => `shell.${name}`),
  ];
  const tools = [...new Set([...named.map(([, family, name]) => `${family}.${name}`), ...own])];
  expect(tools.length).toBeGreaterThan(30);
  const file = configurationSchema.parse({
    version: 1,
    tenants: [{ id: 'default', api_keys: [{ key_env: 'KEY' }] }],
    tool_policies: {
      rules: tools.map((tool) => ({
        protocol: tool.startsWith('scm.') ? 'git' : tool.split('.')[0]!,
        tool,
        decision: 'allow',
      })),
    },
  });
  expect(unknownTools(file, null)).toEqual([]);
});

describe('[config.unset-secrets] secrets without a value', () => {
  const named = `providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: openai, type: openai, api_key_env: OPENAI_KEY, models: ["gpt-*"] }
  - { name: spare, type: openai, enabled: false, api_key_env: SPARE_KEY, models: ["x"] }
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_TOKEN, signing_secret_env: SLACK_SIGNING, previous_signing_secret_env: SLACK_BEFORE }
credentials: { brokers: [{ name: b, type: static, secret_env: STATIC_SECRET }] }`;
  const unset = async (values: Readonly<Record<string, string>>) => {
    const { configuration } = await load(base(named));
    return unsetSecrets(configuration, { get: async (name) => values[name] });
  };

  test('each is reported with the key that names it; a disabled entry and a rotation need none', async () => {
    const warnings = await unset({ GATEWAY_TICKET_KEY: 'x' });
    expect(warnings.map((text) => text.split(' ')[0]).sort()).toEqual([
      'OPENAI_KEY',
      'SLACK_SIGNING',
      'SLACK_TOKEN',
      'STATIC_SECRET',
    ]);
    expect(warnings.find((text) => text.startsWith('OPENAI_KEY'))).toContain('providers[1].api_key_env');
  });

  test('the key of tickets is needed where the file names tickets', async () => {
    const warned = async (credentials: string) => {
      const { configuration } = await load(base(`credentials: ${credentials}`));
      return unsetSecrets(configuration, { get: async () => undefined });
    };
    expect(await warned('{}')).toEqual([]);
    expect(await warned('{ brokers: [{ name: t, type: ticket }] }')).toEqual([
      expect.stringContaining('GATEWAY_TICKET_KEY is not set'),
    ]);
    expect(await warned('{ tickets: { key_env: MINE } }')).toEqual([expect.stringContaining('MINE is not set')]);
  });

  test('a blank value counts as none, a set one is not mentioned', async () => {
    const set = { GATEWAY_TICKET_KEY: 'x', OPENAI_KEY: '  ', SLACK_SIGNING: 's', SLACK_TOKEN: 't', STATIC_SECRET: 'z' };
    expect(await unset(set)).toEqual([expect.stringContaining('OPENAI_KEY is not set')]);
  });
});
