/** The same story through `agentctl`, and what a stranger with an export and a public key can find out. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '#package' with { type: 'json' };
import type { EvidenceEntry, SessionBundle } from '../../core/contracts/evidence.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { agentctl, exportOf, type Fields, workFolder } from './client.ts';

const { version } = packageJson;
let gateway: Gateway;
const folder = workFolder();
const session = 'cli-story';

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

/** As a user beside the running gateway: the state folder tells the address and the keys. */
const ctl = (...args: string[]) => agentctl(args, { GATEWAY_STATE: dirname(gateway.ready.keys_file) });
const json = <T = Fields>(out: string): T => JSON.parse(out) as T;

const pullRequest = [
  ...[
    'test-action',
    '--protocol',
    'git',
    '--tool',
    'scm.create_pull_request',
    '--target',
    'acme/web',
    '--capability',
    'write',
  ],
  ...['--params', '{"title":"Fix login","head":"fix/login","base":"main"}', '--session', session],
];

test('[cli.version] [version.one] --version and -v print the version of package.json', async () => {
  const [long, short] = await Promise.all([ctl('--version'), ctl('-v')]);
  expect([long.out.trim(), short.out.trim(), long.code]).toEqual([version, version, 0]);
});

test('[cli.hook] [cli.hook-outcome] a hook decides a call of a coding agent, and its outcome joins the evidence', async () => {
  const event = (hook_event_name: string, more: object = {}) =>
    JSON.stringify({
      ...{ hook_event_name, session_id: 'hooked', cwd: folder, tool_use_id: 'toolu_1', tool_name: 'Bash' },
      ...{ tool_input: { command: 'git status' }, ...more },
    });
  const hook = (stdin: string) =>
    agentctl(['hook', 'claude-code'], { GATEWAY_STATE: dirname(gateway.ready.keys_file) }, folder, stdin);
  const before = await hook(event('PreToolUse'));
  expect(json(before.out)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } });
  const after = event('PostToolUse', { tool_response: { stdout: 'clean', exit_code: 0 } });
  expect(await hook(after)).toEqual({ code: 0, out: '', err: '' });
  expect(json((await hook(after)).out)).toEqual({ systemMessage: expect.stringContaining('recorded already') });
  const { entries } = await exportOf(gateway.ready.admin_url, gateway.keys.human, 'hooked');
  expect(entries.map(({ kind, envelope_id }) => [kind, envelope_id])).toEqual([
    ['allow', entries[0]!.envelope_id],
    ['result', entries[0]!.envelope_id],
  ]);
  expect(entries[1]!.body).toMatchObject({ outcome: 'executed', exit_code: 0, reported_by: 'caller' });
  expect(JSON.stringify(entries)).not.toContain('clean');
  expect((await ctl('evidence', 'verify', '--session', 'hooked')).code).toBe(0);
});

test('[cli.test-action] [cli.finds-keys] [cli.exit-codes] an allowed action exits 0, a blocked one 1', async () => {
  const read = await ctl(
    'test-action',
    '--protocol',
    'git',
    '--tool',
    'scm.get_file_contents',
    '--target',
    'acme/web',
    '--capability',
    'read',
    '--session',
    session,
  );
  expect(read.out).toMatch(/allow/);
  expect(read.out).toMatch(/git:scm\.get_\*/);
  expect(read.code).toBe(0);
  const removed = await ctl(
    'test-action',
    '--protocol',
    'shell',
    '--tool',
    'shell.rm',
    '--target',
    'build',
    '--capability',
    'execute',
    '--session',
    session,
    '--json',
  );
  expect(json(removed.out)).toMatchObject({ decision: 'block', error: { code: -32001 } });
  expect(removed.code).toBe(1);
});

test('[cli.test-action] [action.dry-run] --dry-run records nothing', async () => {
  const dry = await ctl(...pullRequest.slice(0, -1), 'cli-dry', '--dry-run', '--json');
  expect(json(dry.out)).toMatchObject({ decision: 'review', dry_run: true });
  const pending = await ctl('pending', '--json');
  expect(pending.out).not.toContain('cli-dry');
});

let id: string;
let other: string;

test('[cli.pending] [cli.vote] a review is listed, approved with the human key, and runs on retry', async () => {
  const asked = await ctl(...pullRequest, '--json');
  expect(asked.code).toBe(1);
  id = String(json(asked.out).envelope_id);
  const [text, listed] = await Promise.all([ctl('pending'), ctl('pending', '--json')]);
  expect(text.out).toContain(id);
  expect(json<{ pending: Fields[] }>(listed.out).pending.map((item) => item.envelope_id)).toContain(id);
  const approved = await ctl('approve', id, '--reviewer', 'alice', '--comment', 'ok');
  expect(approved.out).toMatch(/[0-9a-f]{64}/);
  expect(approved.code).toBe(0);
  const retried = await ctl(...pullRequest, '--approval-ref', id, '--json');
  expect(json(retried.out)).toMatchObject({
    decision: 'allow',
    matched_rule: `approved:${id}`,
    credential: { type: 'scm_app_jwt', scope: 'pull_requests:write,contents:read', expires_in: 600 },
  });
  expect(retried.code).toBe(0);
  const again = await ctl('approve', id, '--reviewer', 'alice');
  expect(again.code).toBe(1);
  expect(again.err + again.out).toMatch(/already/);
});

test('[cli.vote] deny takes reviewer and comment', async () => {
  const asked = await ctl(...pullRequest.slice(0, -1), 'cli-denied', '--json');
  other = String(json(asked.out).envelope_id);
  const denied = await ctl('deny', other, '--reviewer', 'alice', '--comment', 'no', '--json');
  expect(json(denied.out)).toMatchObject({ status: 'denied', comment: 'no' });
});

test('[cli.exit-codes] wrong usage exits 2, an unreachable gateway 3', async () => {
  const [usage, unknown, nowhere] = await Promise.all([
    ctl('test-action', '--no-such-flag'),
    ctl('no-such-command'),
    agentctl(['status', '--url', 'http://127.0.0.1:9', '--key', 'x']),
  ]);
  expect([usage.code, unknown.code, nowhere.code]).toEqual([2, 2, 3]);
  expect(nowhere.err).toMatch(/127\.0\.0\.1:9/);
  expect(nowhere.err).not.toMatch(/\n\s+at /);
});

test('[cli.policy-tools] simulate, why and diff-policy explain', async () => {
  const [simulated, why, diff] = await Promise.all([
    ctl(
      'simulate',
      '--protocol',
      'git',
      '--tool',
      'scm.delete_repo',
      '--target',
      'acme/web',
      '--capability',
      'delete',
      '--json',
    ),
    ctl('why', id),
    ctl('diff-policy', '1', '1', '--json'),
  ]);
  expect(simulated.out).toMatch(/"block"/);
  expect(why.out).toMatch(/git:scm\.create_pull_request/);
  expect(diff.out).toMatch(/tightened/);
  expect(diff.out).toMatch(/loosened/);
});

test('[cli.policy-versions] history, current and rollback', async () => {
  const [history, current] = await Promise.all([
    ctl('policy', 'history', '--json'),
    ctl('policy', 'current', '--json'),
  ]);
  expect(history.out).toMatch(/"version": ?1\b/);
  expect(json(current.out)).toMatchObject({ version: 1 });
  const rolled = await ctl('policy', 'rollback', '1', '--json');
  expect(json(rolled.out)).toMatchObject({ version: 2, of_version: 1 });
});

test('[cli.status] status shows the state of the gateway', async () => {
  const [text, listed] = await Promise.all([ctl('status'), ctl('status', '--json')]);
  expect(text.out).toMatch(/pr-writer/);
  expect(json(listed.out)).toMatchObject({ version, pending_approvals: expect.any(Number) });
});

describe('evidence', () => {
  const bundleFile = join(folder, 'bundle.json');
  const keyFile = join(folder, 'key.pem');

  test('[cli.evidence.verify] verify prints per-entry lines, then valid, total_entries, session_manifest_hash', async () => {
    const { out, code } = await ctl('evidence', 'verify', '--session', session);
    const lines = out.trim().split('\n');
    expect(lines.filter((line) => /\b(allow|block|review|approve|result)\b/.test(line)).length).toBeGreaterThanOrEqual(
      6,
    );
    expect(out).toMatch(/valid: true[\s\S]*total_entries: \d+[\s\S]*session_manifest_hash: [0-9a-f]{64}/);
    expect(code).toBe(0);
  });

  test('[cli.evidence.export] export writes the bundle', async () => {
    const { code } = await ctl('evidence', 'export', '--session', session, '--out', bundleFile);
    expect(code).toBe(0);
    const bundle = json<SessionBundle>(readFileSync(bundleFile, 'utf8'));
    expect(bundle.entries.length).toBeGreaterThanOrEqual(6);
    writeFileSync(keyFile, bundle.public_key);
  });

  test('[cli.evidence.report] report renders Markdown, and HTML with --html', async () => {
    const [markdown, html] = await Promise.all([
      ctl('evidence', 'report', '--session', session),
      ctl('evidence', 'report', '--session', session, '--html'),
    ]);
    expect(markdown.out).toMatch(/^# /);
    expect(html.out).toMatch(/<html/);
  });

  test('[cli.verify] verify checks every chain of the tenant', async () => {
    const { out, code } = await ctl('verify');
    expect(out).toMatch(/valid: true/);
    expect(code).toBe(0);
  });

  describe('offline, the server stopped', () => {
    let bundle: SessionBundle;
    let stranger: EvidenceEntry;

    beforeAll(async () => {
      bundle = json<SessionBundle>(readFileSync(bundleFile, 'utf8'));
      stranger = (await exportOf(gateway.ready.admin_url, gateway.keys.human, 'cli-denied')).entries[1]!;
      await gateway.stop();
    });

    const verifyFile = (file: string, ...more: string[]) => agentctl(['evidence', 'verify', '--file', file, ...more]);

    test('[evidence.verify.offline] the bundle verifies with the public key alone', async () => {
      const { out, code } = await verifyFile(bundleFile, '--public-key', keyFile);
      expect(out).toMatch(/valid: true/);
      expect(code).toBe(0);
    });

    test('[evidence.verify.origin] without a trusted key the origin is not checked, and it exits 1', async () => {
      const { out, err, code } = await verifyFile(bundleFile);
      expect(out + err).toMatch(/origin not checked/);
      expect(code).toBe(1);
    });

    const listed = (change: (list: EvidenceEntry[]) => EvidenceEntry[]) => (whole: SessionBundle) =>
      JSON.stringify({ ...whole, entries: change([...whole.entries]) });
    const swapped = ([a, b, c, ...rest]: EvidenceEntry[]) => [a!, c!, b!, ...rest];

    test.each<[string, (whole: SessionBundle) => string, (whole: SessionBundle) => number]>([
      [
        '[evidence.edit.detected] one flipped byte',
        (whole) => JSON.stringify(whole).replace('shell.rm', 'shell.rn'),
        ({ entries }) => entries.findIndex(({ kind }) => kind === 'block'),
      ],
      [
        '[evidence.truncation.detected] a dropped tail',
        listed((list) => list.slice(0, -1)),
        ({ entries }) => entries.length - 1,
      ],
      ['[evidence.truncation.detected] a dropped head', listed((list) => list.slice(1)), () => 0],
      ['[evidence.order.detected] a swapped pair', listed(swapped), () => 1],
      ['[evidence.order.detected] a removed entry', listed((list) => list.toSpliced(2, 1)), () => 2],
      ['[evidence.order.detected] a doubled entry', listed((list) => list.toSpliced(2, 0, list[2]!)), () => 3],
      [
        '[evidence.foreign.detected] an entry of another session',
        (whole) => listed((list) => list.with(2, stranger))(whole),
        () => 2,
      ],
      [
        '[evidence.foreign.detected] a forged result at the end',
        (whole) => listed((list) => [...list, { ...list.at(-1)!, index: list.length }])(whole),
        ({ entries }) => entries.length,
      ],
      ['[evidence.empty.detected] an emptied list', listed(() => []), () => 0],
      ['[evidence.empty.detected] an emptied file', () => '', () => 0],
    ])('[evidence.broken-link] %s is found at its index', async (name, tampered, index) => {
      const file = join(folder, `${name.replace(/\W+/g, '-')}.json`);
      writeFileSync(file, tampered(bundle));
      const { out, code } = await verifyFile(file, '--public-key', keyFile, '--json');
      expect(json(out)).toMatchObject({ valid: false, broken_link: { index: index(bundle) } });
      expect(code).toBe(1);
    });
  });
});
