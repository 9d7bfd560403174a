/**
 * `node plugins/sign.mjs <folder of keys>`: signs these modules with a development key, and writes `index.json` and
 * `development-root.pem`. Keys that are missing from the folder are created there; never commit them to a repository.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKeys, privateKeyOf } from '#core/configuration/supply-chain/keys.ts';
import { signEntry, signRootDocument } from '#features/plugins/sign.ts';

const keys = process.argv[2];
if (keys === undefined) throw new Error('name the folder of the keys');
const here = new URL('./', import.meta.url);
const described = {
  'keyword-guard': 'Flags a text that contains the word confidential: the example of the interface',
  'injection-guard':
    'Flags texts that give a model orders: to ignore its instructions, to reveal them, to carry the conversation out',
  'secrets-guard': 'Flags credentials by their structure, and by their checksum where the format has one',
  'topic-fence': 'Flags texts in other scripts, languages or about other topics than its settings let pass',
};

const [root, publisher] = await Promise.all([keyIn('root'), keyIn('publisher')]);
const signer = privateKeyOf(publisher.privateKey);
const plugins = await Promise.all(
  Object.entries(described).map(async ([name, description]) => {
    const about = {
      name,
      version: '1.0.0',
      description,
      author: 'Agent Governance Gateway',
      kind: 'wasm_filter',
      abi: 'wasm-filter-1',
      phase: 'both',
      permissions: ['content', 'metadata'],
      url: `${name}.wasm`,
      tags: [],
    };
    return signEntry(signer, about, await readFile(new URL(`${name}.wasm`, here)));
  }),
);
const issued_at = new Date().toISOString();
const sequence = Math.floor(Date.parse(issued_at) / 1000);
const delegations = [
  { public_key: publisher.publicKey, patterns: Object.keys(described), not_after: '2036-01-01T00:00:00Z' },
];
const rootKey = privateKeyOf(root.privateKey);
const file = {
  index: signRootDocument(rootKey, 'index', { format: 1, sequence, issued_at, plugins }),
  delegations: signRootDocument(rootKey, 'delegations', { sequence, delegations }),
  revocations: signRootDocument(rootKey, 'revocations', { sequence, keys: [], artifacts: [] }),
};
await writeFile(new URL('index.json', here), `${JSON.stringify(file, null, 2)}\n`);
await writeFile(new URL('development-root.pem', here), root.publicKey);

async function keyIn(name) {
  const at = join(keys, `${name}.json`);
  const known = await readFile(at, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known);
  const made = generateKeys('ed25519');
  await mkdir(keys, { recursive: true, mode: 0o700 });
  await writeFile(at, JSON.stringify(made), { mode: 0o600, flag: 'wx' });
  return made;
}
