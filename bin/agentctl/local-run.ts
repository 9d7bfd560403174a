/** Reads the files that a local run writes to its state folder for clients: its addresses and generated keys. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopback } from '#core/configuration/identity/federation/urls.ts';
import { type Fields, fields, text } from '#core/kernel/json-fields.ts';
import { fileTrouble, UsageError } from './failure.ts';
import { folderTrouble, ownFileTrouble } from './own-folder.ts';

export const localKeys = ['agent', 'human', 'viewer', 'admin'] as const;
export type LocalKey = (typeof localKeys)[number];

interface StateFolder {
  readonly path: string;
  /** True if the user did not name the folder: it is `.gateway` in the current folder or the checkout. */
  readonly found: boolean;
}

export interface LocalRun {
  readonly state: StateFolder;
  readonly adminUrl?: string;
  readonly gatewayUrl?: string;
  readonly mcpUrl?: string;
  /** All its addresses. */
  readonly urls: readonly string[];
  readonly keys: Readonly<Partial<Record<LocalKey, string>>>;
}

const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Returns `.gateway` in the current folder or the checkout, so that commands work in the checkout's subfolders. */
export function defaultStateFolder(): string {
  const here = resolve('.gateway');
  return existsSync(here) ? here : join(checkout, '.gateway');
}

/** Returns the state folder. @throws UsageError if the user neither named it nor is its only owner [cli.own-folder]. */
export function stateFolder(named: string | undefined): StateFolder {
  if (named !== undefined) return { path: resolve(named), found: false };
  const path = defaultStateFolder();
  if (existsSync(path)) refuseStateFolder(path, folderTrouble(path));
  return { path, found: true };
}

/**
 * Reads both files; they are absent if no run was started here. @throws UsageError in the same cases as `stateFolder`.
 */
export function readLocalRun(named: string | undefined): LocalRun {
  const state = stateFolder(named);
  const ready = readJsonFile(ownFile(state, 'ready.json')) ?? {};
  const keysFile = ownFile(state, 'keys.json');
  const urls = Object.entries(ready).flatMap(([name, url]) => (name.endsWith('_url') ? (text(url) ?? []) : []));
  if (state.found) refuseStateFolder(state.path, readyTrouble(urls, text(ready.keys_file), keysFile));
  const file = readJsonFile(keysFile) ?? {};
  const keys: Partial<Record<LocalKey, string>> = {};
  for (const name of localKeys) {
    const key = text(name === 'admin' ? file.admin_token : file[name]);
    if (key) keys[name] = key;
  }
  const [adminUrl, gatewayUrl, mcpUrl] = [ready.admin_url, ready.gateway_url, ready.mcp_url].map(text);
  return {
    state,
    urls,
    keys,
    ...(adminUrl !== undefined && { adminUrl }),
    ...(gatewayUrl !== undefined && { gatewayUrl }),
    ...(mcpUrl !== undefined && { mcpUrl }),
  };
}

/** Returns the path of a file in the folder. Like the folder, the file must be the user's own. */
function ownFile({ path, found }: StateFolder, name: string): string {
  const file = join(path, name);
  if (found) refuseStateFolder(path, ownFileTrouble(file));
  return file;
}

function readyTrouble(urls: readonly string[], named: string | undefined, keysFile: string): string | undefined {
  const elsewhere = urls.find((url) => !isLoopback(url));
  if (elsewhere !== undefined)
    return `its ready.json names ${elsewhere}, which is not on this machine; if you mean that gateway, use --url and --key`;
  // After a folder was moved, its recorded path no longer exists.
  if (
    named !== undefined &&
    existsSync(named) &&
    !(existsSync(keysFile) && realpathSync(named) === realpathSync(keysFile))
  )
    return `its ready.json names keys outside the folder, in ${named}`;
  return undefined;
}

function refuseStateFolder(path: string, trouble: string | undefined): void {
  if (trouble === undefined) return;
  throw new UsageError(
    `the state folder ${path} was found here and is not used: ${trouble}. Name the folder of your gateway with --state (GATEWAY_STATE), or its address with --url`,
  );
}

/** Reads the object in a JSON file, or returns undefined if the file does not exist. */
export function readJsonFile(file: string): Fields | undefined {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileTrouble('read', file, cause);
  }
  try {
    return fields(JSON.parse(content));
  } catch (cause) {
    // The parser's message may quote the file, which may contain a key.
    throw new UsageError(`${file} is not valid JSON; correct it, or move it away`, cause);
  }
}
