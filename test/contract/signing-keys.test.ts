/** Signing keys: rotation, trust, and the key bound to a store. */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { registerSigningKey } from '#adapters/local/registered-key.ts';
import { rotateSigningKey, stateSigner } from '#adapters/local/signing-keys.ts';
import { lockState } from '#adapters/local/state-lock.ts';
import { linkedKeys, signingKeysOf, signSuccession } from '#core/evidence/key-succession.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import { caller } from '../support/call-endpoint.ts';
import { over, startDynamo } from '../support/dynamo.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { runMain } from '../support/run-main.ts';
import { testStore } from '../support/store.ts';
import { useStarted } from '../support/use-started.ts';

/** Rotation of the signing key: old signatures stay valid, trust follows signed statements, and a store has one key. */
describe('rotation', () => {
  const folders: string[] = [];
  const clock = { now: () => Date.UTC(2026, 0, 2) };

  const gateway = useStarted(() => keptGateway(), 'test');
  afterAll(async () => {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  async function otherFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'signing-keys-'));
    folders.push(folder);
    return folder;
  }

  const call = (method: string, path: string, key = 'admin-token-1', body?: unknown) =>
    caller(gateway.ports())(method, path, { key, ...(body !== undefined && { body }) });
  async function acted(session: string) {
    const read = { protocol: 'git', tool: 'scm.get_file_contents', target: 'a/b', capability: 'read' };
    await call('POST', '/admin/v1/test-action', keys.agent, { ...read, actor: { agent: 'a', session } });
    await gateway.projected();
  }
  const exported = async (session: string) => (await call('GET', `/admin/v1/evidence/sessions/${session}/export`)).text;
  const verified = async (session: string) =>
    (await call('GET', `/admin/v1/evidence/sessions/${session}/verify`)).body as unknown;

  test('[evidence.keys.rotate] old manifests and checkpoints stay valid, and pinned keys link to each other', async () => {
    await acted('before');
    const before = await exported('before');
    const first = JSON.parse(before).public_key;

    const { from, to } = await rotateSigningKey(gateway.folder, clock);
    await gateway.reopen();
    expect((await stat(join(gateway.folder, 'signing-key.pem'))).mode & 0o777).toBe(0o600);
    expect(await gateway.ports().checkpoints.damage()).toBeUndefined();
    await acted('after');
    await acted('before');

    for (const session of ['before', 'after']) {
      expect(await verified(session)).toMatchObject({ valid: true, not_checked: [], checkpoint: { key_id: to } });
    }
    const after = await exported('after');
    const second = JSON.parse(after).public_key;
    expect(second).not.toBe(first);
    for (const bundle of [before, after]) {
      for (const pinned of bundle === before ? [first] : [first, second]) {
        expect(await verifyBundle(bundle, pinned)).toMatchObject({ valid: true, not_checked: [] });
      }
    }
    // Exported before the rotation, the bundle does not contain the later key.
    expect(await verifyBundle(before, second)).toMatchObject({ valid: false });
    const { successions, ...unlinked } = JSON.parse(after);
    expect(successions).toHaveLength(1);
    expect(await verifyBundle(unlinked, first)).toMatchObject({ valid: false });

    const { body } = await call('GET', '/admin/v1/evidence/keys');
    expect(body).toMatchObject({
      keys: [{ key_id: to }, { key_id: from }],
      successions: [{ previous: { key_id: from } }],
    });
    expect(await readFile(join(gateway.folder, 'signing-keys.json'), 'utf8')).not.toContain('PRIVATE');
  });

  test('[evidence.keys.rotate] a stored manifest is exported with the key that signed it', async () => {
    await acted('kept');
    const before = JSON.parse(await exported('kept'));
    await rotateSigningKey(gateway.folder, clock);
    await gateway.reopen();
    const after = JSON.parse(await exported('kept'));
    expect([after.manifest, after.public_key]).toEqual([before.manifest, before.public_key]);
    const pinned = await gateway.ports().signer.publicKey();
    expect(await verifyBundle(after, pinned)).toMatchObject({ valid: true, not_checked: [] });
  });

  describe('[evidence.keys.rotate] a succession statement links keys', () => {
    let chain: { signers: Signer[]; pems: string[]; successions: object[] };
    beforeAll(async () => {
      const signers = await Promise.all([1, 2, 3, 4].map(async () => stateSigner(await otherFolder())));
      const pems = await Promise.all(signers.map((signer) => signer.publicKey()));
      const [a, b, c] = signers;
      const at = '2026-01-01T00:00:00.000Z';
      chain = { signers, pems, successions: [await signSuccession(b!, c!, at), await signSuccession(a!, b!, at)] };
    });

    test('across several rotations, starting from either the oldest or the newest key', () => {
      const { pems, successions } = chain;
      expect([...linkedKeys(pems[0]!, successions)].sort()).toEqual(pems.slice(0, 3).sort());
      expect([...linkedKeys(pems[2]!, successions)].sort()).toEqual(pems.slice(0, 3).sort());
      expect(linkedKeys(pems[3]!, successions)).toEqual([pems[3]]);
    });

    test('only if it is signed by both keys and covers exactly these keys', async () => {
      const { signers, pems } = chain;
      const [own, , , stranger] = signers;
      const good = await signSuccession(own!, stranger!, '2026-01-01T00:00:00.000Z');
      const { signatures } = good;
      const bad: unknown[] = [
        { ...good, signatures: { ...signatures, previous: signatures.next } },
        { ...good, signatures: { ...signatures, next: signatures.previous } },
        { ...good, created_at: '2026-01-01T00:00:00.001Z' },
        { ...good, next: { ...good.next, public_key: pems[1] } },
        { ...good, extra: true },
        null,
        'x',
      ];
      expect(linkedKeys(pems[0]!, bad)).toEqual([pems[0]]);
      expect(linkedKeys(pems[0]!, [good])).toEqual([pems[0], pems[3]]);
    });
  });

  describe('[evidence.keys.rotate] a store', () => {
    const register = async (folder: string, adopt = false) => {
      return registerSigningKey({ store: gateway.store.store, signer: await stateSigner(folder), adopt });
    };

    test('accepts its own key again and a successor, but neither a predecessor nor an unrelated key', async () => {
      const [stranger, copy] = [await otherFolder(), await otherFolder()];
      expect(await register(gateway.folder)).toBeUndefined();
      await expect(register(stranger)).rejects.toThrow(
        /^The store belongs to a gateway that signs with key [0-9a-f]{16}; this one signs with/,
      );

      const { from } = await rotateSigningKey(gateway.folder, clock);
      expect(await register(gateway.folder)).toBe(from);
      expect(await register(gateway.folder)).toBeUndefined();
      const { keys: known } = await signingKeysOf(await stateSigner(gateway.folder));
      expect(known).toHaveLength(2);
      await expect(register(copy)).rejects.toThrow('no statement links the two keys');
    });

    test('switches to an unrelated key on request', async () => {
      const lost = (await signingKeysOf(await stateSigner(gateway.folder))).keys[0]?.key_id;
      const stranger = await otherFolder();
      expect(await register(stranger, true)).toBe(lost);
      await expect(register(gateway.folder)).rejects.toThrow('The store belongs to');
    });

    test('only one of two keys registered at the same time is accepted', async () => {
      const store = testStore();
      const signers = await Promise.all([stateSigner(await otherFolder()), stateSigner(await otherFolder())]);
      const outcomes = await Promise.allSettled(signers.map((signer) => registerSigningKey({ store, signer })));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });
  });
});

/** `node bin/local.ts` and its signing key: a store that belongs to another gateway, and a rotation. */
describe("a store's signing key", () => {
  const root = resolve(__dirname, '../..');
  const folder = mkdtempSync(join(tmpdir(), 'gateway-signing-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number; out: string; err: string }>((done) => {
      const options = { cwd: root, env: { ...process.env, ...env }, timeout: 150_000 };
      execFile(join(root, 'node_modules/.bin/node'), ['bin/local.ts', ...args], options, (error, out, err) =>
        done({ code: error ? Number(error.code ?? -1) : 0, out, err }),
      );
    });

  test('[evidence.keys.rotate] refuses a store that belongs to a gateway with a different signing key', async () => {
    const dynamo = await startDynamo();
    const client = dynamo.client();
    const table = (await dynamo.createTables('gateway-')).config;
    await registerSigningKey({ ...over(client, { config: table }), signer: await stateSigner(join(folder, 'first')) });
    const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0'];
    const refused = await run(['--state', join(folder, 'second'), ...ports], { DYNAMODB_ENDPOINT: dynamo.endpoint });
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The store belongs to a gateway that signs with key/),
    });
    const { Count } = await client.send(new ScanCommand({ TableName: table }));
    expect(Count).toBe(1); // only the registered key: no key was imported
    await dynamo.stop();
  });

  test('[shared.gateways] a gateway with a shared store does not create its own key when it listens on an address that others can reach', async () => {
    const state = join(folder, 'pod');
    const env = {
      DYNAMODB_ENDPOINT: 'http://127.0.0.1:9',
      GATEWAY_ADMIN_TOKEN: 'a-token-for-this-test-only',
      GATEWAY_KEYS: '',
    };
    expect(await run(['--state', state, '--host', '0.0.0.0'], env)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/has no signing-key\.pem\..*--make-keys DIR.*--keys/),
    });
    expect(existsSync(join(state, 'signing-key.pem'))).toBe(false);
  });

  test('[evidence.keys.rotate] --rotate-signing-key does not wait: it refuses a folder that is in use', async () => {
    const state = join(folder, 'rotated');
    const before = (await stateSigner(state)).keyId;
    const lock = lockState(state);
    await expect(runMain(state, '--rotate-signing-key')).rejects.toThrow(/in use/);
    lock.release();
    expect((await stateSigner(state)).keyId).toBe(before);
    expect(await runMain(state, '--rotate-signing-key')).toMatch(
      new RegExp(`^After the next start, key [0-9a-f]{16} signs evidence; signatures of ${before} stay valid`),
    );
    expect(readFileSync(join(state, 'signing-keys.json'), 'utf8')).toContain(before);
  });
});
