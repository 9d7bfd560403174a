/**
 * For misspelt keys, words, names and tools, the message suggests the most likely match; secrets without a value are
 * reported.
 */
import { globSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { unknownTools } from '#core/configuration/checks/policy-checks.ts';
import { unsetSecrets } from '#core/configuration/checks/unset-secrets.ts';
import { shellCarriers } from '#core/contracts/executor-tools.ts';
import { didYouMean, nearestWord } from '#core/kernel/did-you-mean.ts';
import { configurationSchema } from '#features/configuration.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { readCases } from '../../support/yaml.ts';
import { base, packs } from './memory.ts';

const cases = readCases(
  'test/unit/configuration/did-you-mean.yaml',
  z.strictObject({
    near: z.array(z.tuple([z.string(), z.string(), z.string()])),
    unreported: z.array(z.tuple([z.string()])),
  }),
);

const load = (text: string) => loadConfiguration(text, { packs });
const rules = (list: string, more = '') => base(more).replace('pack: null', `pack: null, rules: ${list}`);

test('[config.unknown-keys] suggests a similar word, but not a dissimilar or identical one', () => {
  expect(nearestWord('tenant', ['tenants', 'routes'])).toBe('tenants');
  expect(nearestWord('Tenants', ['tenants'])).toBe('tenants');
  expect(nearestWord('colour', ['tenants', 'routes'])).toBeUndefined();
  expect(nearestWord('id', ['ip'])).toBeUndefined();
  expect(nearestWord('token_env', ['bot_token_env', 'signing_secret_env'])).toBe('bot_token_env');
  expect(nearestWord('secret_env', ['signing_secret_env', 'previous_secret_env'])).toBeUndefined();
  expect(nearestWord('url', ['api_url', 'link_base'])).toBeUndefined();
  expect(didYouMean('readonly', ['readonly'])).toBe('');
});

test('[config.unknown-keys] values that may be secrets are neither quoted nor compared', async () => {
  const refused = load(base().replace('{ key: agent-key-of-16-chars }', '{ key: a, role: admin, key_env: Admin }'));
  await expect(refused).rejects.toThrow(/^(?!.*did you mean)/s);
});

describe('[config.unknown-keys] tools of rules', () => {
  const warnings = async (rule: string, more = '') =>
    (await load(rules(`[{ ${rule}, decision: allow }]`, more))).warnings.filter((text) =>
      text.includes('did you mean'),
    );

  test.each(cases.near)('%s is reported', async (rule, hint, more) => {
    expect(await warnings(rule, more)).toEqual([expect.stringContaining(hint)]);
  });

  test.each(cases.unreported)('%s is not', async (rule) => {
    expect(await warnings(rule)).toEqual([]);
  });
});

test('[config.unknown-keys] tool names in packs, tables, guides and the gateway are recognised', () => {
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

describe('[config.warned] secrets without values', () => {
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

  test('each missing secret is reported with the key that names it; disabled entries and rotations need no value', async () => {
    const warnings = await unset({ GATEWAY_TICKET_KEY: 'x' });
    expect(warnings.map((text) => text.split(' ')[0]).sort()).toEqual(
      'OPENAI_KEY SLACK_SIGNING SLACK_TOKEN STATIC_SECRET'.split(' '),
    );
    expect(warnings.find((text) => text.startsWith('OPENAI_KEY'))).toContain('providers[1].api_key_env');
  });

  test('the ticket key is required if the file configures tickets', async () => {
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

  test('a blank value counts as missing, and a value that is set is not mentioned', async () => {
    const set = { GATEWAY_TICKET_KEY: 'x', OPENAI_KEY: '  ', SLACK_SIGNING: 's', SLACK_TOKEN: 't', STATIC_SECRET: 'z' };
    expect(await unset(set)).toEqual([expect.stringContaining('OPENAI_KEY is not set')]);
  });
});
