/**
 * A secret goes to the address it was entered for (contract §2): whoever may edit the configuration over HTTP must not have
 * one in force sent to an address of their choice, under its old name or by way of another entry. Files, the operator's own,
 * and rollbacks are not asked.
 */
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import { type Path, type Problem, refusal } from './problems.ts';

interface Sent {
  readonly path: Path;
  readonly name: string;
  readonly address: string;
}

/** What a changed `base_url` does to a provider: its key is dropped, and the provider stays without. */
export interface KeptKeys {
  readonly configuration: Configuration;
  readonly warnings: readonly string[];
}

/** @throws GatewayError `invalid_request` for any other secret in force that would go to another address. */
export function dropMovedKeys(before: Configuration, after: Configuration): KeptKeys {
  const known = Map.groupBy(sentBy(before), ({ name }) => name);
  const isMoved = ({ name, address }: Sent): boolean => {
    const entered = known.get(name);
    return entered !== undefined && !entered.some((other) => other.address === address);
  };
  const moved = sentBy(after).filter(isMoved);
  const refused = moved.filter(({ path }) => path[0] !== 'providers');
  if (refused.length > 0) throw refusal(refused.map(elsewhere), () => undefined);
  const without = moved.map(({ path }) => path[1]);
  return {
    configuration: {
      ...after,
      providers: after.providers.map((provider, at) => (without.includes(at) ? withoutKey(provider) : provider)),
    },
    warnings: moved.map(
      ({ path, name }) =>
        `The provider ${after.providers[Number(path[1])]?.name} has another base_url than the one ${name} was entered for, so it ` +
        'has no key now; name a variable of its own, or import the change from the configuration file.',
    ),
  };
}

const elsewhere = ({ path, name }: Sent): Problem => ({
  path,
  found: `${name} with another address than the one it was entered for`,
  allowed: 'a variable of its own, or the change by the configuration file',
});

/** Every secret that is sent as it is, and where to. What is only signed with stays here. */
function sentBy({ providers, upstreams, approvals, credentials }: Configuration): Sent[] {
  const { slack, github } = approvals.channels;
  const to = (path: Path, name: string | undefined, address: string): Sent[] =>
    name === undefined ? [] : [{ path, name, address: sameForm(address) }];
  return [
    ...providers.flatMap((provider, at) =>
      // Without an address each type calls its vendor's.
      to(['providers', at, 'api_key_env'], provider.api_key_env, provider.base_url ?? provider.type),
    ),
    ...upstreams.mcp.flatMap(({ token_env, url = 'stdio' }, at) =>
      to(['upstreams', 'mcp', at, 'token_env'], token_env, url),
    ),
    ...to(['approvals', 'channels', 'slack', 'bot_token_env'], slack?.bot_token_env, slack?.api_url ?? ''),
    ...to(['approvals', 'channels', 'github', 'token_env'], github?.token_env, github?.api_url ?? ''),
    ...credentials.brokers.flatMap((broker, at) =>
      broker.type === 'vault' ? to(['credentials', 'brokers', at, 'token_env'], broker.token_env, broker.url) : [],
    ),
  ];
}

const sameForm = (address: string): string =>
  URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address;

function withoutKey({ api_key_env: _dropped, ...provider }: ProviderEntry): ProviderEntry {
  return provider;
}
