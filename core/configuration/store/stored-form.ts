/** The stored form of a configuration: canonical JSON, with key digests and the pack's rules. */
import type { Configuration, ConfigurationFile, ConfigurationSchema } from '#core/contracts/config.ts';
import type { PackFile, ToolPack } from '#core/contracts/tool-policy.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import type { ConfigStore, VersionRow } from '../ports.ts';
import { schemaDigest } from './schema-digest.ts';
import { currentSchema, toStorable, withAdditions } from './schema-history.ts';
import { storedKeys } from './stored-keys.ts';

/**
 * Parses a stored configuration. If it is from an older release, members added since then get their defaults. A body
 * stored with this release's schema digest has already been checked; any other body is checked again.
 * @throws GatewayError `service_unavailable` if it no longer fits the schema, because the gateway cannot make decisions
 * without its policy.
 */
export async function restoreConfiguration(
  bytes: Uint8Array,
  checkedBy: string | undefined,
  schema: () => Promise<ConfigurationSchema>,
  ownSchema = schemaDigest,
): Promise<Configuration> {
  try {
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (ownSchema !== undefined && checkedBy === ownSchema) return withAdditions(document as Configuration);
    const file = (await schema()).parse(document);
    const { pack } = file.tool_policies;
    if (pack !== null && (typeof pack === 'string' || !hasItsRules(pack)))
      throw new TypeError('the pack was stored without its rules');
    return storedForm(file, pack);
  } catch (cause) {
    throw new GatewayError('service_unavailable', 'The stored configuration cannot be read.', { cause });
  }
}

/** Checks that a pack names no rule sets. A stored pack never names any, so that a later catalog cannot change it. */
export const hasItsRules = (pack: PackFile): pack is ToolPack => pack.rules.every((rule) => typeof rule !== 'string');

/**
 * Returns the canonical bytes of a version's body, and the schema number with which they can be read. Equal content has
 * the same address.
 */
export function configurationBytes(configuration: Configuration): {
  readonly bytes: Uint8Array;
  readonly schema: number;
} {
  const { document, schema } = toStorable(configuration);
  return { bytes: new TextEncoder().encode(canonicalize(document)), schema };
}

export const storedForm = (file: ConfigurationFile, pack: ToolPack | null): Configuration => ({
  ...file,
  tenants: file.tenants.map((tenant) => ({ ...tenant, api_keys: storedKeys(tenant.api_keys) })),
  tool_policies: { ...file.tool_policies, pack },
});

interface BodyStores {
  readonly configStore: Pick<ConfigStore, 'schema'>;
  readonly objects: ObjectStore;
}

/** Reads a version with its content. Returns undefined if the version is no longer kept. */
export async function readVersion(
  stores: BodyStores & { readonly configStore: Pick<ConfigStore, 'get'> },
  version: number,
): Promise<{ row: VersionRow; configuration: Configuration } | undefined> {
  const row = await stores.configStore.get(version);
  return row && { row, configuration: await readBody(stores, row) };
}

/**
 * Reads the body of a version.
 * @throws GatewayError `service_unavailable` if the body is missing, unreadable or from a newer release.
 */
export async function readBody({ configStore, objects }: BodyStores, row: VersionRow): Promise<Configuration> {
  if ((row.schema ?? 1) > currentSchema)
    throw new GatewayError(
      'service_unavailable',
      `Policy version ${row.version} uses schema ${row.schema}, and this release reads schemas up to ${currentSchema}. Deploy the release that stored it, or activate an earlier version with that release.`,
    );
  const bytes = await objects.get(row.sha256);
  if (!bytes)
    throw new GatewayError(
      'service_unavailable',
      `The body of policy version ${row.version} is missing from the object store. Restore it, or roll back to another version.`,
    );
  return restoreConfiguration(bytes, row.schema_digest, configStore.schema);
}
