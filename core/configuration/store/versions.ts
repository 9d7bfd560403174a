/** Storing a configuration makes a policy version: content-addressed, numbered without end. */
import type { Configuration } from '#core/contracts/config.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { type Clock, isoTime, type ObjectStore, type SecretStore } from '#core/kernel/ports.ts';
import { type ConfigStore, noKeys, type SecretBindings, type VersionCompanions, type VersionRow } from '../ports.ts';
import type { RulePlaces } from './places.ts';
import { keyDigests, resolvedSecrets } from './secrets.ts';
import { configurationBytes, readBody, readVersion } from './stored-form.ts';

export interface VersionDeps {
  readonly configStore: ConfigStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** Where the keys lie that a configuration names. Absent: the digests in force stay. */
  readonly secrets?: SecretStore;
}

/** Stores a configuration that was loaded, as the next version. */
export const storeVersion = async (
  deps: VersionDeps,
  configuration: Configuration,
  by: string,
  source: VersionRow['source'],
  options: AdvanceOptions = {},
): Promise<VersionRow> => (await writeVersion(deps, configuration, by, source, options)).row;

/**
 * A new version whose content is an old one's: history is only ever added to.
 * @throws GatewayError `not_found` for a version that is not kept.
 */
export async function rollback(deps: VersionDeps, version: number, by: string): Promise<VersionRow> {
  const old = await readVersion(deps, version);
  if (!old) throw notFound('policy_version', String(version));
  const draft = {
    sha256: old.row.sha256,
    ...(old.row.schema && { schema: old.row.schema }),
    ...(old.row.places_sha256 && { places_sha256: old.row.places_sha256 }),
    created_by: by,
    source: 'rollback' as const,
    of_version: version,
  };
  const { row } = await advance(deps, old.configuration, draft);
  return row;
}

/**
 * Looks up the keys of the configuration in force again: a key that was replaced or withdrawn in its secret counts from then on.
 * @returns how many names have a key, and those that have none.
 * @throws GatewayError `not_found` when nothing is stored, `conflict` when the configuration keeps changing.
 */
export async function refreshKeys(
  deps: VersionDeps & { readonly secrets: SecretStore },
): Promise<{ row: VersionRow; keys: number; warnings: readonly string[] }> {
  const { configStore, objects, secrets } = deps;
  for (let tries = 0; tries < maxTries; tries++) {
    const held = await configStore.inForce();
    if (!held) throw notFound('configuration');
    const configuration = await readBody(objects, held.row);
    const digests = await keyDigests(configuration, secrets, await configStore.adminTokenSha256());
    if (await configStore.replaceKeys(held.row.version, { digests, revision: held.keys.revision + 1 })) {
      const { warnings } = resolvedSecrets(configuration, digests);
      return { row: held.row, keys: Object.keys(digests).length, warnings };
    }
  }
  throw keptChanging();
}

type Draft = Pick<VersionRow, 'sha256' | 'schema' | 'places_sha256' | 'created_by' | 'source' | 'of_version'>;

interface AdvanceOptions {
  readonly importedSha256?: string;
  /** Where its rules stand in the files it came from. */
  readonly places?: RulePlaces | undefined;
  /**
   * The bindings of secrets after this version, from those before it; asked on every try.
   * @throws GatewayError when the version may not be stored over them.
   */
  readonly bind?: (bound: SecretBindings) => SecretBindings;
  /** When it holds, the version in force is left as it is. */
  readonly unless?: () => Promise<boolean>;
}

/** Body first: a pointer never names content that is not there. */
export async function writeVersion(
  deps: VersionDeps,
  configuration: Configuration,
  by: string,
  source: VersionRow['source'],
  options: AdvanceOptions = {},
): Promise<{ row: VersionRow; imported: boolean }> {
  const { bytes, schema } = configurationBytes(configuration);
  await deps.objects.put(bytes);
  const places = options.places && new TextEncoder().encode(canonicalize(options.places));
  if (places) await deps.objects.put(places);
  const draft = {
    sha256: sha256(bytes),
    ...(schema > 1 && { schema }),
    ...(places && { places_sha256: sha256(places) }),
    created_by: by,
    source,
  };
  return advance(deps, configuration, draft, options);
}

/** A handful of writers at most; each lost round means that another one won. */
const maxTries = 8;

async function advance(
  { configStore, clock, secrets }: VersionDeps,
  configuration: Configuration,
  draft: Draft,
  { importedSha256, unless, bind }: AdvanceOptions = {},
): Promise<{ row: VersionRow; imported: boolean }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const inForce = await configStore.inForce();
    const current = inForce?.row;
    if (current && (await unless?.())) return { row: current, imported: false };
    const row: VersionRow = { version: (current?.version ?? 0) + 1, created_at: isoTime(clock.now()), ...draft };
    const held = inForce?.keys ?? noKeys;
    const digests = secrets
      ? await keyDigests(configuration, secrets, await configStore.adminTokenSha256())
      : held.digests;
    const keys = { digests, revision: held.revision + 1 };
    const beside = { keys, ...(importedSha256 && { importedSha256 }), ...(bind && (await rebound(configStore, bind))) };
    if (await configStore.advance(row, beside)) return { row, imported: true };
  }
  throw keptChanging();
}

const keptChanging = () =>
  new GatewayError('conflict', 'The configuration kept changing while this version was stored; try again.');

async function rebound(
  configStore: ConfigStore,
  bind: (bound: SecretBindings) => SecretBindings,
): Promise<Pick<VersionCompanions, 'bindings'>> {
  const { revision, names } = await configStore.bindings();
  return { bindings: { revision: revision + 1, names: bind(names) } };
}
