/** Keys of witnesses in the configuration. */
import { generateKeyPairSync } from 'node:crypto';
import { noteKeyTypes, noteSigner, verifierKey } from '#core/evidence/transparency/note.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, packs } from '../../../test/unit/configuration/memory.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const witness = verifierKey(noteSigner('auditor', privateKey, noteKeyTypes.cosignature));
const log = verifierKey(noteSigner('gateway/default', privateKey));

test('[transparency.tree] the configuration accepts witness keys, and rejects other values with their position', async () => {
  const load = (key: string) => loadConfiguration(base(`evidence: { log: { witnesses: ["${key}"] } }`), { packs });
  expect((await load(witness)).configuration.evidence.log).toEqual({ enabled: true, witnesses: [witness] });
  await expect(load(log)).rejects.toThrow(/evidence\.log\.witnesses\[0\].*log key/);
  await expect(load('auditor')).rejects.toThrow(/the verifier key that agentctl witness prints/);
});
