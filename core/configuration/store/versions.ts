/** Stores configurations as policy versions: content-addressed and numbered consecutively. */
import type { Configuration } from '#core/contracts/config.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { type Clock, isoTime, type ObjectStore, type SecretStore } from '#core/kernel/ports.ts';
import { type ConfigStore, noKeys, type SecretBindings, type VersionCompanions, type VersionRow } from '../ports.ts';
import type { RulePlaces } from './places.ts';
import { schemaDigest } from './schema-digest.ts';
import { keyDigests, resolvedSecrets } from './secrets.ts';
import { configurationBytes, readBody, readVersion } from './stored-form.ts';

export interface VersionDeps {
  readonly configStore: ConfigStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** Store that contains the keys named in a configuration. If absent, the current digests are kept. */
  readonly secrets?: SecretStore;
}

/** Stores a loaded configuration as the next version. */
export const storeVersion = async (
  deps: VersionDeps,
  configuration: Configuration,
  by: string,
  source: VersionRow['source'],
  options: AdvanceOptions = {},
): Promise<VersionRow> => (await writeVersion(deps, configuration, by, source, options)).row;

/**
 * Stores a new version with the content of an old one, because history is append-only.
 * @throws GatewayError `not_found` for a version that is no longer kept.
 */
export async function rollback(deps: VersionDeps, version: number, by: string): Promise<VersionRow> {
  const old = await readVersion(deps, version);
  if (!old) throw notFound(things.policyVersion, String(version));
  const draft = {
    sha256: old.row.sha256,
    ...(old.row.schema && { schema: old.row.schema }),
    ...(old.row.schema_digest && { schema_digest: old.row.schema_digest }),
    ...(old.row.places_sha256 && { places_sha256: old.row.places_sha256 }),
    created_by: by,
    source: 'rollback' as const,
    of_version: version,
  };
  const { row } = await advance(deps, old.configuration, draft);
  return row;
}

/**
 * Rereads the keys of the active configuration, so that replaced or withdrawn keys take effect.
 * @returns the number of names that have a key, and warnings for those that do not.
 * @throws GatewayError `not_found` if no configuration is stored, `conflict` if it keeps changing.
 */
export async function refreshKeys(
  deps: VersionDeps & { readonly secrets: SecretStore },
): Promise<{ row: VersionRow; keys: number; warnings: readonly string[] }> {
  const { configStore, secrets } = deps;
  for (let tries = 0; tries < maxTries; tries++) {
    const held = await configStore.inForce();
    if (!held) throw notFound({ noun: 'stored configuration' });
    const configuration = await readBody(deps, held.row);
    const digests = await keyDigests(configuration, secrets, await configStore.adminTokenSha256());
    if (await configStore.replaceKeys(held.row.version, { digests, revision: held.keys.revision + 1 })) {
      const { warnings } = resolvedSecrets(configuration, digests);
      return { row: held.row, keys: Object.keys(digests).length, warnings };
    }
  }
  throw configurationChanging();
}

type Draft = Pick<
  VersionRow,
  'sha256' | 'schema' | 'schema_digest' | 'places_sha256' | 'created_by' | 'source' | 'of_version'
>;

interface AdvanceOptions {
  readonly importedSha256?: string;
  /** Locations of its rules in the source files. */
  readonly places?: RulePlaces | undefined;
  /**
   * Returns the bindings of secrets after this version, given the previous bindings. Called on every attempt.
   * @throws GatewayError if the previous bindings do not allow this version to be stored.
   */
  readonly bind?: (bound: SecretBindings) => SecretBindings;
  /** Checks that the active version may be replaced. Called on every attempt. @throws GatewayError `conflict` */
  readonly over?: ((version: number) => void) | undefined;
  /** Returns true if the active version must not be replaced. */
  readonly unless?: () => Promise<boolean>;
}

/** Stores a version, the body first, so that the pointer never names missing content. */
export async function writeVersion(
  deps: VersionDeps,
  configuration: Configuration,
  by: string,
  source: VersionRow['source'],
  options: AdvanceOptions,
): Promise<{ row: VersionRow; imported: boolean }> {
  const { bytes, schema } = configurationBytes(configuration);
  await deps.objects.put(bytes);
  const places = options.places && new TextEncoder().encode(canonicalize(options.places));
  if (places) await deps.objects.put(places);
  const draft = {
    sha256: sha256(bytes),
    ...(schema > 1 && { schema }),
    ...(schemaDigest && { schema_digest: schemaDigest }),
    ...(places && { places_sha256: sha256(places) }),
    created_by: by,
    source,
  };
  return advance(deps, configuration, draft, options);
}

/** Maximum number of attempts. There are few writers, and each lost round means that another writer succeeded. */
const maxTries = 8;

async function advance(
  { configStore, clock, secrets }: VersionDeps,
  configuration: Configuration,
  draft: Draft,
  { importedSha256, unless, over, bind }: AdvanceOptions = {},
): Promise<{ row: VersionRow; imported: boolean }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const inForce = await configStore.inForce();
    const current = inForce?.row;
    if (current && (await unless?.())) return { row: current, imported: false };
    over?.(current?.version ?? 0);
    const row: VersionRow = { version: (current?.version ?? 0) + 1, created_at: isoTime(clock.now()), ...draft };
    const held = inForce?.keys ?? noKeys;
    const digests = secrets
      ? await keyDigests(configuration, secrets, await configStore.adminTokenSha256())
      : held.digests;
    const keys = { digests, revision: held.revision + 1 };
    const beside = { keys, ...(importedSha256 && { importedSha256 }), ...(bind && (await rebound(configStore, bind))) };
    if (await configStore.advance(row, beside)) return { row, imported: true };
  }
  throw configurationChanging();
}

const configurationChanging = () =>
  new GatewayError('conflict', 'The configuration kept changing while this version was stored; try again.');

async function rebound(
  configStore: ConfigStore,
  bind: (bound: SecretBindings) => SecretBindings,
): Promise<Pick<VersionCompanions, 'bindings'>> {
  const { revision, names } = await configStore.bindings();
  return { bindings: { revision: revision + 1, names: bind(names) } };
}
