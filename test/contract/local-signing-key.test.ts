/** `node bin/local.ts` and its signing key: a store of another gateway, and a rotation. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { registerSigningKey } from '#adapters/local/registered-key.ts';
import { stateSigner } from '#adapters/local/signing-keys.ts';
import { lockState } from '#adapters/local/state-lock.ts';
import { over, startDynamo } from '../support/dynamo.ts';

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

test('[evidence.keys.rotate] refuses a store that belongs to a gateway with another signing key', async () => {
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
  expect(Count).toBe(1); // the registered key: nothing was imported
  await dynamo.stop();
});

test('[shared.gateways] on an address that others can reach, a gateway of a shared store makes no key of its own', async () => {
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

test('[evidence.keys.rotate] --rotate-signing-key does not wait: a folder in use is refused', async () => {
  const state = join(folder, 'rotated');
  const before = (await stateSigner(state)).keyId;
  const lock = lockState(state);
  expect(await run(['--state', state, '--rotate-signing-key'])).toMatchObject({ code: 1 });
  lock.release();
  expect((await stateSigner(state)).keyId).toBe(before);
  expect(await run(['--state', state, '--rotate-signing-key'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      new RegExp(`^Evidence is signed with key [0-9a-f]{16} .*what ${before} signed stays valid`),
    ),
  });
  expect(readFileSync(join(state, 'signing-keys.json'), 'utf8')).toContain(before);
});

test('[transparency.log] --rotate-log-key and --retire-log-key change the keys of a folder that no gateway uses', async () => {
  const state = join(folder, 'log');
  const lock = lockState(state);
  expect(await run(['--state', state, '--rotate-log-key'])).toMatchObject({ code: 1 });
  lock.release();
  expect(await run(['--state', state, '--rotate-log-key'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^Key [0-9a-f]{16} signs the transparency log from the next start on, and [0-9a-f]{16} beside it/,
    ),
  });
  expect(await run(['--state', state, '--retire-log-key'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('is removed and signs no more'),
  });
});
