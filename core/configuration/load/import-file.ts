/** Imports a configuration file as a new version if the file, or one that it names, has changed. */
import type { Configuration } from '#core/contracts/config.ts';
import { bindingsAfter } from '../checks/bound-secrets.ts';
import type { VersionRow } from '../ports.ts';
import { type VersionDeps, writeVersion } from '../store/versions.ts';
import { digestOfSource, loadConfiguration } from './load.ts';
import type { SourceReaders } from './sources.ts';

export interface ImportResult {
  readonly row: VersionRow;
  /** False if the file was already the last one imported. A later rollback then stays active. */
  readonly imported: boolean;
  readonly warnings: readonly string[];
}

interface ConfigurationImport {
  readonly text: string;
  /** The file name to display [policy-version.numbered]. */
  readonly file?: string | undefined;
  readonly by: string;
  /**
   * Returns the configuration to store instead, such as a data plane's configuration completed by its control plane.
   * The file binds the secrets that it names.
   */
  readonly complete?: (configuration: Configuration) => Promise<Configuration>;
}

/**
 * Imports a file if it, or a file it names (pack, prices, WASM modules), has changed since the last import.
 * @throws GatewayError `invalid_request` for an invalid file, in which case nothing is stored.
 */
export async function importFile(
  deps: VersionDeps & SourceReaders,
  { text, by, file, complete }: ConfigurationImport,
): Promise<ImportResult> {
  const known = await lastImport(deps, text);
  if (known && (await deps.objects.get(known.sha256))) return { row: known, imported: false, warnings: [] };
  // A body may be stored outside the table and may be missing, in which case the same body is stored again. Only the
  // readers are passed, because other members of `deps` are not load options.
  const { packs, files } = deps;
  const readers = { packs, ...(files && { files }), file, schema: await deps.configStore.schema() };
  const { configuration, source_sha256, modules, warnings, places } = await loadConfiguration(text, readers);
  for (const bytes of modules) await deps.objects.put(bytes);
  const whole = (await complete?.(configuration)) ?? configuration;
  const written = await writeVersion(deps, whole, by, 'file', {
    importedSha256: source_sha256,
    places,
    bind: (bound) => bindingsAfter(bound, configuration, 'file'),
    // Checked on every attempt, because another instance may be importing the same file.
    unless: async () => (await deps.configStore.lastImported()) === source_sha256,
  });
  return { ...written, warnings };
}

/** Returns the active version if the file was the last one imported. */
async function lastImport(deps: VersionDeps & SourceReaders, text: string): Promise<VersionRow | undefined> {
  const imported = await deps.configStore.lastImported();
  if (
    imported === undefined ||
    imported !== (await digestOfSource(text, { ...deps, schema: await deps.configStore.schema() }))
  )
    return undefined;
  return deps.configStore.current();
}
