/**
 * A witness for a running gateway, and a third party who verifies a bundle with the public keys of the log and the
 * witness.
 */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noteSigner, verifierKey } from '../../../core/evidence/transparency/note.ts';
import { agentctl, configurationWith, type Fields, until, workFolder } from '../../../test/e2e/client.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';

const folder = workFolder();
const auditor = join(folder, 'auditor');
let gateway: Gateway;
let witnessKey: string;

const ctl = (...args: string[]) => agentctl(args, { GATEWAY_STATE: dirname(gateway.ready.keys_file) });
const witness = (...more: string[]) => ctl('witness', '--name', 'auditor', '--folder', auditor, ...more);
const act = (session: string) =>
  ctl(
    ...['test-action', '--protocol', 'git', '--tool', 'scm.get_file_contents', '--target', 'acme/web'],
    ...['--capability', 'read', '--session', session],
  );

/** Exports a session's bundle once the session is in the log. */
async function exported(session: string, file: string): Promise<Fields> {
  return until('the session in the log', async () => {
    await ctl('evidence', 'export', '--session', session, '--out', file);
    const bundle = JSON.parse(readFileSync(file, 'utf8')) as Fields;
    return bundle.log_proof === undefined ? undefined : bundle;
  });
}

beforeAll(async () => {
  const shown = await agentctl(['witness', '--name', 'auditor', '--folder', auditor, '--show-key']);
  witnessKey = shown.out.trim();
  const config = configurationWith((yaml) =>
    yaml.replace('evidence: { ', `evidence: { log: { witnesses: ["${witnessKey}"] }, `),
  );
  gateway = await startGateway({ config });
});
afterAll(() => gateway?.stop());

test('[transparency.witness] [transparency.bundle] [transparency.log] [evidence.report] [transparency.log] [evidence.report] a bundle names the witnesses of its session and verifies offline', async () => {
  expect(witnessKey).toMatch(/^auditor\+[0-9a-f]{8}\+/);
  await act('seen');
  const file = join(folder, 'seen.json');
  await exported('seen', file);
  const pem = join(folder, 'gateway.pem');
  await ctl('evidence', 'public-key', '--session', 'seen', '--out', pem);
  const logKey = await logKeyOf();

  const first = await witness('--log-key', logKey, '--publish');
  expect([first.code, first.out]).toEqual([
    0,
    expect.stringMatching(/^cosigned: \d+ leaves of agent-governance-gateway\//),
  ]);
  await exported('seen', file);
  const verify = (...more: string[]) => agentctl(['evidence', 'verify', '--file', file, '--public-key', pem, ...more]);
  const anchored = await verify('--log-key', logKey, '--witness-key', witnessKey, '--witness-state', auditor);
  expect([anchored.code, anchored.out]).toEqual([
    0,
    expect.stringMatching(/log: entries 0 to \d+ are leaf[\s\S]*witness: auditor saw/),
  ]);

  const stranger = await agentctl([
    'witness',
    '--name',
    'stranger',
    '--folder',
    join(folder, 'stranger'),
    '--show-key',
  ]);
  // [evidence.report] the gateway's reports agree.
  for (const format of [[], ['--html']]) {
    const report = await ctl('evidence', 'report', '--session', 'seen', ...format);
    expect(report.out).toMatch(/Transparency log[\s\S]*auditor cosigned \d+ leaves at/);
  }

  const former = formerOf(logKey);
  expect((await verify('--log-key', former)).code).toBe(1);
  expect((await verify('--log-key', former, logKey)).code).toBe(0);

  const unseen = await verify('--log-key', logKey, '--witness-key', stranger.out.trim());
  expect([unseen.code, unseen.out]).toEqual([1, expect.stringContaining('the witness stranger has not cosigned')]);

  const { log_proof: _, ...without } = JSON.parse(readFileSync(file, 'utf8')) as Fields;
  writeFileSync(file, JSON.stringify(without));
  expect(await verify()).toMatchObject({ code: 0, err: expect.stringContaining('no proof of a transparency log') });
  const needed = await verify('--log-key', logKey);
  expect([needed.code, needed.out]).toEqual([
    1,
    expect.stringContaining('carries no proof that the session is in the log'),
  ]);
});

test('[transparency.witness] [transparency.log] a witness continues from its last checkpoint and refuses a log with a different history', async () => {
  const logKey = await logKeyOf();
  await act('later');
  await exported('later', join(folder, 'later.json'));
  const former = formerOf(logKey);
  expect(await witness('--log-key', former)).toMatchObject({ code: 1 });
  expect(await witness('--log-key', former, logKey)).toMatchObject({ code: 0 });
  const path = join(auditor, 'state.json');
  const kept = readFileSync(path, 'utf8');
  const state = JSON.parse(kept) as Fields & { size: number };
  writeFileSync(path, JSON.stringify({ ...state, size: state.size + 1_000 }));
  const back = await witness('--log-key', logKey);
  expect([back.code, back.out]).toEqual([1, expect.stringMatching(/^refused: the log shrank/)]);
  expect(readFileSync(join(auditor, 'refused'), 'utf8')).toMatch(/^agent-governance-gateway\/[\s\S]*\n\n— /);
  writeFileSync(path, JSON.stringify({ ...state, root: Buffer.alloc(32).toString('base64') }));
  const forked = await witness('--log-key', logKey, '--json');
  expect([forked.code, JSON.parse(forked.out)]).toEqual([
    1,
    { cosigned: false, reason: expect.stringContaining('forked'), checkpoint: expect.any(String) },
  ]);
  writeFileSync(path, kept);
  expect(await witness('--log-key', logKey)).toMatchObject({ code: 0 });
  expect(await witness()).toMatchObject({ code: 2, err: expect.stringContaining('--log-key') });
});

/**
 * Returns a second key for the same log, since a log may have two keys, one of which made the signature
 * [transparency.log].
 */
const formerOf = (logKey: string) =>
  verifierKey(noteSigner(logKey.split('+')[0]!, generateKeyPairSync('ed25519').privateKey));

async function logKeyOf(): Promise<string> {
  const keys = JSON.parse(readFileSync(gateway.ready.keys_file, 'utf8')) as Fields;
  const headers = { authorization: `Bearer ${keys.admin_token}` };
  const reply = await fetch(`${gateway.ready.admin_url}/admin/v1/evidence/log/checkpoint`, { headers });
  return String(((await reply.json()) as Fields).log_key);
}
