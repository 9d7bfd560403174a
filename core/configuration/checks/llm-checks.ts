/** Checks on providers, routes, aliases, content filters, budgets and the cache that the schema cannot express. */

import type { ConfigurationFile, ContentFilter } from '#core/contracts/config.ts';
import { type Path, type Problem, pathText } from '#core/contracts/problems.ts';
import { describeAt } from '#core/kernel/issue-words.ts';
import { normalKeyword } from '#core/models/content-policy/keywords.ts';
import { regexProblem } from '#core/models/content-policy/pattern-set.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { type FileKeyObject, keyObject } from '../store/stored-keys.ts';
import { globProblems } from './glob-checks.ts';
import { exactlyOne, oneOf, unique } from './name-checks.ts';

export const checkLlm = (file: ConfigurationFile): Problem[] => [
  ...checkProviders(file),
  ...checkRoutes(file),
  ...checkAliases(file),
  ...checkTenantModels(file),
  ...checkFilters(file),
  ...checkBudgets(file),
  ...checkEmbedder(file),
  ...checkClassifier(file),
];

const checkProviders = ({ providers }: ConfigurationFile): Problem[] => [
  ...unique(providers, ['providers'], 'name', 'Provider'),
  ...providers.flatMap(({ models }, i) => globProblems(models, (at) => ['providers', i, 'models', at])),
  ...providers.flatMap(({ type, keeps_responses }, i): Problem[] =>
    keeps_responses && type !== 'openai'
      ? [
          {
            path: ['providers', i, 'keeps_responses'],
            found: `true for a provider of type ${type}`,
            allowed: 'false, or type openai',
          },
        ]
      : [],
  ),
];

const checkRoutes = (file: ConfigurationFile): Problem[] => [
  ...file.routes.flatMap(({ match, providers, regions }, i) => [
    ...globProblems([match.model], () => ['routes', i, 'match', 'model']),
    ...exactlyOne({ providers, regions }, ['routes', i]),
  ]),
  ...unknownProviders(file),
];

function unknownProviders(file: ConfigurationFile): Problem[] {
  const names = file.providers.map(({ name }) => name);
  return routedProviders(file)
    .filter(({ name }) => !names.includes(name))
    .map(({ name, path }) => ({ path, found: JSON.stringify(name), allowed: oneOf(names, 'providers', name) }));
}

/** Returns every provider name in a route, with its path. */
function routedProviders({ routes }: ConfigurationFile): { name: string; path: Path }[] {
  return routes.flatMap(({ providers = [], regions = [] }, i) => [
    ...providers.map((name, at) => ({ name, path: ['routes', i, 'providers', at] })),
    ...regions.flatMap((region, r) =>
      region.providers.map((name, at) => ({ name, path: ['routes', i, 'regions', r, 'providers', at] })),
    ),
  ]);
}

/** Maximum number of steps through nested aliases. */
const maxAliasSteps = 8;

function checkAliases({ aliases }: ConfigurationFile): Problem[] {
  const targets = new Map(Object.entries(aliases.models));
  return [...targets.keys()].flatMap((alias): Problem[] => {
    const chain = chainOf(alias, targets);
    const path = ['aliases', 'models', alias];
    const found = chain.map((name) => JSON.stringify(name)).join(' → ');
    const allowed = 'aliases that end at a model';
    // A cycle is reported once, at its alphabetically first name.
    if (chain.at(-1) === alias) return alias === chain.toSorted()[0] ? [{ path, found, allowed }] : [];
    if (chain.length - 1 <= maxAliasSteps || new Set(chain).size < chain.length) return [];
    return [{ path, found: `${chain.length - 1} steps`, allowed: `at most ${maxAliasSteps} steps to a model` }];
  });
}

/** Returns the alias and every name it leads to, up to the model or the first repeated name. */
function chainOf(alias: string, targets: ReadonlyMap<string, string>): string[] {
  const chain = [alias];
  for (let name = targets.get(alias); name !== undefined; name = targets.get(name)) {
    const again = chain.includes(name);
    chain.push(name);
    if (again) break;
  }
  return chain;
}

const checkTenantModels = ({ tenants }: ConfigurationFile): Problem[] =>
  tenants.flatMap(({ allowed_models, api_keys }, i) => [
    ...globProblems(allowed_models, (at) => ['tenants', i, 'allowed_models', at]),
    ...api_keys.flatMap((key, k) => checkKeyModels(keyObject(key), ['tenants', i, 'api_keys', k])),
  ]);

function checkKeyModels({ allowed_models = [], budget }: FileKeyObject, path: Path): Problem[] {
  const patterns = Object.keys(budget?.models ?? {});
  return [
    ...globProblems(allowed_models, (at) => [...path, 'allowed_models', at]),
    ...globProblems(patterns, (at) => [...path, 'budget', 'models', patterns[at] ?? '']),
  ];
}

const checkFilters = ({ policies }: ConfigurationFile): Problem[] =>
  (['input', 'output'] as const).flatMap((phase) => [
    ...unique(policies[phase], ['policies', phase], 'name', 'Filter'),
    ...policies[phase].flatMap((filter, i) => checkFilter(filter, ['policies', phase, i])),
  ]);

function checkFilter(filter: ContentFilter, path: Path): Problem[] {
  if (filter.type === 'regex')
    return filter.patterns.flatMap((pattern, at) => {
      const allowed = regexProblem(pattern);
      return allowed === undefined
        ? []
        : [{ path: [...path, 'patterns', at], found: describeAt([], pattern), allowed }];
    });
  if (filter.type === 'keyword')
    return filter.keywords.flatMap((keyword, at) => {
      const allowed = 'text with at least one visible character';
      const blank = normalKeyword(keyword).trim() === '';
      return blank ? [{ path: [...path, 'keywords', at], found: describeAt([], keyword), allowed }] : [];
    });
  return [];
}

function checkBudgets({ budgets, tenants }: ConfigurationFile): Problem[] {
  const ids = tenants.map(({ id }) => id);
  const globs = (models: Readonly<Record<string, unknown>> | undefined, path: Path) => {
    const patterns = Object.keys(models ?? {});
    return globProblems(patterns, (at) => [...path, 'models', patterns[at] ?? '']);
  };
  return [
    ...globs(budgets.global?.models, ['budgets', 'global']),
    ...Object.entries(budgets.tenants).flatMap(([id, { models }]): Problem[] => {
      const path = ['budgets', 'tenants', id];
      const known = ids.includes(id);
      const stranger = { path, found: `tenant ${JSON.stringify(id)}`, allowed: oneOf(ids, 'tenants', id) };
      return [...(known ? [] : [stranger]), ...globs(models, path)];
    }),
  ];
}

function checkEmbedder({ cache, providers }: ConfigurationFile): Problem[] {
  const { embedder } = cache.semantic;
  const able = providers.filter(({ type }) => type === 'openai' || type === 'bedrock').map(({ name }) => name);
  if (embedder === undefined || able.includes(embedder)) return [];
  const allowed = oneOf(able, 'providers of type openai or bedrock', embedder);
  return [{ path: ['cache', 'semantic', 'embedder'], found: JSON.stringify(embedder), allowed }];
}

/**
 * Checks that the filter or provider of the tool guard's classifier exists. Otherwise, the classifier would refuse
 * everything or check nothing.
 */
function checkClassifier(file: ConfigurationFile): Problem[] {
  const { classifier } = file.tool_guard;
  if (classifier?.type === 'wasm') {
    const filters = [...file.policies.output, ...file.policies.input];
    const names = [...new Set(filters.filter(({ type }) => type === 'wasm').map(({ name }) => name))];
    if (names.includes(classifier.filter)) return [];
    const allowed = oneOf(names, 'filters of type wasm in policies.output and policies.input', classifier.filter);
    return [{ path: ['tool_guard', 'classifier', 'filter'], found: JSON.stringify(classifier.filter), allowed }];
  }
  if (!classifier || isServed(file, classifier.model)) return [];
  const allowed = 'a model of a route or provider, or an alias of one';
  return [{ path: ['tool_guard', 'classifier', 'model'], found: JSON.stringify(classifier.model), allowed }];
}

const servedGlobs = ({ routes, providers }: ConfigurationFile): string[] => [
  ...routes.map(({ match }) => match.model),
  ...providers.flatMap(({ models }) => models),
];

const isServed = (file: ConfigurationFile, model: string): boolean =>
  Object.hasOwn(file.aliases.models, model) || servedGlobs(file).some((glob) => globMatches(glob, model));

/** Returns warnings about a valid configuration, such as routes to disabled providers or aliases without a target. */
export function routingWarnings(file: ConfigurationFile): string[] {
  const disabled = file.providers.filter(({ enabled }) => !enabled).map(({ name }) => name);
  const idle = routedProviders(file)
    .filter(({ name }) => disabled.includes(name))
    .map(({ name, path }) => `${pathText(path)}: the provider ${name} is not enabled.`);
  const served = servedGlobs(file);
  const { models } = file.aliases;
  const lost = Object.entries(models)
    .filter(([, target]) => !Object.hasOwn(models, target) && !served.some((glob) => globMatches(glob, target)))
    .map(([alias, target]) => `aliases.models.${alias}: no route and no provider has the model ${target}.`);
  return [...idle, ...lost];
}
