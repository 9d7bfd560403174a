/** The browser verifier returns the same results as the command line's. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import * as here from '#core/evidence/transparency/checkpoint-note.ts';
import { logSigner } from '#core/evidence/transparency/checkpoint-note.ts';
import { noteKeyTypes, noteSigner, type readVerifierKey, verifierKey } from '#core/evidence/transparency/note.ts';
import { leafHash, nodeHash } from '#core/evidence/transparency/tree.ts';

const root = resolve(__dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'console-verifier-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface InBrowser {
  readonly openCheckpoint: typeof here.openCheckpoint;
  readonly cosignedAt: typeof here.cosignedAt;
  readonly readVerifierKey: typeof readVerifierKey;
  readonly verifierKey: typeof verifierKey;
  readonly leafHash: typeof leafHash;
  readonly nodeHash: typeof nodeHash;
}

/** Builds the verifier as `console/build.mjs` does, and loads it here. */
async function inBrowser(): Promise<InBrowser> {
  const outfile = join(folder, 'verifier.cjs');
  await build({
    absWorkingDir: root,
    stdin: {
      contents: ['checkpoint-note', 'note', 'tree']
        .map((name) => `export * from '#core/evidence/transparency/${name}.ts';`)
        .join('\n'),
      resolveDir: root,
    },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    logLevel: 'silent',
    alias: { 'node:crypto': './console/evidence/node-crypto.ts' },
    inject: ['console/evidence/buffer.ts'],
  });
  return require(outfile);
}

const pair = (name: string, type: 1 | 4 = noteKeyTypes.ed25519) =>
  noteSigner(name, generateKeyPairSync('ed25519').privateKey, type);

test('[console.verify] notes, cosignatures and hashes give the same results in the browser, and tampering is detected', async () => {
  const browser = await inBrowser();
  const [leaf, other] = [Buffer.from('a leaf'), Buffer.from('ein Blatt, äöü')];
  expect(Buffer.from(browser.leafHash(leaf))).toEqual(leafHash(leaf));
  const tree = nodeHash(leafHash(leaf), leafHash(other));
  expect(Buffer.from(browser.nodeHash(leafHash(leaf), leafHash(other)))).toEqual(tree);

  const [log, witness, stranger] = [
    pair('log.example/t'),
    pair('witness.example', noteKeyTypes.cosignature),
    pair('log.example/t'),
  ];
  const head = { origin: 'log.example/t', size: 2, root: tree };
  const signed = await here.signTreeHead(head, logSigner(log));
  const note = `${signed}${here.cosign(here.checkpointText(head), 1_700_000_000, witness)}\n`;
  const keyOf = (signer: typeof log) => browser.readVerifierKey(verifierKey(signer))!;
  // A log whose key was rotated names its keys; this wording reports which are not trusted yet.
  for (const signer of [log, witness]) expect(browser.verifierKey(keyOf(signer))).toBe(verifierKey(signer));
  const open = browser.openCheckpoint(note, keyOf(log));
  if (typeof open === 'string') throw new Error(open);
  expect([open.origin, open.size, Buffer.from(open.root)]).toEqual([head.origin, 2, tree]);
  expect(browser.cosignedAt(open, keyOf(witness))).toBe(1_700_000_000);

  expect(browser.openCheckpoint(note, keyOf(stranger))).toContain('not signed by');
  expect(browser.openCheckpoint(note.replace('\n2\n', '\n3\n'), keyOf(log))).toContain('not signed by');
  expect(browser.cosignedAt(open, keyOf({ ...pair('witness.example', noteKeyTypes.cosignature) }))).toBeUndefined();
});
