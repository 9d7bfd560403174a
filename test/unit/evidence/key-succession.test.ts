/** Which keys are trusted because others are: both keys must have signed the statement that links them. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import type { KeySuccession } from '#core/contracts/evidence.ts';
import { linkedKeys, signSuccession } from '#core/evidence/key-succession.ts';
import type { Signer } from '#core/evidence/ports.ts';

interface Pair {
  readonly signer: Signer;
  readonly pem: string;
}

function pair(keyId: string): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const sign = async (bytes: Uint8Array) => createSign('sha256').update(bytes).sign(privateKey, 'base64');
  return { signer: { keyId, sign, publicKey: async () => pem }, pem };
}

const [first, second, third] = [pair('first'), pair('second'), pair('third')];
const link = (from: Pair, to: Pair) => signSuccession(from.signer, to.signer, '2026-01-01T00:00:00.000Z');

test('[evidence.keys.rotate] trust follows a statement that both keys signed, in either direction and over several steps', async () => {
  const successions = [await link(second, third), await link(first, second)];
  expect(linkedKeys(first.pem, successions)).toEqual([first.pem, second.pem, third.pem]);
  expect(linkedKeys(third.pem, successions)).toEqual([third.pem, second.pem, first.pem]);
  expect(linkedKeys([first.pem, second.pem], successions.slice(1))).toEqual([first.pem, second.pem]);
});

describe('[evidence.keys.rotate] no trust follows', () => {
  const forged = async (change: (true_: KeySuccession, other: KeySuccession) => unknown) =>
    change(await link(first, second), await link(third, second));

  test.each<[string, (true_: KeySuccession, other: KeySuccession) => unknown]>([
    [
      'a statement that the trusted key did not sign',
      (a, b) => ({ ...a, signatures: { ...a.signatures, previous: b.signatures.previous } }),
    ],
    [
      'a statement that the new key did not sign',
      (a, b) => ({ ...a, signatures: { ...a.signatures, next: b.signatures.previous } }),
    ],
    ['a statement whose new key was exchanged', (a) => ({ ...a, next: { key_id: 'third', public_key: third.pem } })],
    ['a statement whose time was changed', (a) => ({ ...a, created_at: '2027-01-01T00:00:00.000Z' })],
    ['a statement without signatures', ({ signatures: _, ...a }) => a],
    ['what is no statement at all', () => 'next'],
    ['a statement between two other keys', (_, b) => b],
  ])('%s', async (_, change) => {
    expect(linkedKeys(first.pem, [await forged(change)])).toEqual([first.pem]);
  });
});
