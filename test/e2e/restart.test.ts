/** kill -9 at any point and restart: no acknowledged data is lost, and no call runs twice. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { verifyBundle } from '../../core/evidence/verify.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  act,
  ask,
  decided,
  e2eConfiguration,
  exportOf,
  type Fields,
  kindsOf,
  pullRequest,
  until,
  vote,
} from './client.ts';

let gateway: Gateway;
const url = () => gateway.ready.admin_url;

beforeAll(async () => {
  gateway = await startGateway({ config: e2eConfiguration });
});
afterAll(() => gateway?.stop());

const key = 'e2e-agent';

const quick = (name: string) => ({
  protocol: 'http',
  tool: `quick.${name}`,
  target: 'https://a.example/b',
  capability: 'write',
  actor: { session: `kill-${name}` },
});
const isValid = async (session: string) => {
  const bundle = await exportOf(url(), 'e2e-bob', session);
  expect(await verifyBundle(bundle, bundle.public_key)).toMatchObject({ valid: true, not_checked: [] });
};
const approvedCall = () => ({ ...pullRequest('kill-approved'), approval_ref: before.approved });
const timedOut = (session: string) =>
  until('the time-out', async () => {
    const { entries } = await exportOf(url(), 'e2e-bob', session);
    return entries.length > 1 ? entries : undefined;
  });

let before: {
  readonly keys: Gateway['keys'];
  readonly pending: string;
  readonly entries: readonly unknown[];
  readonly approved: string;
  readonly acknowledged: readonly string[];
};

/**
 * Creates a pending request, an approved request, one that expires in the meantime, a rollback, and calls during which
 * the gateway is killed.
 */
beforeAll(async () => {
  const admin = gateway.keys.admin_token;
  const stored = await ask<{ version: number }>(url(), 'PUT', '/admin/v1/config', {
    key: admin,
    raw: 'version: 1\nadmin: { token_env: GATEWAY_ADMIN_TOKEN }\npeople: [{ id: zoe, role: operator }]\ntenants:\n  - { id: default, api_keys: [{ key: e2e-only, role: operator, kind: human, person: zoe }] }\ntool_policies: { pack: readonly }\n',
    headers: { 'content-type': 'application/yaml' },
  });
  expect([stored.status, stored.body.version]).toEqual([201, 2]);
  const rolled = await ask<Fields>(url(), 'POST', '/admin/v1/policy-versions/1/rollback', { key: admin, body: {} });
  expect(rolled.body).toMatchObject({ version: 3, of_version: 1, source: 'rollback' });

  const pending = (await decided(url(), key, pullRequest('kill-pending'))).envelope_id;
  const { entries } = await exportOf(url(), 'e2e-bob', 'kill-pending');
  const approved = (await decided(url(), key, pullRequest('kill-approved'))).envelope_id;
  expect((await vote(url(), 'e2e-alice', 'approve', approved)).status).toBe(200);
  const expiring = await decided(url(), key, quick('expired'));

  const acknowledged: string[] = [];
  const read = { protocol: 'git', tool: 'scm.get_file', capability: 'read', actor: { session: 'kill-load' } };
  let running = true;
  const worker = async (name: number) => {
    for (let i = 0; running; i++) {
      try {
        const { status, body } = await act(url(), key, { ...read, target: `acme/${name}/${i}` });
        if (status === 200 && body.evidence_hash) acknowledged.push(body.evidence_hash);
      } catch {
        return; // the connection is broken, so the gateway is dead
      }
    }
  };
  const workers = [1, 2, 3, 4].map(worker);
  await until('some work', async () => (acknowledged.length >= 20 ? true : undefined));
  before = { keys: { ...gateway.keys }, pending, entries, approved, acknowledged };
  await gateway.kill9();
  running = false;
  await Promise.all(workers);
  const expired = Date.parse(String(expiring.error?.data.expires_at));
  await until('the expiry', async () => (Date.now() > expired ? true : undefined));
  await gateway.restart();
});

test('[evidence.concurrent-writers] after a kill in the middle of work, every acknowledged entry exists and the chain is intact', async () => {
  const stored = new Set((await exportOf(url(), 'e2e-bob', 'kill-load')).entries.map(({ hash }) => hash));
  expect(before.acknowledged.filter((hash) => !stored.has(hash))).toEqual([]);
  await isValid('kill-load');
});

test('[approval.lease] [evidence.concurrent-writers] pending requests, evidence and keys still exist after kill -9', async () => {
  expect(gateway.keys).toEqual(before.keys);
  const { body } = await ask<{ pending: Fields[] }>(url(), 'GET', '/admin/v1/approvals', { key: 'e2e-bob' });
  expect(body.pending.map((item) => item.envelope_id)).toContain(before.pending);
  expect((await exportOf(url(), 'e2e-bob', 'kill-pending')).entries).toEqual(before.entries);
  // The approval is given after the crash, and can be used.
  expect((await vote(url(), 'e2e-alice', 'approve', before.pending)).status).toBe(200);
  const call = { ...pullRequest('kill-pending'), approval_ref: before.pending };
  expect(await decided(url(), key, call)).toMatchObject({
    decision: 'allow',
    matched_rule: `approved:${before.pending}`,
  });
  await isValid('kill-pending');
});

test('[approval.timeout] requests that expired while the gateway was down are denied at startup', async () => {
  const [, denial] = await timedOut('kill-expired');
  expect(denial).toMatchObject({ kind: 'deny', body: { reviewer: 'system', reason: 'timeout' } });
});

test('[policy-version.rollback] a rollback survives a restart if the file has not changed', async () => {
  const current = await ask(url(), 'GET', '/admin/v1/policy-versions/current', { key: 'e2e-viewer' });
  expect(current.body).toMatchObject({ version: 3, policy: 'pr-writer' });
});

test('[approval.lease] an approval granted just before the crash can be used once after it', async () => {
  expect((await decided(url(), key, approvedCall())).decision).toBe('allow');
});

describe('killed once more', () => {
  beforeAll(async () => {
    await decided(url(), key, quick('clock'));
    await gateway.kill9();
    await gateway.restart();
  });

  test('[approval.lease] [approval.used-once] a used approval stays used', async () => {
    const again = await decided(url(), key, approvedCall());
    expect(again).toMatchObject({ decision: 'review', error: { data: { reason: 'already_used' } } });
    const kinds = await kindsOf(url(), 'e2e-bob', 'kill-approved');
    expect(kinds).toEqual(['review', 'approve', 'allow', 'result', 'review']);
    await isValid('kill-approved');
  });

  test('[approval.machine] a request whose timer started before the crash still times out afterwards', async () => {
    expect((await timedOut('kill-clock')).map(({ kind }) => kind)).toEqual(['review', 'deny']);
  });
});

test('[local.drain] SIGTERM drains and exits 0', async () => {
  expect(await gateway.stop()).toBe(0);
});

(process.platform === 'win32' ? test.skip : test)(
  "[local.drain] a signal to npm stops the gateway, although npm's shell does not forward it",
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'gateway-state-'));
    const ports = ['gateway', 'admin', 'mcp', 'edge'].map((name) => `--${name}-port 0`).join(' ');
    const shell = spawn('/bin/sh', ['-c', `"${process.execPath}" bin/local.ts --state "${state}" ${ports}; true`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    });
    // The gateway has the other end of the pipe, which closes when both have exited.
    for await (const line of createInterface({ input: shell.stdout })) {
      if (line.startsWith('{"event":"ready"')) shell.kill('SIGTERM');
    }
    expect(readdirSync(state)).toContain('keys.json');
    const again = await startGateway({ state }); // the folder is unlocked
    expect(await again.stop()).toBe(0);
    rmSync(state, { recursive: true, force: true });
  },
);
