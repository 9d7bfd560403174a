/** Providers, their routes, aliases and caches. */

import { load, others, type Row } from './loading.ts';
import { base } from './memory.ts';

describe('model aliases', () => {
  const aliases = (models: string) => base(`aliases: { models: ${models} }`);
  const chain = (steps: number) =>
    aliases(
      `{ ${Array.from({ length: steps }, (_, i) => `a${i}: ${i + 1 < steps ? `a${i + 1}` : 'mock'}`).join(', ')} }`,
    );

  test.each<Row>([
    [
      'that lead to themselves',
      aliases('{ x: b, b: c, c: b }'),
      'aliases.models.b (line 8): found "b" → "c" → "b", allowed aliases that end at a model',
    ],
    ['that name themselves', aliases('{ a: a }'), 'aliases.models.a (line 8): found "a" → "a"'],
    [
      'of more than eight steps',
      chain(9),
      'aliases.models.a0 (line 8): found 9 steps, allowed at most 8 steps to a model',
    ],
  ])('aliases %s are refused, and each cycle is reported once', async (_what, text, expected) => {
    const refused = await load(text).catch((error) => error);
    expect(refused.message).toContain(expected);
    expect(refused.data.problems).toHaveLength(1);
  });

  test('aliases are followed for up to eight steps; a warning names an alias that leads to no model', async () => {
    expect(others((await load(chain(8))).warnings)).toEqual([]);
    expect(others((await load(aliases('{ fast: mock-1, lost: gpt-9 }'))).warnings)).toEqual([
      'aliases.models.lost: no route and no provider has the model gpt-9.',
    ]);
  });
});
test('routes to disabled providers cause a warning', async () => {
  const { warnings } = await load(
    base(`providers: [{ name: a, type: openai, enabled: false }, { name: b, type: mock }]
routes:
  - { match: { model: "x" }, providers: [b, a] }
  - { match: { model: "*" }, regions: [{ name: eu, providers: [a] }] }`),
  );
  expect(others(warnings)).toEqual([
    'routes[0].providers[1]: the provider a is not enabled.',
    'routes[1].regions[0].providers[0]: the provider a is not enabled.',
  ]);
});
describe('[config.schema-published] a provider entry', () => {
  test('accepts name, type, enabled, base_url, api_key_env and models; hosted providers need no address', async () => {
    const { configuration } = await load(
      base(`providers:
  - { name: o, type: openai, api_key_env: OPENAI_API_KEY, models: ["gpt-*"] }
  - { name: l, type: ollama, enabled: false, base_url: "http://127.0.0.1:11434", models: [llama3.2] }`),
    );
    expect(configuration.providers).toMatchObject([
      {
        name: 'o',
        type: 'openai',
        enabled: true,
        api_key_env: 'OPENAI_API_KEY',
        models: ['gpt-*'],
        timeout_ms: 60_000,
      },
      { name: 'l', type: 'ollama', enabled: false, base_url: 'http://127.0.0.1:11434', models: ['llama3.2'] },
    ]);
  });

  test('without any providers, the mock provider is configured and enabled', async () => {
    const { configuration } = await load(base());
    expect(configuration.providers).toMatchObject([
      { name: 'mock', type: 'mock', enabled: true, models: ['mock', 'mock-*'] },
    ]);
  });
});
test('[responses.stored] only a provider with type openai stores responses', async () => {
  const keeping = (type: string) =>
    load(base(`providers: [{ name: m, type: ${type}, models: ["*"], keeps_responses: true }]`));
  await expect(keeping('mock')).rejects.toThrow(
    'providers[0].keeps_responses (line 8): found true for a provider of type mock, allowed false, or type openai',
  );
  expect((await keeping('openai')).configuration.providers[0]?.keeps_responses).toBe(true);
});
