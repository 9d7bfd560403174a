/** Storing a configuration makes a policy version: content-addressed, numbered without end (contract §1). */
import type { Configuration } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError, notFound } from '#core/kernel/errors.ts';
import { type Clock, isoTime, type ObjectStore } from '#core/kernel/ports.ts';
import type { BesideVersion, ConfigStore, SecretBindings, VersionRow } from './ports.ts';
import { configurationBytes, readVersion } from './stored-form.ts';

export interface VersionDeps {
  readonly configStore: ConfigStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
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
  if (!old) throw notFound(`Policy version ${version}`);
  const { row } = await advance(deps, {
    sha256: old.row.sha256,
    ...(old.row.schema && { schema: old.row.schema }),
    created_by: by,
    source: 'rollback',
    of_version: version,
  });
  return row;
}

type Draft = Pick<VersionRow, 'sha256' | 'schema' | 'created_by' | 'source' | 'of_version'>;

export interface AdvanceOptions {
  readonly importedSha256?: string;
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
  return advance(deps, { sha256: sha256(bytes), ...(schema > 1 && { schema }), created_by: by, source }, options);
}

/** A handful of writers at most; each lost round means that another one won. */
const maxTries = 8;

async function advance(
  { configStore, clock }: VersionDeps,
  draft: Draft,
  { importedSha256, unless, bind }: AdvanceOptions = {},
): Promise<{ row: VersionRow; imported: boolean }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const current = await configStore.current();
    if (current && (await unless?.())) return { row: current, imported: false };
    const row: VersionRow = { version: (current?.version ?? 0) + 1, created_at: isoTime(clock.now()), ...draft };
    const beside = { ...(importedSha256 && { importedSha256 }), ...(bind && (await rebound(configStore, bind))) };
    if (await configStore.advance(row, beside)) return { row, imported: true };
  }
  throw new GatewayError('conflict', 'The configuration kept changing while this version was stored; try again.');
}

async function rebound(
  configStore: ConfigStore,
  bind: (bound: SecretBindings) => SecretBindings,
): Promise<Pick<BesideVersion, 'bindings'>> {
  const { revision, names } = await configStore.bindings();
  return { bindings: { revision: revision + 1, names: bind(names) } };
}
