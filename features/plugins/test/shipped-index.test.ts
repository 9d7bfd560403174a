/** The index of shipped plugins verifies with the development key and names the modules in the folder. */
import { readFileSync } from 'node:fs';
import { compileModule } from '#adapters/wasm/module.ts';
import { publicKeyOf } from '#core/configuration/supply-chain/keys.ts';
import { verifyEntry } from '#core/configuration/supply-chain/verify-artifact.ts';
import { verifyIndex } from '#core/configuration/supply-chain/verify-index.ts';
import { verifyBytes } from '../verify-bytes.ts';

const now = Date.parse('2026-12-01T00:00:00Z');
const file = JSON.parse(readFileSync('plugins/index.json', 'utf8'));
const trusted = verifyIndex(file, publicKeyOf(readFileSync('plugins/development-root.pem', 'utf8')), { now });

test('[plugin.shipped] the index lists the shipped plugins', () => {
  expect(trusted.index.plugins.map(({ name }) => name)).toEqual([
    ...['keyword-guard', 'injection-guard', 'secrets-guard', 'topic-fence'],
  ]);
});

test.each(trusted.index.plugins)(
  '[plugin.shipped] $name verifies, and fails verification if one byte is changed',
  async (entry) => {
    verifyEntry(entry, trusted, now);
    const bytes = readFileSync(`plugins/${entry.url}`);
    await expect(verifyBytes(entry, bytes, compileModule)).resolves.toBeUndefined();
    const changed = Buffer.from(bytes);
    changed[changed.length - 1]! ^= 1;
    await expect(verifyBytes(entry, changed, compileModule)).rejects.toMatchObject({ reason: 'digest_mismatch' });
  },
);
