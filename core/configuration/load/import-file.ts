/** A configuration file becomes a version when it, or what it names, has changed. */
import type { Configuration } from '#core/contracts/config.ts';
import { bindingsAfter } from '../checks/bound-secrets.ts';
import type { VersionRow } from '../ports.ts';
import { type VersionDeps, writeVersion } from '../store/versions.ts';
import { digestOfSource, loadConfiguration } from './load.ts';
import type { SourceReaders } from './sources.ts';

export interface Imported {
  readonly row: VersionRow;
  /** False when the file is the one imported last: a rollback since then stays in force. */
  readonly imported: boolean;
  readonly warnings: readonly string[];
}

interface FileToImport {
  readonly text: string;
  /** Its name as it is shown [policy-version.places]. */
  readonly file?: string | undefined;
  readonly by: string;
  /** What is stored in its place: a data plane stands under its control plane. The file binds what it names itself. */
  readonly complete?: (configuration: Configuration) => Promise<Configuration>;
}

/**
 * Imports a file if it, or what it names — pack, prices, WASM modules — is another than at the last import.
 * @throws GatewayError `invalid_request` for a bad file; then nothing was stored.
 */
export async function importFile(
  deps: VersionDeps & SourceReaders,
  { text, by, file, complete }: FileToImport,
): Promise<Imported> {
  const known = await unchanged(deps, text);
  if (known && (await deps.objects.get(known.sha256))) return { row: known, imported: false, warnings: [] };
  // Bodies may lie elsewhere than the table, and be missing: what was loaded is the same, and is put there again.
  // Callers bring more than the readers, and what else they bring is not an option of the load.
  const { packs, files } = deps;
  const readers = { packs, ...(files && { files }), file };
  const { configuration, source_sha256, modules, warnings, places } = await loadConfiguration(text, readers);
  for (const bytes of modules) await deps.objects.put(bytes);
  const whole = (await complete?.(configuration)) ?? configuration;
  const written = await writeVersion(deps, whole, by, 'file', {
    importedSha256: source_sha256,
    places,
    bind: (bound) => bindingsAfter(bound, configuration, 'file'),
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
