/** Plans which providers may serve a model, and in which order (globs, priority, round-robin, region groups). */
import type { Configuration, ModelRoute, ProviderEntry } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { isDemoOf } from '#core/models/providers/demo.ts';

import { type ModelGlob, modelGlob } from './model-glob.ts';

export interface Candidate {
  readonly entry: ProviderEntry;
  readonly region: string | undefined;
}

export interface RoutePlan {
  /** Name after alias resolution, which is sent to the provider. */
  readonly model: string;
  /** Route pattern; undefined if the match came from the providers' own `models`. */
  readonly route: string | undefined;
  /** Candidates in the order in which they are tried; empty if every provider of the route is disabled. */
  readonly candidates: readonly Candidate[];
}

/** Returns the providers that may be called. */
export const entriesOf = ({ candidates }: RoutePlan): readonly ProviderEntry[] => candidates.map(({ entry }) => entry);

/**
 * Number of plans made per round-robin route, so that each call starts with the next candidate. The numbers are lost
 * when the process restarts.
 */
type Rotation = Map<string, number>;

const rotation: Rotation = new Map();
const longestAliasChain = 8;

/** Resolves `aliases.models` in a limited number of steps, so that circular aliases terminate. */
export function resolveModel({ aliases }: Pick<Configuration, 'aliases'>, name: string): string {
  let model = name;
  for (let step = 0; step < longestAliasChain && Object.hasOwn(aliases.models, model); step++)
    model = aliases.models[model]!;
  return model;
}

/** Plans the route, or returns undefined if no provider serves the model (404 `model_not_found`). */
export function planRoute(
  configuration: Configuration,
  model: string,
  rotated: Rotation = rotation,
): RoutePlan | undefined {
  const { routes, served } = compileRoutes(configuration);
  const route = routes.find(({ matches }) => matches(model));
  if (route) return { model, route: route.pattern, candidates: candidatesOf(route, rotated) };
  const listing = served.filter(({ matches }) => matches(model)).map(({ entry }) => entry);
  const real = listing.some((entry) => !isDemoOf(entry, model));
  const candidates = listing
    .filter((entry) => entry.enabled && !(real && isDemoOf(entry, model)))
    .map((entry) => ({ entry, region: entry.region }));
  return candidates.length === 0 ? undefined : { model, route: undefined, candidates };
}

/** Returns the names of disabled providers that list the model. */
export const disabledProvidersOf = (configuration: Configuration, model: string): readonly string[] =>
  compileRoutes(configuration)
    .served.filter(({ entry, matches }) => !entry.enabled && !isDemoOf(entry, model) && matches(model))
    .map(({ entry }) => entry.name);

/** Returns the candidates: groups keep their order, and round-robin rotates within each. */
function candidatesOf({ key, groups, strategy }: CompiledRoute, rotated: Rotation): readonly Candidate[] {
  if (strategy === 'priority') return groups.flat();
  const turn = rotated.get(key) ?? 0;
  rotated.set(key, turn + 1);
  return groups.flatMap((group) => {
    const start = group.length === 0 ? 0 : turn % group.length;
    return [...group.slice(start), ...group.slice(0, start)];
  });
}

interface CompiledRoute {
  /** Content of the route: an unchanged route keeps its rotation when the configuration is reloaded. */
  readonly key: string;
  readonly pattern: string;
  readonly matches: ModelGlob;
  readonly strategy: ModelRoute['strategy'];
  /** Groups without disabled providers. */
  readonly groups: readonly (readonly Candidate[])[];
}

interface CompiledRoutes {
  readonly routes: readonly CompiledRoute[];
  /** Providers, including disabled ones: a model listed by any of them is a real model [models.demo]. */
  readonly served: readonly { readonly entry: ProviderEntry; readonly matches: ModelGlob }[];
}

const compileRoutes = remembered((configuration: Configuration): CompiledRoutes => {
  const enabled = configuration.providers.filter((entry) => entry.enabled);
  return {
    routes: configuration.routes.map((route) => compiledRoute(route, enabled)),
    served: [...configuration.providers].sort(mockLast).map((entry) => {
      const globs = entry.models.map(modelGlob);
      return { entry, matches: (model) => globs.some((matches) => matches(model)) };
    }),
  };
});

/** Sorts the built-in mock last; the other providers keep their order [models.demo]. */
const mockLast = (a: ProviderEntry, b: ProviderEntry) => Number(a.type === 'mock') - Number(b.type === 'mock');

function compiledRoute(route: ModelRoute, enabled: readonly ProviderEntry[]): CompiledRoute {
  const group = (names: readonly string[], region?: string): Candidate[] =>
    names.flatMap((name) => {
      const entry = enabled.find((one) => one.name === name);
      return entry ? [{ entry, region: region ?? entry.region }] : [];
    });
  return {
    key: JSON.stringify(route),
    pattern: route.match.model,
    matches: modelGlob(route.match.model),
    strategy: route.strategy,
    groups: route.regions
      ? route.regions.map(({ name, providers }) => group(providers, name))
      : [group(route.providers ?? [])],
  };
}
