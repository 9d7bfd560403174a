import * as z from 'zod';
import type { Configuration, ModelRoute, ProviderEntry } from '#core/contracts/config.ts';
import { modelGlob } from '#core/models/routing/model-glob.ts';
import { planRoute, resolveModel } from '#core/models/routing/plan.ts';
import { providerEntry } from '../../../support/provider-entry.ts';
import { readCases } from '../../../support/yaml.ts';

const { patterns } = readCases(
  'test/unit/models/routing/plan.yaml',
  z.strictObject({ patterns: z.array(z.tuple([z.string(), z.string(), z.boolean()])) }),
);

const entry = (name: string, more: Partial<ProviderEntry> = {}) => providerEntry({ name, type: 'mock', ...more });
const configured = (
  providers: ProviderEntry[],
  routes: (Omit<ModelRoute, 'strategy' | 'match'> & { model: string; strategy?: ModelRoute['strategy'] })[] = [],
) =>
  ({
    providers,
    routes: routes.map(({ model, strategy = 'priority', ...rest }) => ({ match: { model }, strategy, ...rest })),
  }) as unknown as Configuration;

const order = (configuration: Configuration, model: string, rotation = new Map<string, number>()) =>
  planRoute(configuration, model, rotation)?.candidates.map(({ entry: { name }, region }) =>
    region ? `${region}/${name}` : name,
  );

test('[chat.routing] the first matching route is used, whatever models its providers list', () => {
  const configuration = configured(
    [entry('a', { models: ['other'] }), entry('b'), entry('mock')],
    [
      { model: 'gpt-4*', providers: ['a', 'mock'] },
      { model: 'gpt-*', providers: ['b'] },
    ],
  );
  expect(order(configuration, 'gpt-4o')).toEqual(['a', 'mock']);
  expect(order(configuration, 'GPT-3')).toEqual(['b']);
  expect(planRoute(configuration, 'gpt-4o')).toMatchObject({ model: 'gpt-4o', route: 'gpt-4*' });
});

test('[chat.routing] without a route, enabled providers that list the model are used; without such providers, there is no plan', () => {
  const models = ['gpt-*'];
  const configuration = configured([
    entry('off', { models, enabled: false }),
    entry('one', { models }),
    entry('none'),
    entry('two', { models: ['claude-*', 'gpt-4o'] }),
    entry('mock', { models: ['mock'] }),
  ]);
  expect(order(configuration, 'gpt-4o')).toEqual(['one', 'two']);
  expect(order(configuration, 'gemini')).toBeUndefined();
});

test('[models.demo] a mock serves a real model only if a route names it or no other provider lists the model', () => {
  const models = ['claude-*'];
  const real = (name: string) => entry(name, { type: 'anthropic', models });
  const providers = [entry('demo', { models }), real('one'), real('two')];
  expect(order(configured(providers), 'claude-x')).toEqual(['one', 'two']);
  const route = { model: 'claude-*', providers: ['demo', 'one'] };
  expect(order(configured(providers, [route]), 'claude-x')).toEqual(['demo', 'one']);
  const off = entry('off', { type: 'anthropic', models, enabled: false });
  expect(order(configured([entry('demo', { models }), off]), 'claude-x')).toBeUndefined();
  expect(order(configured([entry('demo', { models }), off]), 'other')).toBeUndefined();
  expect(order(configured([entry('demo', { models: ['claude-*', 'gpt-5'] }), off]), 'gpt-5')).toEqual(['demo']);
  // The mock's own names are not models of other providers.
  const all = entry('all', { type: 'openai', models: ['*'] });
  expect(order(configured([entry('demo', { models: ['mock*'] }), all]), 'mock-2')).toEqual(['all', 'demo']);
});

test('[chat.routing] disabled providers are skipped, and a route with only disabled providers has no candidates', () => {
  const configuration = configured(
    [entry('a', { enabled: false }), entry('b'), entry('mock', { models: ['*'] })],
    [
      { model: 'x', providers: ['a', 'b'] },
      { model: 'y', providers: ['a'] },
    ],
  );
  expect(order(configuration, 'x')).toEqual(['b']);
  expect(order(configuration, 'y')).toEqual([]);
});

test('[chat.routing] round-robin starts with the next provider on each call and keeps the other providers as fallbacks', () => {
  const route = { model: '*', providers: ['a', 'b', 'c'], strategy: 'round-robin' as const };
  const providers = [entry('a'), entry('b'), entry('c')];
  const rotation = new Map<string, number>();
  const turns = [1, 2, 3, 4].map(() => order(configured(providers, [route]), 'm', rotation));
  // Each call uses a freshly loaded configuration, because the rotation belongs to the route, not to the load.
  expect(turns).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
    ['a', 'b', 'c'],
  ]);
});

test('[chat.routing] regions are tried in order, and the strategy applies within each region', () => {
  const regions = [
    { name: 'us', providers: ['u1', 'u2'] },
    { name: 'eu', providers: ['e1'] },
  ];
  const providers = [entry('u1', { region: 'us-east-1' }), entry('u2'), entry('e1')];
  expect(order(configured(providers, [{ model: '*', regions }]), 'm')).toEqual(['us/u1', 'us/u2', 'eu/e1']);
  const rotation = new Map<string, number>();
  const turning = configured(providers, [{ model: '*', regions, strategy: 'round-robin' }]);
  expect(order(turning, 'm', rotation)).toEqual(['us/u1', 'us/u2', 'eu/e1']);
  expect(order(turning, 'm', rotation)).toEqual(['us/u2', 'us/u1', 'eu/e1']);
});

test('aliases are followed from name to name and stop at a cycle', () => {
  const aliases = { models: { fast: 'small', small: 'mock', a: 'b', b: 'a' } };
  expect(resolveModel({ aliases }, 'fast')).toBe('mock');
  expect(resolveModel({ aliases }, 'mock')).toBe('mock');
  expect(['a', 'b']).toContain(resolveModel({ aliases }, 'a'));
  expect(resolveModel({ aliases }, 'constructor')).toBe('constructor');
});

test.each(patterns)('model pattern %s matches name %s: %s', (pattern, model, expected) => {
  expect(modelGlob(pattern)(model)).toBe(expected);
});
