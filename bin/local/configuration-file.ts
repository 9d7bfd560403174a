/** The configuration file, which is imported on startup and whenever it changes. */
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { packFiles } from '#adapters/files/pack-files.ts';
import { pathsFrom, sourceFiles } from '#adapters/files/source-files.ts';
import { adminPrincipal } from '#core/configuration/identity/identities.ts';
import { type ImportResult, importFile } from '#core/configuration/load/import-file.ts';
import type { VersionRow } from '#core/configuration/ports.ts';
import type { VersionDeps } from '#core/configuration/store/versions.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { underControlPlane } from '#core/operations/federation/apply.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import { recordAct } from '#core/operations/record.ts';
import { versionAct } from '#core/operations/version-act.ts';

/** Returns the folder of the packs that come with the gateway. */
export const shippedPacks = (checkout: string): string => join(checkout, 'policies');

/**
 * Imports the file. @throws GatewayError for an invalid file, Error for a missing one; nothing is stored in either
 * case.
 */
export async function importConfiguration(deps: VersionDeps, path: string, checkout: string): Promise<ImportResult> {
  // Only the file may refer to other files by path: configurations sent over HTTP choose among the shipped ones.
  const packs = packFiles(shippedPacks(checkout), dirname(path));
  const readers = { packs, files: sourceFiles(checkout, pathsFrom(path, checkout)) };
  return importFile(
    { ...deps, ...readers },
    {
      text: await readUtf8(path),
      by: 'file',
      file: fileNameOf(path, checkout),
      complete: (own) => underControlPlane(deps, own),
    },
  );
}

/**
 * Returns the path relative to the checkout or the working folder, or, for files elsewhere, only the name, because host
 * folders are not stored [policy-version.numbered].
 */
export function fileNameOf(path: string, checkout: string): string {
  const below = [process.cwd(), checkout].map((folder) => relative(folder, resolve(path)));
  return below.find((name) => name !== '' && !name.startsWith('..') && !isAbsolute(name)) ?? basename(path);
}

async function readUtf8(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Error(`There is no configuration at ${path}; name one with --config.`, { cause });
  }
}

/** Returns the principal that evidence records for an import of the file. */
export const filePrincipal = (tenant: string) =>
  ({ ...adminPrincipal(tenant), key_id: 'file', name: 'file', person: 'file' }) as const;

/** Records an import as evidence, like any other administrative action, because it changes what is allowed. */
export const recordImport = async (ports: GatewayPorts, row: VersionRow, tenant: string): Promise<string> =>
  recordAct({ ports, principal: filePrincipal(tenant) }, 'config.import', await versionAct(ports, row));

interface Watch {
  /** Lets a running import finish. */
  stop(): Promise<void>;
}

const pollMs = 500;
const settleMs = 150;

/**
 * Calls `onChange` when the file's content has changed. Polls by name, because editors replace the file. Two
 * consecutive reads must be identical, because many programs empty a file before they write to it, and half of a
 * configuration can be a valid one.
 */
export async function watchConfiguration(path: string, onChange: () => Promise<void>): Promise<Watch> {
  let seen = await fileDigest(path);
  let stopped = false;
  let work = Promise.resolve();
  const look = async () => {
    let now = await fileDigest(path);
    while (now !== undefined && now !== seen && !stopped) {
      await pause(settleMs);
      const later = await fileDigest(path);
      if (later === now) {
        seen = now;
        await onChange();
        return;
      }
      now = later;
    }
  };
  const listener = () => {
    work = work.then(look);
  };
  watchFile(path, { interval: pollMs }, listener);
  // Polling compares with its first read; a second check finds a change made before it.
  const second = setTimeout(listener, 2 * pollMs);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(second);
      unwatchFile(path, listener);
      return work;
    },
  };
}

const fileDigest = (path: string): Promise<string | undefined> => readFile(path).then(sha256, () => undefined);
