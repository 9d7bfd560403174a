/** Uses of each secret in a configuration: an address, or a purpose within the gateway. */

import { defaultTicketKeyName } from '#core/contracts/config/secret-names.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { type Path, pathText } from '#core/contracts/problems.ts';
import { fields, text } from '#core/kernel/json-fields.ts';
import { globMatches } from '#core/text/matching/glob.ts';

export interface SecretUse {
  readonly path: Path;
  /** Environment name of the secret, or `secret:<secret_id>` if it is stored. */
  readonly name: string;
  /** The address that the secret is sent to, or the setting that uses it. */
  readonly use: string;
  /** True if the name is an environment variable of the process. */
  readonly environment: boolean;
}

/** Returns every use of every secret. `path` is the setting that uses the secret. */
export function secretUses(configuration: Configuration): SecretUse[] {
  const sent = sentUses(configuration);
  const named = new Set(sent.map(({ path }) => pathText(path)));
  const { tickets } = configuration.credentials;
  const inside = [
    ...environmentNames(configuration, []).filter(({ path }) => !named.has(pathText(path))),
    ...configuration.executors.shell.env.map((name, at) => ({ path: ['executors', 'shell', 'env', at], name })),
    ...(tickets.key_env ? [] : [{ path: ['credentials', 'tickets', 'key_env'], name: defaultTicketKeyName }]),
  ];
  return [...sent, ...inside.map(({ path, name }) => ({ path, name, use: purposeOf(path), environment: true }))];
}

/** Returns every `…_env` member of a configuration, with its path. */
export function environmentNames(value: unknown, path: Path): { readonly path: Path; readonly name: string }[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([step, held]) => {
    const at = [...path, Array.isArray(value) ? Number(step) : step];
    return typeof held === 'string' && step.endsWith('_env') ? [{ path: at, name: held }] : environmentNames(held, at);
  });
}

/** Returns the uses of secrets that leave the gateway, directly or as credentials derived from them. */
function sentUses(configuration: Configuration): SecretUse[] {
  const { providers, upstreams, approvals, federation } = configuration;
  const to = (path: Path, name: string | undefined, ...uses: readonly string[]): SecretUse[] =>
    name === undefined ? [] : uses.map((use) => ({ path, name, use: sameForm(use), environment: true }));
  return [
    ...providers.flatMap((provider, at) =>
      // If no address is set, a provider type calls its vendor's address.
      to(['providers', at, 'api_key_env'], provider.api_key_env, provider.base_url ?? provider.type),
    ),
    ...upstreams.mcp.flatMap((server, at) => [
      ...to(['upstreams', 'mcp', at, 'token_env'], server.token_env, serverAddress(server)),
      ...server.env.flatMap((name, nth) => to(['upstreams', 'mcp', at, 'env', nth], name, serverAddress(server))),
    ]),
    ...to(['federation', 'token_env'], federation.token_env, federation.control_plane_url ?? ''),
    ...Object.entries(approvals.channels).flatMap(([channel, settings]) =>
      environmentNames(settings, ['approvals', 'channels', channel])
        .filter(({ path }) => String(path.at(-1)).endsWith('token_env'))
        .flatMap(({ path, name }) => to(path, name, text(fields(settings).api_url) ?? '')),
    ),
    ...brokerUses(configuration),
  ];
}

/**
 * Returns the uses of broker secrets. The secret goes to its issuer, and the credentials minted from it go to the
 * targets of its grants.
 */
function brokerUses(configuration: Configuration): SecretUse[] {
  return configuration.credentials.brokers.flatMap((broker, at): SecretUse[] => {
    const path = (field: string): Path => ['credentials', 'brokers', at, field];
    const granted = destinations(configuration, broker.name);
    const uses = (name: string, field: string, environment: boolean, issuer: readonly string[]) =>
      [...issuer, ...granted].map((use) => ({ path: path(field), name, use: sameForm(use), environment }));
    if (broker.type === 'static') return uses(broker.secret_env, 'secret_env', true, []);
    if (broker.type === 'vault') return uses(broker.token_env, 'token_env', true, [broker.url]);
    if (broker.type === 'scm_app')
      return uses(broker.private_key_env, 'private_key_env', true, [broker.api_url ?? broker.type]);
    if (broker.type === 'secrets_manager') return uses(`secret:${broker.secret_id}`, 'secret_id', false, []);
    return [];
  });
}

/** Returns the addresses to which calls under a broker's grants are sent. */
function destinations({ credentials, tool_policies, upstreams }: Configuration, broker: string): string[] {
  const ofRules = tool_policies.rules.filter(({ credential }) => credential?.broker === broker);
  const grants = [...credentials.grants.filter((grant) => grant.broker === broker), ...ofRules];
  const reached = grants.flatMap(({ protocol, tool, upstream = '*' }) => {
    const named = <Entry extends { readonly name: string }>(entries: readonly Entry[]) =>
      entries.filter(({ name }) => upstream === '*' || globMatches(upstream, name));
    const toServers = mayBe(protocol, 'mcp') || !knownProtocols.includes(protocol);
    return [
      ...(toServers ? named(upstreams.mcp).map(serverAddress) : []),
      ...(mayBe(protocol, 'http')
        ? named(upstreams.http)
            .filter(({ name }) => mayBeOf(tool, name))
            .map(baseUrl)
        : []),
    ];
  });
  return [...new Set(reached)];
}

/** Protocols whose calls never go to an MCP server. */
const knownProtocols: readonly string[] = ['git', 'sql', 'http', 'shell'];
const baseUrl = ({ base_url }: { readonly base_url: string }) => base_url;
const mayBe = (glob: string, protocol: string) => glob === protocol || /[*?{[]/.test(glob);

/** Checks whether a glob may match one of a service's tools, which are named `<service>.<operation>`. */
function mayBeOf(tool: string, service: string): boolean {
  const literal = tool.split(/[*?{[]/)[0] ?? '';
  return literal.includes('.') ? literal.startsWith(`${service}.`) : `${service}.`.startsWith(literal);
}

type McpServer = Configuration['upstreams']['mcp'][number];
const serverAddress = ({ url, command = [] }: McpServer): string => url ?? `stdio:${JSON.stringify(command)}`;

/** Returns the setting without list indexes, so that a secret being rotated keeps its earlier use. */
const purposeOf = (path: Path): string =>
  path.map((step) => (typeof step === 'number' ? '[]' : step.replace(/^previous_/, ''))).join('.');

const sameForm = (address: string): string =>
  /^https?:/.test(address) && URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address;
