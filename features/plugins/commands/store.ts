/**
 * Folder of installed plugins: the bytes by digest, and one record that is always replaced as a whole
 * [plugin.marketplace].
 */

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { pluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';

const seenDocument = z.strictObject({ sequence: z.int(), sha256: z.string() });
const record = z.strictObject({
  format: z.literal(1),
  /** The pinned root key in PEM form. */
  root: z.string(),
  /** The last accepted index file. */
  index_file: z.unknown(),
  seen: z.strictObject({
    index: seenDocument,
    delegations: seenDocument,
    revocations: seenDocument,
  }),
  plugins: z.array(z.strictObject({ ...pluginEntry.shape, installed_at: z.string() })),
});
export type PluginRecord = z.infer<typeof record>;
type InstalledPlugin = PluginRecord['plugins'][number];

type PluginFile = Pick<InstalledPlugin, 'sha256' | 'kind'>;

const fileOf = ({ sha256, kind }: PluginFile): string => `${sha256}.${kind === 'policy_pack' ? 'json' : 'wasm'}`;

export class PluginStore {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = resolve(stateFolder, 'plugins');
  }

  /** Returns the absolute path of a module or pack. Its file name consists only of the digest. */
  pathOf({ sha256, kind }: PluginFile): string {
    return join(this.#folder, fileOf({ sha256, kind }));
  }

  /** Reads the record. @throws Error for an invalid record, which is never treated as empty. */
  async read(): Promise<PluginRecord | undefined> {
    const file = join(this.#folder, 'installed.json');
    const text = await readFile(file, 'utf8').catch(undefinedIfMissing);
    if (text === undefined) return undefined;
    try {
      return record.parse(JSON.parse(text));
    } catch (cause) {
      throw new Error(`${file} is not a valid record of installed plugins; restore it, or remove the folder`, {
        cause,
      });
    }
  }

  write(content: PluginRecord): Promise<void> {
    return this.#replace('installed.json', Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
  }

  bytes(of: PluginFile): Promise<Buffer | undefined> {
    return readFile(this.pathOf(of)).catch(undefinedIfMissing);
  }

  put(of: PluginFile, bytes: Uint8Array): Promise<void> {
    return this.#replace(fileOf(of), bytes);
  }

  remove(of: PluginFile): Promise<void> {
    return rm(this.pathOf(of), { force: true });
  }

  /**
   * Stores an action until a gateway accepts it. Each action has its own file, so that concurrent commands do not lose
   * any.
   */
  keepAct(act: object): Promise<void> {
    return this.#replace(`${Date.now()}-${randomUUID()}.act`, Buffer.from(JSON.stringify(act)));
  }

  /** Returns the stored actions, oldest first. Skips files that are not JSON. */
  async keptActs(): Promise<{ readonly id: string; readonly act: unknown }[]> {
    const names = (await readdir(this.#folder).catch(undefinedIfMissing)) ?? [];
    const kept = names.filter((name) => /^\d+-[0-9a-f-]+\.act$/.test(name)).sort();
    const acts = kept.map(async (id) => {
      const act = jsonOrUndefined((await readFile(join(this.#folder, id), 'utf8').catch(undefinedIfMissing)) ?? '');
      return act === undefined ? [] : [{ id, act }];
    });
    return (await Promise.all(acts)).flat();
  }

  forgetAct(id: string): Promise<void> {
    return rm(join(this.#folder, id), { force: true });
  }

  /** Writes to a temporary file first: a partial file never has the target's name. */
  async #replace(name: string, content: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const partial = join(this.#folder, `.${name}.${process.pid}.part`);
    try {
      const handle = await open(partial, 'w', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(partial, join(this.#folder, name));
    } catch (cause) {
      await rm(partial, { force: true });
      throw cause;
    }
  }
}

function undefinedIfMissing(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== 'ENOENT') throw fault;
}
