/** What a local run leaves in its state folder for its clients: where it listens and the keys it made. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileTrouble, UsageError } from './failure.ts';
import { type Fields, fields, text } from './json-fields.ts';

export const localKeys = ['agent', 'human', 'viewer', 'admin'] as const;
export type LocalKey = (typeof localKeys)[number];

export interface LocalRun {
  readonly adminUrl?: string;
  readonly gatewayUrl?: string;
  readonly mcpUrl?: string;
  readonly keys: Readonly<Partial<Record<LocalKey, string>>>;
}

const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** `.gateway` here, else the one of the checkout, so that commands work from any of its folders. */
export function stateFolder(chosen: string | undefined): string {
  if (chosen !== undefined) return resolve(chosen);
  const here = resolve('.gateway');
  return existsSync(here) ? here : join(checkout, '.gateway');
}

/** Both files may be absent: nothing was started here. */
export function readLocalRun(folder: string): LocalRun {
  const ready = readJsonFile(join(folder, 'ready.json'));
  const adminUrl = text(ready?.admin_url);
  const gatewayUrl = text(ready?.gateway_url);
  const mcpUrl = text(ready?.mcp_url);
  const named = text(ready?.keys_file);
  const file = (named === undefined ? undefined : readJsonFile(named)) ?? readJsonFile(join(folder, 'keys.json')) ?? {};
  const keys: Partial<Record<LocalKey, string>> = {};
  for (const name of localKeys) {
    const key = text(name === 'admin' ? file.admin_token : file[name]);
    if (key) keys[name] = key;
  }
  return {
    ...(adminUrl !== undefined && { adminUrl }),
    ...(gatewayUrl !== undefined && { gatewayUrl }),
    ...(mcpUrl !== undefined && { mcpUrl }),
    keys,
  };
}

/** The object a JSON file holds, or undefined when there is no such file. */
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
    // The parser's message may quote the file, and the file may hold a key.
    throw new UsageError(`${file} is not valid JSON; correct it, or move it away`, cause);
  }
}
