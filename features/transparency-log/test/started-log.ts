/** A transparency log over a real store and a folder, with the keys that a third party needs to verify it. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainPoint } from '#core/contracts/evidence.ts';
import { openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { readLeaf } from '#core/evidence/transparency/leaf.ts';
import { Frontier, leafHash } from '#core/evidence/transparency/tree.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { testStore } from '../../../test/support/store.ts';
import { folderLog } from '../adapters/folder-log.ts';
import { logSignersOf } from '../adapters/log-keys.ts';
import { logTable } from '../adapters/log-table.ts';
import { type LogPorts, TransparencyLog } from '../log.ts';
import { leavesOfBundle, tileAt } from '../tiles.ts';

export const pointOf = (session_id: string, index: number, tenant = 'default'): ChainPoint => ({
  tenant,
  session_id,
  index,
  hash: sha256(`${tenant} ${session_id} ${index}`),
});

export type TestLog = Awaited<ReturnType<typeof testLog>>;

export async function testLog() {
  const folder = await mkdtemp(join(tmpdir(), 'log-'));
  const store = testStore();
  const heads = logTable({ store });
  const objects = folderLog(folder);
  const key = generateKeyPairSync('ed25519').privateKey;
  const time = { ms: Date.UTC(2026, 0, 1) };
  const signer = logSignersOf({ current: key, former: [] });

  /** Opens the log as one process would. Replacement stores may stop it at any point. */
  const opened = (parts: Partial<Pick<LogPorts, 'heads' | 'objects' | 'signer'>> = {}) =>
    new TransparencyLog({
      heads,
      objects,
      signer,
      ...parts,
      clock: { now: () => time.ms },
      pause: async () => {},
    });

  return {
    heads,
    objects,
    store,
    key,
    signer,
    time,
    opened,
    folder,
    /** Returns all leaves in the tiles after checking them against the signed root. */
    async leaves(log: TransparencyLog, tenant = 'default') {
      const note = await log.checkpoint(tenant);
      if (note === undefined) return [];
      const head = openCheckpoint(note, await signer(tenant));
      if (typeof head === 'string') throw new Error(head);
      const all: Buffer[] = [];
      for (let index = 0; ; index++) {
        const tile = tileAt('entries', index, head.size);
        if (!tile) break;
        all.push(...leavesOfBundle((await log.tile(tenant, tile))!));
      }
      const tree = new Frontier();
      for (const leaf of all) tree.append(leafHash(leaf));
      if (tree.size !== head.size || !tree.root().equals(head.root)) throw new Error('the leaves are not the tree');
      return all.map((leaf) => readLeaf(leaf)!);
    },
    async stop() {
      store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
