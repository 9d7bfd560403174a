/** Reads the files that a configuration names (pack, prices, WASM modules) and prepares them for storage. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { type PriceTable, priceTableSchema } from '#core/contracts/prices.ts';
import { type Path, type Problem, pathText, problemsOf } from '#core/contracts/problems.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { didYouMean } from '#core/kernel/did-you-mean.ts';
import { asGatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { describeAllowed } from '#core/kernel/issue-words.ts';
import type { WasmFilter } from '#core/models/content-policy/wasm-modules.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { globProblems } from '../checks/glob-checks.ts';
import { type PackReader, type ResolvedPack, resolvePack } from './pack-source.ts';
import { shippedPriceFile, shippedPrices } from './shipped-prices.ts';
import { readYaml } from './yaml.ts';

/** File readers, provided by callers because this folder does no I/O. */
export interface SourceFiles {
  /** Returns the text of a price file for the path in `prices.file`. */
  readonly prices: (path: string) => Promise<string> | string;
  /**
   * Returns the bytes of a WASM module for the path in its filter.
   * @throws Error with the reason if it cannot be a filter: missing, corrupt, or not following the ABI.
   */
  readonly module: (path: string) => Promise<Uint8Array>;
}

export interface SourceReaders {
  readonly packs: PackReader;
  /** Absent for a configuration sent over HTTP, because its sender must not choose which files are read. */
  readonly files?: SourceFiles | undefined;
}

export interface Sources {
  readonly pack: ResolvedPack | undefined;
  readonly prices: PriceTable | undefined;
  /** Modules to store before the configuration, by the path in their filters. */
  readonly modules: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly sha256: string }>;
  /** The file texts that were read, used to detect changes. */
  readonly texts: readonly string[];
}

export async function readSources(
  file: ConfigurationFile,
  readers: SourceReaders,
  problems: Problem[],
  warnings: string[],
): Promise<Sources> {
  const pack = await packOf(file, readers, problems);
  const prices = await pricesOf(file, readers, problems);
  const modules = await modulesOf(file, readers, warnings);
  const digests = [...modules].map(([path, module]) => `${path} ${module?.sha256 ?? 'unread'}`);
  return {
    pack,
    prices: prices?.table,
    modules: new Map([...modules].flatMap(([path, module]) => (module ? [[path, module] as const] : []))),
    texts: [pack?.text ?? '', prices?.text ?? '', ...digests],
  };
}

/**
 * Returns the configuration with the contents of its files, so that every instance uses the same contents even after a
 * restart.
 */
export function complete(file: ConfigurationFile, { prices, modules }: Sources): ConfigurationFile {
  const stored = (filter: ConfigurationFile['policies']['input'][number]) => {
    const found = filter.type === 'wasm' && filter.sha256 === undefined ? modules.get(filter.path) : undefined;
    return found ? { ...filter, sha256: found.sha256 } : filter;
  };
  const { input, output } = file.policies;
  return {
    ...file,
    policies: { ...file.policies, input: input.map(stored), output: output.map(stored) },
    prices: { ...file.prices, ...(prices && { table: prices }) },
  };
}

async function packOf(
  { tool_policies: { pack } }: ConfigurationFile,
  { packs }: SourceReaders,
  problems: Problem[],
): Promise<ResolvedPack | undefined> {
  try {
    return await resolvePack(pack, packs);
  } catch (thrown) {
    const found = typeof pack === 'string' ? JSON.stringify(pack) : 'an inline pack';
    const meant = typeof pack === 'string' ? didYouMean(pack, shippedPacks) : '';
    const allowed = `a readable pack: ${shippedPacks.join(', ')}, or a path (${asGatewayError(thrown).message})${meant}`;
    problems.push({ path: ['tool_policies', 'pack'], found, allowed });
    return undefined;
  }
}

/**
 * Returns the price table in the configuration or, if there is none, the one in the file. Both are checked in the same
 * way.
 */
async function pricesOf(
  { prices: { file, table } }: ConfigurationFile,
  { packs, files }: SourceReaders,
  problems: Problem[],
): Promise<{ table: PriceTable | undefined; text: string } | undefined> {
  if (table) {
    problems.push(...priceProblems(table));
    return { table, text: '' };
  }
  try {
    if (!files && file !== shippedPriceFile)
      throw invalidRequest(`only ${shippedPriceFile} or a table is accepted here`);
    const text = await (files ? files.prices(file) : packs(shippedPrices));
    const read = readPrices(text, file);
    problems.push(...read.problems);
    return { table: read.table, text };
  } catch (thrown) {
    const allowed = `a readable price file (${asGatewayError(thrown).message})`;
    problems.push({ path: ['prices', 'file'], found: JSON.stringify(file), allowed });
    return undefined;
  }
}

/**
 * Reads the modules. A missing or invalid module does not prevent the gateway from starting; its filter fails, and
 * `on_error` applies.
 */
async function modulesOf({ policies }: ConfigurationFile, { files }: SourceReaders, warnings: string[]) {
  const modules = new Map<string, { bytes: Uint8Array; sha256: string } | undefined>();
  for (const { filter, path } of wasmFilters(policies)) {
    const warn = (why: string) =>
      warnings.push(`${pathText(path)} (${filter.path}): ${why}; a filter without its module fails.`);
    if (!files) {
      if (filter.sha256 === undefined) warn('modules are stored when a configuration file is imported');
      continue;
    }
    try {
      const bytes = await files.module(filter.path);
      const found = { bytes, sha256: sha256(bytes) };
      modules.set(filter.path, found);
      if (filter.sha256 !== undefined && filter.sha256 !== found.sha256)
        warn(`the module has the SHA-256 ${found.sha256}, not the one it is pinned to`);
    } catch (thrown) {
      modules.set(filter.path, undefined);
      warn((thrown as Error).message);
    }
  }
  return modules;
}

function wasmFilters(policies: ConfigurationFile['policies']): { filter: WasmFilter; path: Path }[] {
  return (['input', 'output'] as const).flatMap((phase) =>
    policies[phase].flatMap((filter, i) => (filter.type === 'wasm' ? [{ filter, path: ['policies', phase, i] }] : [])),
  );
}

interface ReadPrices {
  readonly table: PriceTable | undefined;
  readonly problems: readonly Problem[];
}

const tablePath: Path = ['prices', 'table'];

let last: { readonly text: string; readonly file: string; readonly read: ReadPrices } | undefined;

/**
 * Reads a price table. The last one is cached, because it seldom changes between configurations.
 * @param file name used for the text in error messages.
 * @throws GatewayError `invalid_request` for text that is not YAML.
 */
function readPrices(text: string, file: string): ReadPrices {
  if (last?.text !== text || last.file !== file) last = { text, file, read: parsePrices(text, file) };
  return last.read;
}

function parsePrices(text: string, file: string): ReadPrices {
  const { value, lineOf } = readYaml(text, file);
  const parsed = priceTableSchema.safeParse(value, { error: describeAllowed });
  const problems = parsed.success
    ? priceProblems(parsed.data)
    : problemsOf(parsed.error.issues, { prices: { table: value } }, tablePath);
  const placed = problems.map((problem) => {
    const line = lineOf(problem.path.slice(tablePath.length));
    return { ...problem, place: line === undefined ? file : `${file} line ${line}` };
  });
  return { table: parsed.data, problems: placed };
}

/** Checks what a price table's schema cannot express: that its date exists and its globs compile. */
function priceProblems({ as_of, models }: PriceTable): Problem[] {
  const day = new Date(`${as_of}T00:00:00Z`);
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(as_of);
  return [
    ...(exists ? [] : [{ path: [...tablePath, 'as_of'], found: JSON.stringify(as_of), allowed: 'a day that exists' }]),
    ...models.flatMap(({ match }, i) => globProblems([match], () => [...tablePath, 'models', i, 'match'])),
  ];
}
