/** Published test vectors of RFC 6962 and of signed notes. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import {
  cosign,
  cosignedAt,
  logSigner,
  openCheckpoint,
  signTreeHead,
} from '#core/evidence/transparency/checkpoint-note.ts';
import {
  isSignedBy,
  isValidSignature,
  noteKeyTypes,
  noteSigner,
  readNote,
  readVerifierKey,
  verifierKey,
} from '#core/evidence/transparency/note.ts';
import { emptyRoot, Frontier, leafHash } from '#core/evidence/transparency/tree.ts';

/** The leaves and roots from the Certificate Transparency tests. */
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('[transparency.tree] the tree roots match those in RFC 6962', () => {
  expect(emptyRoot().toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  const tree = new Frontier();
  for (const [i, leaf] of leaves.entries()) {
    tree.append(leafHash(Buffer.from(leaf, 'hex')));
    expect(tree.root().toString('hex')).toBe(roots[i]);
  }
});

test('[transparency.tree] a frontier whose hashes do not match its size is refused', () => {
  expect(() => new Frontier(3, [emptyRoot()])).toThrow(/2 hashes at its frontier, not 1/);
  expect(() => new Frontier(1, [Buffer.alloc(31)])).toThrow(/32 bytes/);
  expect(new Frontier(1, [leafHash(Buffer.alloc(0))]).root().toString('hex')).toBe(roots[0]);
});

const quotation = [
  'If you think cryptography is the answer to your problem,',
  "then you don't know what your problem is.",
  '',
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
  '',
].join('\n');
const neumann = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';

test('[transparency.tree] the note published by the Go project verifies, and a modified copy does not', () => {
  const key = readVerifierKey(neumann)!;
  expect(verifierKey(key)).toBe(neumann);
  expect(isSignedBy(readNote(quotation)!, key)).toBe(true);
  expect(isSignedBy(readNote(quotation)!, key)).toBe(true);
  expect(isSignedBy(readNote(quotation.replace('answer', 'remedy'))!, key)).toBe(false);
  expect(readVerifierKey(neumann.replace('c74f', 'c74e'))).toBeUndefined();
  expect(readVerifierKey(neumann.replace('+ARpc', '+AhpC'))).toBeUndefined();
  for (const broken of [
    '',
    quotation.slice(0, -1),
    quotation.replace('\n\n', '\n'),
    quotation.replace('x08g', 'x08*'),
  ]) {
    expect(readNote(broken)).toBeUndefined();
  }
});

test('[transparency.tree] a checkpoint opens with its own log’s key, and a cosignature keeps its timestamp', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const [log, other] = [noteSigner('gateway/default', privateKey), noteSigner('gateway/other', privateKey)];
  const witness = noteSigner('witness', generateKeyPairSync('ed25519').privateKey, noteKeyTypes.cosignature);
  const note = await signTreeHead({ origin: log.name, size: 7, root: emptyRoot() }, logSigner(log));
  const opened = openCheckpoint(note, log);
  if (typeof opened === 'string') throw new Error(opened);
  expect(opened).toMatchObject({ origin: 'gateway/default', size: 7 });
  expect(openCheckpoint(note, other)).toMatch(
    /belongs to the log gateway\/default, but the key belongs to gateway\/other/,
  );
  expect(openCheckpoint(note.replace('\n7\n', '\n8\n'), log)).toMatch(/not signed/);
  expect(openCheckpoint(note, { ...log, type: noteKeyTypes.cosignature })).toMatch(/witness key/);

  const seen = openCheckpoint(`${note}${cosign(opened.text, 1_790_000_000, witness)}\n`, log);
  if (typeof seen === 'string') throw new Error(seen);
  expect(cosignedAt(seen, witness)).toBe(1_790_000_000);
  expect(cosignedAt(opened, witness)).toBeUndefined();
  expect(cosignedAt({ ...seen, text: seen.text.replace('7', '8') }, witness)).toBeUndefined();
  expect(cosignedAt(seen, readVerifierKey(verifierKey(witness))!)).toBe(1_790_000_000);
  const late = Buffer.from(seen.signatures[1]!.bytes);
  late.writeBigUInt64BE(5n);
  expect(cosignedAt({ ...seen, signatures: [{ ...seen.signatures[1]!, bytes: late }] }, witness)).toBeUndefined();
});

test('[transparency.tree] names with spaces or plus signs, and other kinds of keys, are refused', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  expect(() => noteSigner('a b', privateKey)).toThrow(/must not contain a space or \+/);
  expect(() => noteSigner('a+b', privateKey)).toThrow(/must not contain a space or \+/);
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' });
  expect(() => noteSigner('a', createPrivateKey(pem))).toThrow(/not an Ed25519 key/);
});

test('[transparency.tree] verifying one text does not validate another text, signature or key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const other = generateKeyPairSync('ed25519').publicKey;
  const signature = sign(null, Buffer.from('a checkpoint'), privateKey);
  const forged = Buffer.from(signature);
  forged[10]! ^= 1;
  for (let round = 0; round < 2; round++) {
    expect(isValidSignature('a checkpoint', publicKey, signature)).toBe(true);
    expect(isValidSignature('a checkpoint', publicKey, forged)).toBe(false);
    expect(isValidSignature('another one', publicKey, signature)).toBe(false);
    expect(isValidSignature('a checkpoint', other, signature)).toBe(false);
  }
});
