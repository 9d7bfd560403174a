/** Keys that live in secrets, turned into digests; the values go no further than here (contract §2). */
import type { Configuration } from '#core/contracts/config.ts';
import { buildIdentities, type Identities, type ResolvedKey } from '#core/identity/identities.ts';
import { digestOf, sha256 } from '#core/kernel/canonical.ts';
import type { SecretStore } from '#core/kernel/ports.ts';

export interface ResolvedSecrets {
  /** Environment name → SHA-256 of the key under it; names without a value are left out. */
  readonly digests: ReadonlyMap<string, string>;
  /** Changes when any of the digests does. */
  readonly fingerprint: string;
  readonly warnings: readonly string[];
}

/** A missing or blank secret is no key: the entry is skipped, never an empty key that anybody could send. */
export async function resolveSecrets(configuration: Configuration, secrets: SecretStore): Promise<ResolvedSecrets> {
  const adminName = configuration.admin.token_env;
  const names = [...new Set([adminName, ...keyNames(configuration)])];
  const found = await Promise.all(
    names.map(async (name) => {
      const value = (await secrets.get(name))?.trim();
      return value ? ([name, sha256(value)] as const) : undefined;
    }),
  );
  const digests = new Map(found.filter((pair) => pair !== undefined));
  const missing = names.filter((name) => !digests.has(name));
  return {
    digests,
    fingerprint: digestOf([...digests]),
    warnings: missing.map((name) =>
      name === adminName
        ? `${name} is not set: there is no admin token.`
        : `${name} is not set: its key entry is skipped.`,
    ),
  };
}

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
    adminTokenSha256: digests.get(configuration.admin.token_env),
    firstTenant: configuration.tenants[0]?.id ?? 'default',
  });
}

const keyNames = ({ tenants }: Configuration): string[] =>
  tenants.flatMap(({ api_keys }) => api_keys.flatMap(({ key_env }) => key_env ?? []));

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
