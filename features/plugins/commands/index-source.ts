/** Reads files and indexes for `plugin` and `supply-chain`, and ends a command on a refusal. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Cli, Outcome } from '#agentctl/command.ts';
import { exitCodes, Failure, fileTrouble } from '#agentctl/failure.ts';
import { type Progress, progressOf } from '#agentctl/progress.ts';
import type { PluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { SupplyChainRefusal } from '#core/configuration/supply-chain/refusal.ts';
import type { TrustedIndex } from '#core/configuration/supply-chain/verify-index.ts';

/** Address and content of an index. Relative names in the index are resolved against the address. */
export interface IndexSource {
  readonly file: unknown;
  fetchArtifact(entry: PluginEntry): Promise<Buffer>;
}

/** Reads an index from a file or an address. @throws Failure, SupplyChainRefusal */
export async function readIndex(cli: Cli, address: string): Promise<IndexSource> {
  const { download } = await import('./download.ts');
  const { isFileName, pluginSizes } = await import('#core/configuration/supply-chain/documents.ts');
  const remote = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  const load = async (url: string, maxBytes: number) => {
    let progress: Progress | undefined;
    const onProgress = (received: number, total: number | undefined) => {
      progress ??= progressOf('bytes', total === undefined ? {} : { total });
      progress.set(received);
    };
    const idleMs = cli.globals.timeout * 1000;
    return download(url, { maxBytes, privateAllowed: !remote, idleMs, onProgress }).finally(() => progress?.end());
  };
  const text = remote ? await load(address, pluginSizes.indexBytes) : fileContent(address);
  return {
    file: jsonOf(text.toString(), address),
    fetchArtifact: async ({ url, size }) => {
      // Reading one byte more than the signed size shows whether the file is larger.
      const most = Math.min(size + 1, pluginSizes.artifactBytes);
      if (!isFileName(url)) return load(url, most);
      if (remote) return load(new URL(url, address).href, most);
      return readFile(resolve(dirname(address), url)).catch((cause) => {
        throw fileTrouble('read', url, cause);
      });
    },
  };
}

/** Runs the work. If it is refused, ends the command with the reason. */
export async function refusals(cli: Cli, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof SupplyChainRefusal)) throw cause;
    const body = JSON.stringify({ verified: false, reason: cause.reason, message: cause.message });
    throw new Failure(exitCodes.negative, `${cause.reason}: ${cause.message}`, {
      cause,
      ...(cli.globals.json && { body }),
    });
  }
}

/** Verifies an entry at the current time; returns its publisher or the reason for the failure. */
export async function verdictOf(
  entry: PluginEntry,
  trusted: Omit<TrustedIndex, 'index' | 'seen'>,
): Promise<
  { verified: true; publisher: string; reason?: never } | { verified: false; reason: string; publisher?: never }
> {
  const { verifyEntry } = await import('#core/configuration/supply-chain/verify-artifact.ts');
  try {
    return { verified: true, publisher: verifyEntry(entry, trusted, Date.now()) };
  } catch (cause) {
    if (!(cause instanceof SupplyChainRefusal)) throw cause;
    return { verified: false, reason: cause.reason };
  }
}

/** Checks that a module follows the ABI, or that a pack is canonical. If not, rejects with the reason. */
export async function checkArtifact({ kind, name }: PluginEntry, bytes: Uint8Array): Promise<unknown> {
  if (kind === 'wasm_filter') return (await import('#adapters/wasm/module.ts')).compileModule(bytes);
  return (await import('../pack-bytes.ts')).readPackBytes(bytes, name);
}

/** Reads a file named on the command line. */
export function fileContent(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw fileTrouble('read', file, cause);
  }
}

function jsonOf(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SupplyChainRefusal('envelope_malformed', `${from} is not valid JSON`, { cause });
  }
}
