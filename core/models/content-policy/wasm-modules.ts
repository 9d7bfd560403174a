/** Reads the module and time limit of WASM entries in content policies. */
import type { Configuration, ContentFilter } from '#core/contracts/config.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';

export type WasmFilter = Extract<ContentFilter, { type: 'wasm' }>;

/**
 * Returns the identity of a filter's module: its digest, or, if no module was stored, its path, which never resolves to
 * a module.
 */
export const moduleOf = ({ sha256, path }: Pick<WasmFilter, 'sha256' | 'path'>): string => sha256 ?? path;

/** Converts a validated duration such as `100ms` or `2s` to milliseconds. */
export const timeoutMs = (duration: string): number =>
  Number.parseInt(duration, 10) * (duration.endsWith('ms') ? 1 : 1000);

/**
 * Returns modules by identity, as stored when their configuration was imported: every instance runs the same bytes,
 * even if the file has since changed.
 */
export const wasmModules =
  (objects: Pick<ObjectStore, 'get'>) =>
  async (name: string): Promise<Uint8Array> => {
    const bytes = await objects.get(name);
    if (!bytes) throw new Error(`no module ${name} was stored; import the configuration from its file again`);
    return bytes;
  };

/** Returns filters whose module was missing or invalid when their configuration was imported, so every check fails. */
export const filtersWithoutModule = ({ policies }: Pick<Configuration, 'policies'>): string[] =>
  [...policies.input, ...policies.output].flatMap((filter) =>
    filter.type === 'wasm' && filter.sha256 === undefined
      ? [`The filter ${filter.name} has no module: ${filter.path} could not be used when it was imported.`]
      : [],
  );

/**
 * Returns the paths of filters whose digest is not stored: their checks would always fail, and `on_error: allow` would
 * let everything pass.
 */
export async function missingModules(
  { policies }: Pick<Configuration, 'policies'>,
  objects: Pick<ObjectStore, 'get'>,
): Promise<string[]> {
  const named = (['input', 'output'] as const).flatMap((phase) =>
    policies[phase].flatMap((filter, at) =>
      filter.type === 'wasm' && filter.sha256 !== undefined
        ? [{ path: `policies.${phase}[${at}]`, name: filter.name, sha256: filter.sha256 }]
        : [],
    ),
  );
  const digests = [...new Set(named.map(({ sha256 }) => sha256))];
  const stored = new Set<string>();
  for (const digest of digests) if (await objects.get(digest)) stored.add(digest);
  return named
    .filter(({ sha256 }) => !stored.has(sha256))
    .map(({ path, name, sha256 }) => `${path}: the module of ${name} with digest ${sha256} is not stored`);
}
