/**
 * A secret stays with the addresses and purposes it was first entered for [config.secrets-stay-bound]: an administrator who may
 * store a configuration over HTTP must not have one sent to an address of their choice, in one step or in several. The configuration
 * file, which is the operator's own, replaces the binding; a rollback brings back what was bound before.
 */
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import { type Problem, refusal } from '#core/contracts/problems.ts';
import type { SecretBindings } from '../ports.ts';
import { type SecretUse, secretUses } from './secret-uses.ts';

interface BindingRules {
  /** What is in force now. */
  readonly before: Configuration | undefined;
  /** What earlier configurations bound, whether it is still in force or not. */
  readonly bound: SecretBindings;
  /** Environment names that the operator lists; undefined where secrets come from a store that holds nothing else. */
  readonly listed: readonly string[] | undefined;
}

/** What a changed `base_url` does to a provider: its key is dropped, and the provider stays without. */
interface BoundConfiguration {
  readonly configuration: Configuration;
  /** What is bound once the configuration is stored. */
  readonly bound: SecretBindings;
  readonly warnings: readonly string[];
}

/** @throws GatewayError `invalid_request` for any secret that would be used otherwise than it was entered for. */
export function enforceBindings({ before, bound, listed }: BindingRules, after: Configuration): BoundConfiguration {
  const known = bindingsOf(before, bound);
  const uses = secretUses(after);
  const moved = uses.filter(({ name, use }) => known[name] !== undefined && !known[name].includes(use));
  const dropped = moved.filter(({ path }) => path[0] === 'providers');
  const problems = [
    ...moved.filter((use) => !dropped.includes(use)).map(usedOtherwise),
    ...uses
      .filter(({ name, environment }) => environment && known[name] === undefined && listed && !listed.includes(name))
      .map(unlisted),
    ...newCommands(before, after),
  ];
  if (problems.length > 0) throw refusal(problems, () => undefined);
  const without = dropped.map(({ path }) => path[1]);
  const providers = after.providers.map((provider, at) => (without.includes(at) ? withoutKey(provider) : provider));
  const configuration = { ...after, providers };
  return {
    configuration,
    bound: bindingsAfter(known, configuration, 'api'),
    warnings: dropped.map(
      ({ path, name }) =>
        `The provider ${after.providers[Number(path[1])]?.name} has another base_url than the one ${name} was entered for, so it ` +
        'has no key now; name a variable of its own, or import the change from the configuration file.',
    ),
  };
}

/** What is bound once `after` is stored: over HTTP new names only, by the file every name it uses. */
export function bindingsAfter(bound: SecretBindings, after: Configuration, source: 'file' | 'api'): SecretBindings {
  const used: Record<string, string[]> = {};
  for (const { name, use } of secretUses(after)) {
    used[name] ??= [];
    if (!used[name].includes(use)) used[name].push(use);
  }
  return source === 'file' ? { ...bound, ...used } : { ...used, ...bound };
}

/** A configuration of before bindings were kept binds what it uses. */
const bindingsOf = (before: Configuration | undefined, bound: SecretBindings): SecretBindings =>
  before ? bindingsAfter(bound, before, 'api') : bound;

/** A program started beside the gateway could read what the gateway holds: only the file names one. */
function newCommands(before: Configuration | undefined, after: Configuration): Problem[] {
  if (!before) return [];
  const known = before.upstreams.mcp.map(({ command }) => JSON.stringify(command));
  return after.upstreams.mcp.flatMap(({ command }, at) =>
    command === undefined || known.includes(JSON.stringify(command))
      ? []
      : [
          {
            path: ['upstreams', 'mcp', at, 'command'],
            found: 'a program that is not in force yet',
            allowed: 'a program that the configuration file names: programs are added by the file only',
          },
        ],
  );
}

const usedOtherwise = ({ path, name }: SecretUse): Problem => ({
  path,
  found: `${name} with another address or purpose than the one it was entered for`,
  allowed: 'a variable of its own, or the change by the configuration file',
});

const unlisted = ({ path, name }: SecretUse): Problem => ({
  path,
  found: `${name}, which no configuration file uses and GATEWAY_SECRET_NAMES does not list`,
  allowed: 'a name that the operator lists in GATEWAY_SECRET_NAMES or uses in the configuration file',
});

function withoutKey({ api_key_env: _dropped, ...provider }: ProviderEntry): ProviderEntry {
  return provider;
}
