/** Lets Go's own libraries verify a log that the gateway wrote: notes, tiles, proofs. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cosign, openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { leafBytes } from '#core/evidence/transparency/leaf.ts';
import { noteKeyTypes, noteSigner, verifierKey } from '#core/evidence/transparency/note.ts';
import type { ChecksWithGo } from '../../../../test/foreign/run.ts';
import { check } from '../../../../test/support/checks.ts';
import { tileAt, tilePath } from '../../tiles.ts';
import { pointOf, testLog } from '../started-log.ts';

export const checksWithGo: ChecksWithGo['checksWithGo'] = (go) => [
  check("[transparency.tree] Go's libraries verify notes, tiles and proofs of the log", () => verifyLog(go)),
];

/** @throws if Go's libraries refuse something they should accept, or accept something they should refuse. */
async function verifyLog(program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
  const kept = await testLog();
  try {
    await write(kept, folder);
    const cwd = import.meta.dirname;
    execFileSync(program, ['run', '.', folder], {
      cwd,
      stdio: 'inherit',
      env: { ...process.env, GOFLAGS: '-mod=mod' },
    });
  } finally {
    await kept.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function write(kept: Awaited<ReturnType<typeof testLog>>, folder: string): Promise<void> {
  const log = kept.opened();
  const witness = noteSigner('auditor', generateKeyPairSync('ed25519').privateKey, noteKeyTypes.cosignature);
  const heads = [];
  for (const [n, count] of [1, 2, 252, 1, 1, 300, 500].entries()) {
    await log.append(Array.from({ length: count }, (_, i) => pointOf(`s-${n}-${i}`, i)));
    const head = openCheckpoint((await log.checkpoint('default'))!, await kept.signer('default'));
    if (typeof head === 'string') throw new Error(head);
    heads.push(head);
  }
  const last = heads.at(-1)!;
  for (const level of ['entries', 0, 1] as const) {
    for (let index = 0, tile = tileAt(level, 0, last.size); tile; tile = tileAt(level, ++index, last.size)) {
      const file = join(folder, tilePath(tile));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, (await log.tile('default', tile))!);
    }
  }
  const inclusion = [];
  for (const name of ['s-0-0', 's-2-251', 's-3-0', 's-4-0', 's-5-299', 's-6-0', 's-6-499']) {
    const { leaf, position, path } = (await log.proof('default', name))!;
    inclusion.push({ index: position, leaf: leafBytes(leaf).toString('base64'), proof: path });
  }
  const growth = [];
  for (const { size, root } of heads.slice(0, -1)) {
    const proof = (await log.consistency('default', size, last.size))!;
    growth.push({
      from: size,
      from_root: root.toString('base64'),
      proof: proof.map((each) => each.toString('base64')),
    });
  }
  const note = (await log.checkpoint('default'))!;
  const fixture = {
    log_key: verifierKey(await kept.signer('default')),
    witness_key: verifierKey(witness),
    checkpoint: `${note}${cosign(last.text, 1_790_000_000, witness)}\n`,
    inclusion,
    growth,
  };
  writeFileSync(join(folder, 'fixture.json'), JSON.stringify(fixture));
}
