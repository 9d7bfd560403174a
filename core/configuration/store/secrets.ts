/**
 * Converts keys in secrets to digests when a configuration is stored, so that the key values are not passed on
 * [auth.keys-by-digest].
 */

import { buildIdentities, type Identities, type ResolvedKey } from '#core/configuration/identity/identities.ts';
import { defaultAdminTokenName } from '#core/contracts/config/secret-names.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { digestOf, sha256 } from '#core/kernel/canonical.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import type { StoredKeyDigests } from '../ports.ts';

export interface ResolvedSecrets {
  /** SHA-256 of each key, by environment name. Names without a value are omitted. */
  readonly digests: ReadonlyMap<string, string>;
  /** String that changes if any digest changes. */
  readonly fingerprint: string;
  readonly warnings: readonly string[];
}

/**
 * Returns the digests of the keys that a configuration names. A missing or blank secret is not a key, so its name is
 * omitted.
 * @param adminTokenSha256 SHA-256 of the platform administrator's token, if it is stored separately; used for the
 * default name.
 * @throws GatewayError `service_unavailable` if the secrets cannot be read.
 */
export async function keyDigests(
  configuration: Configuration,
  secrets: SecretStore,
  adminTokenSha256?: string,
): Promise<Record<string, string>> {
  const found = await Promise.all(
    secretNames(configuration).map(async (name) => {
      if (name === defaultAdminTokenName && adminTokenSha256 !== undefined) return [name, adminTokenSha256];
      const value = (await secrets.get(name))?.trim();
      return value ? [name, sha256(value)] : undefined;
    }),
  );
  return Object.fromEntries(found.filter((pair) => pair !== undefined));
}

/** Returns the stored digests that a configuration uses. An entry without a digest is skipped. */
export function resolvedSecrets(configuration: Configuration, held: StoredKeyDigests['digests']): ResolvedSecrets {
  const adminName = configuration.admin.token_env;
  const names = secretNames(configuration);
  const digests = new Map(
    names.flatMap((name) => (Object.hasOwn(held, name) && held[name] ? [[name, held[name]] as const] : [])),
  );
  const missing = names.filter((name) => !digests.has(name));
  return {
    digests,
    fingerprint: digestOf([...digests]),
    warnings: missing.map((name) =>
      name === adminName ? `${name} is not set: there is no admin token.` : unsetKeyWarning(name),
    ),
  };
}

export const unsetKeyWarning = (name: string): string => `${name} is not set: its key entry is skipped.`;

export function identitiesOf(
  configuration: Configuration,
  { digests }: ResolvedSecrets,
  overlayKeys: readonly ResolvedKey[],
): { identities: Identities; warnings: string[] } {
  const configured = configuration.tenants.flatMap(({ id: tenant, api_keys }) =>
    api_keys.flatMap(({ key_env, key_sha256, ...settings }): ResolvedKey[] => {
      const digest = key_sha256 ?? (key_env === undefined ? undefined : digests.get(key_env));
      return digest === undefined ? [] : [{ name: key_env, ...defined(settings), key_sha256: digest, tenant }];
    }),
  );
  return buildIdentities({
    keys: [...configured, ...overlayKeys],
    people: configuration.people,
    organizations: configuration.organizations,
    adminTokenSha256: digests.get(configuration.admin.token_env),
    planes: planeTokens(configuration, digests),
    firstTenant: configuration.tenants[0]?.id ?? 'default',
  });
}

/** Returns the plane tokens that a control plane accepts. Other gateways accept none. */
const planeTokens = ({ federation: { role, planes } }: Configuration, digests: ResolvedSecrets['digests']) =>
  (role === 'control' ? planes : []).flatMap(({ name: plane, tokens }) =>
    tokens.flatMap(({ token_env, token_sha256 }) => {
      const digest = token_sha256 ?? (token_env === undefined ? undefined : digests.get(token_env));
      return digest === undefined ? [] : [{ plane, token_sha256: digest }];
    }),
  );

const secretNames = (configuration: Configuration): string[] => [
  ...new Set([configuration.admin.token_env, ...keyNames(configuration)]),
];

/**
 * Returns the names of all keys. A data plane's local keys are known even before the control plane has sent its
 * tenants.
 */
const keyNames = ({ tenants, federation: { role, planes, local_keys } }: Configuration): string[] => [
  ...tenants.flatMap(({ api_keys }) => api_keys.flatMap(({ key_env }) => key_env ?? [])),
  ...(role === 'data' ? local_keys.flatMap(({ key_env }) => key_env ?? []) : []),
  ...(role === 'control' ? planes.flatMap(({ tokens }) => tokens.flatMap(({ token_env }) => token_env ?? [])) : []),
];

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
