/** Packs and filters under `require_signed`: signed ones load and others are refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { packFiles } from '#adapters/files/pack-files.ts';
import { sourceFiles } from '#adapters/files/source-files.ts';
import type { PluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { keyIdOf, publicKeyOf } from '#core/configuration/supply-chain/keys.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';
import { packBytes } from '../pack-bytes.ts';
import { signEntry } from '../sign.ts';
import { entryOf, guardBytes, indexOf, now, publisherKeys, rootKeys, strangerKeys } from './signed-plugins.ts';

const home = new Home();
const server = serverOf(home);
const pack = {
  name: 'keyword-rules',
  default_decision: 'review',
  rules: [{ protocol: 'git', tool: 'scm.get_*', decision: 'allow' }],
};
const aboutPack = {
  name: 'keyword-rules',
  version: '1.0.0',
  description: 'Reads',
  author: 'Example',
  kind: 'policy_pack',
  permissions: [],
  url: 'rules.json',
  tags: [],
};
const packEntry = (changes: object = {}, keys = publisherKeys): PluginEntry =>
  signEntry(keys.key, { ...aboutPack, ...changes }, packBytes(pack, 'pack'));

interface Given {
  readonly pack?: unknown;
  readonly filter?: boolean;
  readonly index?: unknown;
  readonly root?: string;
  readonly required?: boolean;
}
const load = ({ pack: named = pack, filter = false, index, root = rootKeys.pem.publicKey, required = true }: Given) =>
  loadConfiguration(
    stringify({
      version: 1,
      tenants: [{ id: 'default', api_keys: [{ key: 'key-1' }] }],
      tool_policies: { pack: named, require_signed: required },
      ...(index !== undefined && { supply_chain: { root_key: root, index } }),
      ...(filter && {
        policies: { input: [{ name: 'guard', type: 'wasm', action: 'block', path: 'plugins/keyword-guard.wasm' }] },
      }),
    }),
    { packs: packFiles('policies'), files: sourceFiles(process.cwd()), now },
  );

describe('[supply-chain.require-signed]', () => {
  test('a signed pack and a signed filter load, as does a policy without a pack', async () => {
    const index = indexOf({ plugins: [packEntry(), entryOf()] });
    await expect(load({ index, filter: true })).resolves.toBeDefined();
    await expect(load({ pack: null })).resolves.toBeDefined();
  });

  test.each<[string, Given, string]>([
    ['a pack without an index', {}, 'tool_policies.pack'],
    ['a pack that ships with the gateway, and that no publisher signed', { pack: 'readonly' }, 'tool_policies.pack'],
    ['a pack that the index does not list', { index: indexOf() }, 'lists nothing with this digest'],
    [
      'a pack with one rule changed',
      { index: indexOf({ plugins: [packEntry()] }), pack: { ...pack, default_decision: 'allow' } },
      'lists nothing with this digest',
    ],
    [
      'a filter that the index does not list',
      { index: indexOf({ plugins: [packEntry()] }), filter: true },
      'policies.input[0]',
    ],
    ['a pack of a stranger', { index: indexOf({ plugins: [packEntry({}, strangerKeys)] }) }, 'unknown_key'],
    [
      'a pack of a name that was not delegated',
      { index: indexOf({ plugins: [packEntry({ name: 'other-rules' })] }) },
      'delegation_missing',
    ],
    [
      'a delegation that has ended',
      { index: indexOf({ plugins: [packEntry()], grant: { not_after: '2026-11-20T00:00:00Z' } }) },
      'delegation_expired',
    ],
    [
      'a revoked digest',
      { index: indexOf({ plugins: [packEntry()], revocations: { artifacts: [packEntry().sha256] } }) },
      'artifact_revoked',
    ],
    [
      'a revoked key',
      { index: indexOf({ plugins: [packEntry()], revocations: { keys: [publisherKeys.id] } }) },
      'key_revoked',
    ],
    [
      'the digest of a pack listed as a filter',
      { index: indexOf({ plugins: [packEntry({ kind: 'wasm_filter', abi: 'wasm-filter-1', phase: 'input' })] }) },
      'lists nothing with this digest',
    ],
    [
      'another root key',
      { index: indexOf({ plugins: [packEntry()] }), root: strangerKeys.pem.publicKey },
      'supply_chain.index',
    ],
  ])('%s is refused', async (_, given, message) => {
    await expect(load(given)).rejects.toThrow(message);
  });

  test('without the requirement an unsigned pack loads, but an unsigned index is still refused', async () => {
    await expect(load({ required: false })).resolves.toBeDefined();
    await expect(load({ required: false, index: { index: {}, delegations: {}, revocations: {} } })).rejects.toThrow(
      'supply_chain.index',
    );
    const forged = indexOf({ plugins: [packEntry()] }, strangerKeys);
    await expect(load({ required: false, index: forged })).rejects.toThrow('supply_chain.index');
  });
});

test('[supply-chain.envelope] a pack is signed, added to an index, installed, trusted and loaded from the command line', async () => {
  home.write('keyword-rules.yaml', stringify(pack));
  home.write('about.json', JSON.stringify(aboutPack));
  home.write('p.key', publisherKeys.pem.privateKey);
  home.write('root.pem', rootKeys.pem.publicKey);
  const sign = ['supply-chain', 'sign', 'keyword-rules.yaml', '--type', 'artifact', '--about', 'about.json'];
  expect((await home.run([...sign, '--signing-key', 'p.key'])).code).toBe(2);
  const signed = await home.run([...sign, '--signing-key', 'p.key', '--out', 'rules.json']);
  expect(signed.code).toBe(0);
  const entry = JSON.parse(signed.out);
  expect(entry.sha256).toBe(packEntry().sha256);
  home.write('index.json', JSON.stringify(indexOf({ plugins: [entry] })));
  server.on('GET /admin/v1/whoami', { role: 'admin', kind: 'human', tenant: 'default', platform: true });
  const installed = await home.run('plugin install keyword-rules --index index.json --root root.pem --json'.split(' '));
  const { tool_policies } = JSON.parse(installed.out);
  expect(readFileSync(tool_policies.pack, 'utf8')).toBe(packBytes(pack, 'pack').toString());
  expect((await home.run(['plugin', 'list'])).code).toBe(0);
  const verified = await home.run(
    'supply-chain verify index.json --root root.pem --name keyword-rules --artifact rules.json'.split(' '),
  );
  expect(verified.code).toBe(0);
  const trusted = await home.run(['supply-chain', 'trust', 'index.json', '--root', 'root.pem', '--json']);
  const { supply_chain } = JSON.parse(trusted.out);
  await expect(
    load({
      pack: JSON.parse(readFileSync(join(home.folder, 'rules.json'), 'utf8')),
      index: supply_chain.index,
      root: supply_chain.root_key,
    }),
  ).resolves.toBeDefined();
  home.write('rules.json', stringify(pack));
  const changed = await home.run(['plugin', 'install', 'keyword-rules', '--index', 'index.json']);
  expect(changed.code).toBe(1);
});

test('[supply-chain.envelope] a pack that declares a permission, an ABI or a phase is refused before it is read', async () => {
  const { verifyBytes } = await import('../verify-bytes.ts');
  const read = jest.fn();
  for (const [change, reason] of [
    [{ abi: 'wasm-filter-1' }, 'abi_unsupported'],
    [{ phase: 'input' }, 'abi_unsupported'],
  ] as const) {
    await expect(verifyBytes(packEntry(change), packBytes(pack, 'pack'), read)).rejects.toMatchObject({ reason });
  }
  expect(read).not.toHaveBeenCalled();
  const greedy = verifyBytes(packEntry({ permissions: ['content'] }), packBytes(pack, 'pack'), async () => {});
  await expect(greedy).rejects.toMatchObject({ reason: 'permission_unknown' });
  await expect(verifyBytes(packEntry(), guardBytes, read)).rejects.toMatchObject({ reason: 'size_mismatch' });
});

test('[supply-chain.in-force] active documents are listed with their signer, or with the reason they have none', async () => {
  const { partsInForce } = await import('#core/configuration/supply-chain/in-force.ts');
  const { configuration } = await load({ index: indexOf({ plugins: [packEntry(), entryOf()] }), filter: true });
  const signer = keyIdOf(publicKeyOf(publisherKeys.pem.publicKey));
  expect(partsInForce(configuration, now)).toEqual([
    {
      kind: 'policy_pack',
      name: 'keyword-rules',
      verified: true,
      signer,
      sha256: packEntry().sha256,
      signed_as: 'keyword-rules@1.0.0',
    },
    {
      kind: 'wasm_filter',
      name: 'guard',
      verified: true,
      signer,
      sha256: entryOf().sha256,
      signed_as: 'keyword-guard@1.2.0',
    },
  ]);
  const later = Date.parse('2099-06-01T00:00:00Z');
  expect(partsInForce(configuration, later)).toMatchObject([
    { verified: false, reason: expect.stringContaining('delegation_expired') },
    { verified: false },
  ]);
});
