/** The key of the transparency log is rotated and the old one retired, as the how-to says; the command line is given one key or several. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { agentctl, type Fields, until, workFolder } from './client.ts';

const folder = workFolder();
const state = join(folder, 'state');
const auditor = join(folder, 'auditor');
const root = resolve(__dirname, '../..');
let gateway: Gateway;

const ctl = (...args: string[]) => agentctl(args, { GATEWAY_STATE: dirname(gateway.ready.keys_file) });
const witness = (...keys: string[]) => ctl('witness', '--name', 'auditor', '--folder', auditor, '--log-key', ...keys);
const fileOf = (session: string) => join(folder, `${session}.json`);
const pem = join(folder, 'gateway.pem');
const verify = (session: string, ...keys: string[]) =>
  agentctl(['evidence', 'verify', '--file', fileOf(session), '--public-key', pem, '--log-key', ...keys]);

/** An action of a session, and its bundle once the session is in the log. */
async function recorded(session: string): Promise<void> {
  const what = ['--protocol', 'git', '--tool', 'scm.get_file_contents', '--target', 'acme/web', '--capability', 'read'];
  await ctl('test-action', ...what, '--session', session);
  await until('the session in the log', async () => {
    await ctl('evidence', 'export', '--session', session, '--out', fileOf(session));
    const bundle = JSON.parse(readFileSync(fileOf(session), 'utf8')) as Fields;
    return bundle.log_proof === undefined ? undefined : bundle;
  });
}

async function logKey(): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.keys.admin_token}` };
  const reply = await fetch(`${gateway.ready.admin_url}/admin/v1/evidence/log/checkpoint`, { headers });
  return String(((await reply.json()) as Fields).log_key);
}

/** Stops, changes the key in the state folder as `npm start -- <option>` does, and starts again. */
async function changeKey(option: string): Promise<void> {
  await gateway.stop();
  execFileSync(join(root, 'node_modules/.bin/node'), ['bin/local.ts', '--state', state, option], { cwd: root });
  gateway = await startGateway({ state });
}

afterAll(() => gateway?.stop());

test('[transparency.key-rotation] several --log-key verify bundles from before, during and after a rotation, and let a witness go on', async () => {
  gateway = await startGateway({ state });
  await recorded('before');
  await ctl('evidence', 'public-key', '--session', 'before', '--out', pem);
  const first = await logKey();
  expect(await witness(first)).toMatchObject({ code: 0 });

  await changeKey('--rotate-log-key');
  await recorded('during');
  const second = await logKey();
  expect(second).not.toBe(first);
  expect(second.split('+')[0]).toBe(first.split('+')[0]);
  expect(await witness(second, first)).toMatchObject({ code: 0, out: expect.stringMatching(/^cosigned: /) });

  await changeKey('--retire-log-key');
  await recorded('after');
  expect(await logKey()).toBe(second);
  expect(await witness(second)).toMatchObject({ code: 0 });
  expect(await witness(first)).toMatchObject({ code: 1 });

  const codes = async (session: string, ...keys: string[]) => (await verify(session, ...keys)).code;
  // Both keys signed during the overlap; before and after only one did.
  expect(await Promise.all(['before', 'during', 'after'].map((session) => codes(session, first)))).toEqual([0, 0, 1]);
  expect(await Promise.all(['before', 'during', 'after'].map((session) => codes(session, second)))).toEqual([1, 0, 0]);
  expect(await Promise.all(['before', 'during', 'after'].map((session) => codes(session, second, first)))).toEqual([
    0, 0, 0,
  ]);
});
