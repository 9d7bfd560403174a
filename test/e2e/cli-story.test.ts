/** The whole workflow through `agentctl`, and verification by a third party with an export and a public key. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '#package' with { type: 'json' };
import type { EvidenceEntry, SessionBundle } from '../../core/contracts/evidence.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { agentctl, exportOf, type Fields, workFolder } from './client.ts';

let gateway: Gateway;
const folder = workFolder();
const session = 'cli-story';

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

/** Returns the address and keys from the state folder of the running gateway. */
const surroundings = () => ({ GATEWAY_STATE: dirname(gateway.ready.keys_file) });
const run = (args: readonly string[]) => agentctl([...args], surroundings());
const ctl = (line: string) => run(line.split(' '));
const json = <T = Fields>(out: string): T => JSON.parse(out) as T;
const pullRequest = (of: string) => [
  ...'test-action --protocol git --tool scm.create_pull_request --target acme/web --capability write'.split(' '),
  ...['--params', '{"title":"Fix login","head":"fix/login","base":"main"}', '--json', '--session', of],
];

test("[cli.hook] [cli.hook-outcome] a hook makes a decision on a coding agent's call, and the outcome is added to evidence", async () => {
  const event = (hook_event_name: string, more: object = {}) =>
    JSON.stringify({
      hook_event_name,
      session_id: 'hooked',
      cwd: folder,
      tool_use_id: 'toolu_1',
      tool_name: 'Bash',
      tool_input: { command: 'git status' },
      ...more,
    });
  const hook = (stdin: string) => agentctl(['hook', 'claude-code'], surroundings(), folder, stdin);
  const before = await hook(event('PreToolUse'));
  expect(json(before.out)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } });
  const after = event('PostToolUse', { tool_response: { stdout: 'clean', exit_code: 0 } });
  expect(await hook(after)).toEqual({ code: 0, out: '', err: '' });
  expect(json((await hook(after)).out)).toEqual({ systemMessage: expect.stringContaining('already recorded') });
  const { entries } = await exportOf(gateway.ready.admin_url, gateway.keys.human, 'hooked');
  const { envelope_id } = entries[0]!;
  expect(entries).toMatchObject([
    { kind: 'allow', envelope_id },
    { kind: 'result', envelope_id, body: { outcome: 'executed', exit_code: 0, reported_by: 'caller' } },
  ]);
  expect(JSON.stringify(entries)).not.toContain('clean');
  expect((await ctl('evidence verify --session hooked')).code).toBe(0);
});

test('[cli.vote] [cli.own-folder] [cli.typo] an allowed action exits 0, a blocked one exits 1', async () => {
  const read = 'test-action --protocol git --tool scm.get_file_contents --target acme/web --capability read --session';
  expect(await ctl(`${read} ${session}`)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/allow[\s\S]*git:scm\.get_\*/),
  });
  const remove = 'test-action --protocol shell --tool shell.rm --target build --capability execute --json --session';
  const removed = await ctl(`${remove} ${session}`);
  expect([removed.code, json(removed.out)]).toMatchObject([1, { decision: 'block', error: { code: -32001 } }]);
});

test('[cli.vote] [action.dry-run] --dry-run records nothing', async () => {
  const dry = await run([...pullRequest('cli-dry'), '--dry-run']);
  expect(json(dry.out)).toMatchObject({ decision: 'review', dry_run: true });
  expect((await ctl('pending --json')).out).not.toContain('cli-dry');
});

let id: string;

test('[cli.vote] a review is listed, approved with the human key, and runs on retry; another review is denied', async () => {
  const asked = await run(pullRequest(session));
  expect(asked.code).toBe(1);
  id = String(json(asked.out).envelope_id);
  expect((await ctl('pending')).out).toContain(id);
  const approved = await ctl(`approve ${id} --reviewer alice --comment ok`);
  expect(approved).toMatchObject({ code: 0, out: expect.stringMatching(/[0-9a-f]{64}/) });
  const retried = await run([...pullRequest(session), '--approval-ref', id]);
  expect(json(retried.out)).toMatchObject({
    decision: 'allow',
    matched_rule: `approved:${id}`,
    credential: { type: 'scm_app_jwt', scope: 'pull_requests:write,contents:read', expires_in: 600 },
  });
  expect(await ctl(`approve ${id} --reviewer alice`)).toMatchObject({ code: 1, err: expect.stringMatching(/already/) });
  const { envelope_id } = json((await run(pullRequest('cli-denied'))).out);
  const denied = await ctl(`deny ${envelope_id} --reviewer alice --comment no --json`);
  expect(json(denied.out)).toMatchObject({ status: 'denied', comment: 'no' });
});

test('[cli.policy-tools] [cli.status] simulate, why, diff-policy, history, rollback and status all respond', async () => {
  const call = 'simulate --protocol git --tool scm.delete_repo --target acme/web --capability delete --json';
  expect((await ctl(call)).out).toMatch(/"block"/);
  expect((await ctl(`why ${id}`)).out).toMatch(/git:scm\.create_pull_request/);
  expect(json((await ctl('diff-policy 1 1 --json')).out)).toMatchObject({ tightened: [], loosened: [] });
  expect(json((await ctl('policy history --json')).out)).toMatchObject({ versions: [{ version: 1 }] });
  expect(json((await ctl('policy rollback 1 --json')).out)).toMatchObject({ version: 2, of_version: 1 });
  expect(json((await ctl('status --json')).out)).toMatchObject({
    version: packageJson.version,
    pending_approvals: expect.any(Number),
  });
});

describe('evidence', () => {
  const bundleFile = join(folder, 'bundle.json');
  const keyFile = join(folder, 'key.pem');

  test('[cli.evidence.verify] a session can be verified, exported and reported, and all chains of the tenant can be verified', async () => {
    const { out, code } = await ctl(`evidence verify --session ${session}`);
    expect(code).toBe(0);
    expect(out.match(/^#\d.*\b(allow|block|review|approve|result)\b/gm)!.length).toBeGreaterThanOrEqual(6);
    expect(out).toMatch(/valid: true[\s\S]*total_entries: \d+[\s\S]*session_manifest_hash: [0-9a-f]{64}/);
    expect((await ctl(`evidence export --session ${session} --out ${bundleFile}`)).code).toBe(0);
    writeFileSync(keyFile, json<SessionBundle>(readFileSync(bundleFile, 'utf8')).public_key);
    expect((await ctl(`evidence report --session ${session}`)).out).toMatch(/^# /);
    expect((await ctl(`evidence report --session ${session} --html`)).out).toMatch(/<html/);
    expect(await ctl('verify')).toMatchObject({ code: 0, out: expect.stringMatching(/valid: true/) });
  });

  describe('offline, with the server stopped', () => {
    let bundle: SessionBundle;
    let stranger: EvidenceEntry;

    beforeAll(async () => {
      bundle = json<SessionBundle>(readFileSync(bundleFile, 'utf8'));
      stranger = (await exportOf(gateway.ready.admin_url, gateway.keys.human, 'cli-denied')).entries[1]!;
      await gateway.stop();
    });

    const verifyFile = (file: string) =>
      agentctl(['evidence', 'verify', '--file', file, '--public-key', keyFile, '--json']);

    test('[evidence.verify.offline] the bundle can be verified with only the public key', async () => {
      const { out, code } = await verifyFile(bundleFile);
      expect([code, json(out)]).toMatchObject([0, { valid: true }]);
    });

    const listed = (change: (list: EvidenceEntry[]) => EvidenceEntry[]) => (whole: SessionBundle) =>
      JSON.stringify({ ...whole, entries: change([...whole.entries]) });
    test.each<[string, (whole: SessionBundle) => string, (whole: SessionBundle) => number]>([
      [
        'one flipped byte',
        (whole) => JSON.stringify(whole).replace('shell.rm', 'shell.rn'),
        ({ entries }) => entries.findIndex(({ kind }) => kind === 'block'),
      ],
      ['a dropped tail', listed((list) => list.slice(0, -1)), ({ entries }) => entries.length - 1],
      ['an entry of another session', (whole) => listed((list) => list.with(2, stranger))(whole), () => 2],
    ])('[evidence.tampering] %s is detected at its index', async (name, tampered, index) => {
      const file = join(folder, `${name.replace(/\W+/g, '-')}.json`);
      writeFileSync(file, tampered(bundle));
      const { out, code } = await verifyFile(file);
      expect([code, json(out)]).toMatchObject([1, { valid: false, broken_link: { index: index(bundle) } }]);
    });
  });
});
