/** Storing a configuration makes a policy version: content-addressed, numbered without end (contract §1). */
import type { Configuration } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError, notFound } from '#core/kernel/errors.ts';
import { type Clock, isoTime, type ObjectStore } from '#core/kernel/ports.ts';
import { digestOfSource, loadConfiguration } from './load.ts';
import type { ConfigStore, VersionRow } from './ports.ts';
import type { SourceReaders } from './sources.ts';
import { configurationBytes, readVersion } from './stored-form.ts';

export interface VersionDeps {
  readonly configStore: ConfigStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
}

export interface Imported {
  readonly row: VersionRow;
  /** False when the file is the one imported last: a rollback since then stays in force. */
  readonly imported: boolean;
  readonly warnings: readonly string[];
}

/**
 * Imports a file if it, or what it names — pack, prices, WASM modules — is another than at the last import.
 * @throws GatewayError `invalid_request` for a bad file; then nothing was stored.
 */
export async function importFile(
  deps: VersionDeps & SourceReaders,
  { text, by }: { readonly text: string; readonly by: string },
): Promise<Imported> {
  const known = await unchanged(deps, text);
  if (known && (await deps.objects.get(known.sha256))) return { row: known, imported: false, warnings: [] };
  // Bodies may lie elsewhere than the table, and be missing: what was loaded is the same, and is put there again.
  const { configuration, source_sha256, modules, warnings } = await loadConfiguration(text, deps);
  for (const bytes of modules) await deps.objects.put(bytes);
  const written = await write(deps, configuration, by, 'file', {
    importedSha256: source_sha256,
    // Asked again on every try: another instance may be importing the same file.
    unless: async () => (await deps.configStore.lastImported()) === source_sha256,
  });
  return { ...written, warnings };
}

/** The version in force, when the file is the one imported last. */
async function unchanged(deps: VersionDeps & SourceReaders, text: string): Promise<VersionRow | undefined> {
  const imported = await deps.configStore.lastImported();
  if (imported === undefined || imported !== (await digestOfSource(text, deps))) return undefined;
  return deps.configStore.current();
}

/** Stores a configuration that was loaded, as the next version. */
export const storeVersion = async (
  deps: VersionDeps,
  configuration: Configuration,
  by: string,
  source: VersionRow['source'],
): Promise<VersionRow> => (await write(deps, configuration, by, source)).row;

/**
 * A new version whose content is an old one's: history is only ever added to.
 * @throws GatewayError `not_found` for a version that is not kept.
 */
export async function rollback(deps: VersionDeps, version: number, by: string): Promise<VersionRow> {
  const old = await readVersion(deps, version);
  if (!old) throw notFound(`Policy version ${version}`);
  const { row } = await advance(deps, {
    sha256: old.row.sha256,
    created_by: by,
    source: 'rollback',
    of_version: version,
  });
  return row;
}

type Draft = Pick<VersionRow, 'sha256' | 'created_by' | 'source' | 'of_version'>;

interface AdvanceOptions {
  readonly importedSha256?: string;
  /** When it holds, the version in force is left as it is. */
  readonly unless?: () => Promise<boolean>;
}

/** Body first: a pointer never names content that is not there. */
async function write(
  deps: VersionDeps,
  configuration: Configuration,
  by: string,
  source: VersionRow['source'],
  options: AdvanceOptions = {},
): Promise<{ row: VersionRow; imported: boolean }> {
  const bytes = configurationBytes(configuration);
  await deps.objects.put(bytes);
  return advance(deps, { sha256: sha256(bytes), created_by: by, source }, options);
}

/** A handful of writers at most; each lost round means that another one won. */
const maxTries = 8;

async function advance(
  { configStore, clock }: VersionDeps,
  draft: Draft,
  { importedSha256, unless }: AdvanceOptions = {},
): Promise<{ row: VersionRow; imported: boolean }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const current = await configStore.current();
    if (current && (await unless?.())) return { row: current, imported: false };
    const row: VersionRow = { version: (current?.version ?? 0) + 1, created_at: isoTime(clock.now()), ...draft };
    if (await configStore.advance(row, importedSha256)) return { row, imported: true };
  }
  throw new GatewayError('conflict', 'The configuration kept changing while this version was stored; try again.');
}
