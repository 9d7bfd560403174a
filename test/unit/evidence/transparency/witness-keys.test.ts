import { generateKeyPairSync } from 'node:crypto';
import { noteKeyTypes, noteSigner, verifierKey } from '#core/evidence/transparency/note.ts';
import { logKey, logTrustOf, witnessKey } from '#core/evidence/transparency/witness-keys.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const witness = verifierKey(noteSigner('auditor', privateKey, noteKeyTypes.cosignature));
const log = verifierKey(noteSigner('gateway/default', privateKey));

test('[transparency.tree] witness keys and log keys are not interchangeable', () => {
  expect(witnessKey(witness).name).toBe('auditor');
  expect(logKey(log).name).toBe('gateway/default');
  expect(() => witnessKey(log)).toThrow(/log key/);
  expect(() => logKey(witness)).toThrow(/witness key/);
  expect(() => witnessKey('auditor')).toThrow(/not a verifier key/);
});

test('[console.verify-log] keys on separate lines are grouped by kind, and an invalid key is reported with its position', () => {
  const { log: of, witnesses } = logTrustOf(`\n ${witness}\r\n${log}\n`);
  expect([of, witnesses].map((keys) => [keys ?? []].flat().map(({ name }) => name))).toEqual([
    ['gateway/default'],
    ['auditor'],
  ]);
  expect(logTrustOf('  ')).toEqual({ witnesses: [] });
  expect(() => logTrustOf(`${witness}\nnonsense`)).toThrow('key 2 is not a verifier key');
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = (name: string) => verifierKey(noteSigner(name, privateKey));
  // [transparency.log] a log may have two keys.
  expect(logTrustOf(`${log}\n${key('gateway/default')}`).log).toHaveLength(2);
  expect(() => logTrustOf(`${log}\n${key('gateway/other')}`)).toThrow('the keys name two logs');
});
