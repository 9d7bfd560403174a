/** Plugins from the command line: the example filter is signed with a generated key, installed, listed and removed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorBody, Home, serverOf } from '../../../test/unit/agentctl/support.ts';
import { about, entryOf, guardBytes, indexOf, publisherKeys, rootKeys, strangerKeys } from './signed-plugins.ts';

const home = new Home();
const server = serverOf(home);
const folder = join(home.state, 'plugins');
const digest = entryOf().sha256;

const write = (index: unknown, bytes: Uint8Array = guardBytes) => {
  home.write('keyword-guard.wasm', bytes);
  return home.write('index.json', JSON.stringify(index));
};
const rootFile = home.write('root.pem', rootKeys.pem.publicKey);
const run = (...args: string[]) => home.run(args);
const from = ['--index', 'index.json'];
const taken = (): { act: string; name: string; reason?: string }[] =>
  server.seen.filter(({ path }) => path === '/admin/v1/supply-chain/acts').map(({ body }) => JSON.parse(body));

const administrator = { role: 'admin', kind: 'human', tenant: 'default', key_id: 'k', platform: true };
beforeEach(() => {
  server.on('GET /admin/v1/whoami', administrator);
  server.on('POST /admin/v1/supply-chain/acts', { evidence_hash: 'e'.repeat(64) }, 201);
});

test('[cli.plugin] keys are generated, and documents are signed, verified and listed', async () => {
  for (const name of ['r', 'p']) {
    const made = await run('supply-chain', 'keygen', '--out', name, '--type', name === 'r' ? 'ed25519' : 'p256');
    expect(made.code).toBe(0);
  }
  expect((await run('supply-chain', 'keygen', '--out', 'r')).code).toBe(2);
  home.write('guard.wasm', guardBytes);
  home.write('about.json', JSON.stringify(about));
  const signed = await run(
    'supply-chain',
    'sign',
    'guard.wasm',
    '--type',
    'artifact',
    '--about',
    'about.json',
    '--signing-key',
    'p.key',
  );
  expect(signed.code).toBe(0);
  const documents = {
    index: { format: 1, sequence: 1, issued_at: '2026-11-01T00:00:00Z', plugins: [JSON.parse(signed.out)] },
    delegations: {
      sequence: 1,
      delegations: [
        {
          public_key: readFileSync(join(home.folder, 'p.pem'), 'utf8'),
          patterns: ['keyword-*'],
          not_after: '2099-01-01T00:00:00Z',
        },
      ],
    },
    revocations: { sequence: 1, keys: [], artifacts: [] },
  };
  for (const [type, document] of Object.entries(documents)) {
    home.write(`${type}.in.json`, JSON.stringify(document));
    const { code, err } = await run(
      'supply-chain',
      'sign',
      `${type}.in.json`,
      '--type',
      type,
      '--signing-key',
      'r.key',
      '--into',
      'own.json',
    );
    expect([code, err]).toEqual([0, expect.stringContaining(`set ${type}`)]);
  }
  const verify = ['supply-chain', 'verify', 'own.json', '--root', 'r.pem', '--json'];
  const verified = await run(...verify, '--name', 'keyword-guard', '--artifact', 'guard.wasm');
  expect(JSON.parse(verified.out)).toMatchObject({ verified: true, name: 'keyword-guard' });
  const wrong = await run('supply-chain', 'verify', 'own.json', '--root', 'p.pem', '--json');
  expect([wrong.code, JSON.parse(wrong.out)]).toEqual([1, expect.objectContaining({ reason: 'unknown_key' })]);
  const listed = await run('supply-chain', 'list', 'own.json', '--root', 'r.pem', '--json');
  expect(JSON.parse(listed.out).plugins).toEqual([expect.objectContaining({ name: 'keyword-guard', verified: true })]);
});

test('[plugin.marketplace] refused commands leave no files behind', async () => {
  write(indexOf(), Buffer.concat([guardBytes, guardBytes]));
  for (const [index, reason] of [
    [indexOf(), 'size_mismatch'],
    [indexOf({ plugins: [entryOf({}, guardBytes, strangerKeys)] }), 'unknown_key'],
    [indexOf({ revocations: { keys: [publisherKeys.id] } }), 'key_revoked'],
  ] as const) {
    home.write('index.json', JSON.stringify(index));
    const { code, err } = await run('plugin', 'install', 'keyword-guard', ...from, '--root', rootFile);
    expect([code, err, existsSync(folder)]).toEqual([1, expect.stringContaining(reason), false]);
    expect(taken().at(-1)).toMatchObject({ act: 'refuse', name: 'keyword-guard', version: '1.2.0', reason });
  }
  expect((await run('plugin', 'install', 'keyword-guard', ...from)).code).toBe(2);
});

test('[cli.plugin] [plugin.marketplace] the commands search, info, install, list, outdated and remove', async () => {
  write(indexOf());
  const rooted = [...from, '--root', rootFile];
  expect((await run('plugin', 'search', 'KEYWORDS', ...rooted)).out).toContain('keyword-guard');
  expect((await run('plugin', 'search', 'nothing', ...rooted)).out).toContain('no plugins');
  expect((await run('plugin', 'info', 'keyword-guard', ...rooted)).out).toContain('verified: true');

  const installed = await run('plugin', 'install', 'keyword-guard', ...rooted, '--json');
  const module = join(folder, `${digest}.wasm`);
  expect(JSON.parse(installed.out).filter).toMatchObject({ type: 'wasm', path: module, sha256: digest });
  expect(readFileSync(module).equals(guardBytes)).toBe(true);
  expect(readdirSync(folder).sort()).toEqual([`${digest}.wasm`, 'installed.json'].sort());
  expect((await run('plugin', 'list')).code).toBe(0);

  // The root key is pinned, and sequence numbers and versions only increase.
  const other = home.write('other.pem', strangerKeys.pem.publicKey);
  expect((await run('plugin', 'search', ...from, '--root', other)).err).toContain('root_changed');
  write(indexOf({ index: { sequence: 4 } }));
  expect((await run('plugin', 'search', ...from)).err).toContain('sequence_older');
  const older = entryOf({ version: '1.1.0' });
  write(indexOf({ plugins: [older], index: { sequence: 6 } }));
  expect((await run('plugin', 'install', 'keyword-guard', ...from)).err).toContain('downgrade');
  write(indexOf({ plugins: [entryOf(), entryOf({ version: '1.10.0' })], index: { sequence: 7 } }));
  const outdated = await run('plugin', 'outdated', ...from, '--json');
  expect([outdated.code, JSON.parse(outdated.out).plugins]).toEqual([
    1,
    [{ name: 'keyword-guard', installed: '1.2.0', newest: '1.10.0' }],
  ]);
  write(indexOf({ plugins: [older], index: { sequence: 8 } }));
  expect((await run('plugin', 'install', 'keyword-guard', ...from, '--allow-downgrade')).code).toBe(0);

  const filter = { name: 'guard', type: 'wasm', path: 'elsewhere.wasm', sha256: digest };
  server.on('GET /admin/v1/config', { version: 1, configuration: { policies: { input: [filter], output: [] } } });
  expect((await run('plugin', 'remove', 'keyword-guard')).err).toContain('in_use');
  server.on('GET /admin/v1/config', { version: 2, configuration: {} });
  expect((await run('plugin', 'remove', 'keyword-guard')).err).toContain('nothing was removed');
  expect(existsSync(module)).toBe(true);

  writeFileSync(module, 'changed');
  const changed = await run('plugin', 'list', '--json');
  expect([changed.code, JSON.parse(changed.out).plugins]).toEqual([
    1,
    [expect.objectContaining({ verified: false, reason: 'digest_mismatch' })],
  ]);
  server.on('GET /admin/v1/config', { version: 3, configuration: { policies: { input: [], output: [] } } });
  expect((await run('plugin', 'remove', 'keyword-guard')).out).toContain('removed keyword-guard');
  expect(readdirSync(folder)).toEqual(['installed.json']);
  expect((await run('plugin', 'remove', 'keyword-guard')).err).toContain('plugin_unknown');
});

test('a revocation read by any command applies to installed plugins', async () => {
  const state = ['--state', join(home.folder, 'other')];
  write(indexOf());
  expect((await run('plugin', 'install', 'keyword-guard', ...from, '--root', rootFile, ...state)).code).toBe(0);
  expect((await run('plugin', 'list', ...state)).code).toBe(0);
  write(indexOf({ index: { sequence: 6 }, revocations: { sequence: 6, keys: [publisherKeys.id] } }));
  expect((await run('plugin', 'search', ...from, ...state)).code).toBe(0);
  const listed = await run('plugin', 'list', '--json', ...state);
  expect([listed.code, JSON.parse(listed.out).plugins[0].reason]).toEqual([1, 'key_revoked']);
});

describe('[supply-chain.in-force] plugin changes are reported', () => {
  test('an install records the version, digest and signer, and a removal records the digest; both print the evidence', async () => {
    const state = ['--state', join(home.folder, 'acts')];
    write(indexOf());
    const installed = await run('plugin', 'install', 'keyword-guard', ...from, '--root', rootFile, ...state, ...at());
    expect(installed.out).toContain(`evidence ${'e'.repeat(64)}`);
    server.on('GET /admin/v1/config', { version: 3, configuration: { policies: { input: [], output: [] } } });
    const removed = await run('plugin', 'remove', 'keyword-guard', '--json', ...state, ...at());
    expect(JSON.parse(removed.out)).toMatchObject({ removed: 'keyword-guard', evidence_hash: 'e'.repeat(64) });
    const about = { name: 'keyword-guard', version: '1.2.0', kind: 'wasm_filter', sha256: digest };
    expect(taken()).toEqual([
      { act: 'install', ...about, signer: publisherKeys.id },
      { act: 'remove', ...about },
    ]);
  });

  test('changes that no gateway received are kept and reported before the next change', async () => {
    const state = ['--state', join(home.folder, 'later')];
    write(indexOf());
    const nowhere = ['--url', 'http://127.0.0.1:9', '--key', 'k'];
    const installed = await run(
      ...['plugin', 'install', 'keyword-guard', ...from, '--root', rootFile, ...state, ...nowhere],
    );
    expect([installed.code, installed.err]).toEqual([0, expect.stringContaining('not recorded as evidence yet')]);
    expect((await run('plugin', 'install', 'nothing', ...from, ...state, ...at())).err).toContain('plugin_unknown');
    expect(taken()).toEqual([
      expect.objectContaining({ act: 'install', name: 'keyword-guard', done_at: expect.any(String) }),
      expect.objectContaining({ act: 'refuse', name: 'nothing', reason: 'plugin_unknown' }),
    ]);
    await run('plugin', 'install', 'nothing', ...from, ...state, ...at());
    expect(taken().filter(({ act }) => act === 'install')).toHaveLength(1);
  });

  test.each<[string, object, number, string]>([
    ['an agent', { ...administrator, kind: 'agent' }, 200, 'this key is of kind agent'],
    ['an operator', { ...administrator, role: 'operator' }, 200, 'this key has the role operator'],
    ['an administrator of a tenant', { ...administrator, platform: false }, 200, 'this key is of tenant default'],
    ['a key that is not known', errorBody(401, 'authentication_error', 'unknown key'), 401, 'authentication_error'],
    ['an address of another server', errorBody(404, 'not_found', 'no such path'), 404, 'not_found'],
  ])('%s cannot install or remove anything, and is told who may', async (_who, body, status, found) => {
    const state = ['--state', join(home.folder, `refused-${status}-${found.length}`)];
    write(indexOf());
    const install = ['plugin', 'install', 'keyword-guard', ...from, '--root', rootFile, ...state, ...at()];
    server.on('GET /admin/v1/whoami', body, status);
    const refused = await run(...install);
    expect([refused.code, refused.err, existsSync(join(state[1]!, 'plugins'))]).toEqual([
      1,
      expect.stringMatching(new RegExp(`nothing was installed.*${found}[^]*admin token, or .*platform: true`)),
      false,
    ]);

    server.on('GET /admin/v1/whoami', administrator);
    expect((await run(...install)).code).toBe(0);
    server.on('GET /admin/v1/whoami', body, status);
    server.on('GET /admin/v1/config', { version: 3, configuration: { policies: { input: [], output: [] } } });
    const kept = await run('plugin', 'remove', 'keyword-guard', ...state, ...at());
    expect([kept.code, kept.err]).toEqual([1, expect.stringContaining(`nothing was removed`)]);
    expect((await run('plugin', 'list', ...state)).out).toContain('keyword-guard');
    expect(taken().map(({ act }) => act)).toEqual(['install']);
  });

  test('a gateway that fails temporarily is treated as unreachable', async () => {
    const state = ['--state', join(home.folder, 'failing')];
    write(indexOf());
    for (const call of ['GET /admin/v1/whoami', 'POST /admin/v1/supply-chain/acts'])
      server.on(call, errorBody(503, 'service_unavailable', 'the store is down'), 503);
    const installed = await run('plugin', 'install', 'keyword-guard', ...from, '--root', rootFile, ...state, ...at());
    expect([installed.code, installed.err]).toEqual([0, expect.stringContaining('not recorded as evidence yet')]);
  });

  test('a saved change that the gateway refuses stays saved, and the command reports it', async () => {
    const state = ['--state', join(home.folder, 'kept')];
    write(indexOf());
    const install = ['plugin', 'install', 'keyword-guard', ...from, '--root', rootFile, ...state];
    await run(...install, '--url', 'http://127.0.0.1:9', '--key', 'k');
    server.on('POST /admin/v1/supply-chain/acts', errorBody(403, 'forbidden', 'not this key'), 403);
    const { err } = await run(...install, ...at());
    expect(err).toMatch(/still not recorded as evidence: install of keyword-guard \(forbidden: not this key\)/);
    server.on('POST /admin/v1/supply-chain/acts', { evidence_hash: 'e'.repeat(64) }, 201);
    expect((await run(...install, ...at())).err).toBe('');
    expect(readdirSync(join(state[1]!, 'plugins')).filter((name) => name.endsWith('.act'))).toEqual([]);
  });
});

const at = () => ['--url', server.url, '--key', 'admin-token'];
