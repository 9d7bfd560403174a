/**
 * Keeps secrets bound to the addresses and purposes for which they were first entered [config.secrets-stay-bound]. An
 * administrator who may store a configuration over HTTP must not be able to redirect a secret to another address,
 * whether in one step or several. The operator's configuration file replaces the bindings, and a rollback restores the
 * earlier ones.
 */
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import { type Problem, problemsError } from '#core/contracts/problems.ts';
import type { SecretBindings } from '../ports.ts';
import { type SecretUse, secretUses } from './secret-uses.ts';

interface BindingRules {
  /** Active configuration. */
  readonly before: Configuration | undefined;
  /** Bindings of earlier configurations, active or not. */
  readonly bound: SecretBindings;
  /**
   * Environment names that the operator lists, or undefined if secrets come from a store that contains only secrets.
   */
  readonly listed: readonly string[] | undefined;
}

/** Configuration after the check. If a `base_url` changed, the provider no longer has a key. */
interface BoundConfiguration {
  readonly configuration: Configuration;
  /** Bindings after the configuration has been stored. */
  readonly bound: SecretBindings;
  readonly warnings: readonly string[];
}

/**
 * Checks that every secret keeps its bound uses.
 * @throws GatewayError `invalid_request` if a secret would get a different use.
 */
export function enforceBindings({ before, bound, listed }: BindingRules, after: Configuration): BoundConfiguration {
  const known = bindingsOf(before, bound);
  const uses = secretUses(after);
  const moved = uses.filter(({ name, use }) => known[name] !== undefined && !known[name].includes(use));
  const dropped = moved.filter(({ path }) => path[0] === 'providers');
  const problems = [
    ...moved.filter((use) => !dropped.includes(use)).map(usedOtherwise),
    ...uses
      .filter(({ name, environment }) => environment && known[name] === undefined && listed && !listed.includes(name))
      .map(unlistedProblem),
    ...newCommands(before, after),
  ];
  if (problems.length > 0) throw problemsError(problems, () => undefined);
  const without = dropped.map(({ path }) => path[1]);
  const providers = after.providers.map((provider, at) => (without.includes(at) ? withoutKey(provider) : provider));
  const configuration = { ...after, providers };
  return {
    configuration,
    bound: bindingsAfter(known, configuration, 'api'),
    warnings: dropped.map(
      ({ path, name }) =>
        `The provider ${after.providers[Number(path[1])]?.name} has a different base_url from the one ${name} was entered for, so it ` +
        'has no key now; name a variable of its own, or import the change from the configuration file.',
    ),
  };
}

/** Returns the bindings after `after` is stored. HTTP only adds new names; the file rebinds every name it uses. */
export function bindingsAfter(bound: SecretBindings, after: Configuration, source: 'file' | 'api'): SecretBindings {
  const used: Record<string, string[]> = {};
  for (const { name, use } of secretUses(after)) {
    used[name] ??= [];
    if (!used[name].includes(use)) used[name].push(use);
  }
  return source === 'file' ? { ...bound, ...used } : { ...used, ...bound };
}

/** Returns the bindings. The active configuration's own uses are bound even if its stored bindings are missing. */
const bindingsOf = (before: Configuration | undefined, bound: SecretBindings): SecretBindings =>
  before ? bindingsAfter(bound, before, 'api') : bound;

/**
 * Rejects new commands. A program on the gateway's host could read the gateway's data, so only the configuration file
 * may name programs.
 */
function newCommands(before: Configuration | undefined, after: Configuration): Problem[] {
  if (!before) return [];
  const known = before.upstreams.mcp.map(({ command }) => JSON.stringify(command));
  return after.upstreams.mcp.flatMap(({ command }, at) =>
    command === undefined || known.includes(JSON.stringify(command))
      ? []
      : [
          {
            path: ['upstreams', 'mcp', at, 'command'],
            found: 'a program that the active configuration does not use',
            allowed: 'a program named in the configuration file: only the file can add programs',
          },
        ],
  );
}

const usedOtherwise = ({ path, name }: SecretUse): Problem => ({
  path,
  found: `${name} with a different address or purpose from the one it was entered for`,
  allowed: 'a separate variable, or this change made in the configuration file',
});

const unlistedProblem = ({ path, name }: SecretUse): Problem => ({
  path,
  found: `${name}, which no configuration file uses and GATEWAY_SECRET_NAMES does not list`,
  allowed: 'a name that the operator lists in GATEWAY_SECRET_NAMES or uses in the configuration file',
});

function withoutKey({ api_key_env: _dropped, ...provider }: ProviderEntry): ProviderEntry {
  return provider;
}
