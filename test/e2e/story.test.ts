/**
 * The product's main workflow over HTTP, as a new user would try it: the shipped configuration and the generated keys.
 */
import packageJson from '#package' with { type: 'json' };
import { verifyBundle } from '../../core/evidence/verify.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type ApprovalRecord, act, ask, decided, exportOf, type Fields, kindsOf, pullRequest, vote } from './client.ts';

let gateway: Gateway;
let url: string;
let agent: string;
let human: string;

beforeAll(async () => {
  gateway = await startGateway();
  url = gateway.ready.admin_url;
  ({ agent, human } = gateway.keys);
});
afterAll(() => gateway?.stop());

test('[local.ready] [auth.generated-keys] the gateway is ready with URLs and keys of every kind', async () => {
  expect(gateway.ready).toMatchObject({
    event: 'ready',
    admin_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
  for (const key of [agent, human, gateway.keys.viewer, gateway.keys.admin_token]) expect(key).toMatch(/^\S{20,}$/);
  expect(new Set(Object.values(gateway.keys)).size).toBe(4);
});

test('[auth.health-open] [cli.version] /health needs no key and shows only status and version', async () => {
  const { status, body } = await ask(url, 'GET', '/health');
  expect([status, body]).toEqual([200, { status: 'ok', version: packageJson.version }]);
});

test('[action.normalised] [action.executed] reading a file is allowed and recorded in evidence', async () => {
  const read: Parameters<typeof decided>[2] = {
    protocol: 'git',
    tool: 'scm.get_file_contents',
    target: 'acme/web',
    capability: 'read',
    actor: { agent: 'builder', session: 'story-read' },
  };
  const first = await decided(url, agent, read);
  expect(first).toMatchObject({ decision: 'allow', matched_rule: 'git:scm.get_*', policy: 'pr-writer' });
  expect(first.evidence_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(first).not.toHaveProperty('result');
  expect((await decided(url, agent, read)).envelope_id).not.toBe(first.envelope_id);
  const { entries } = await exportOf(url, agent, 'story-read');
  expect(entries[0]).toMatchObject({ kind: 'allow', hash: first.evidence_hash, envelope_id: first.envelope_id });
});

test('[action.block] [error.shape] shell.rm is blocked with a reason and an alternative', async () => {
  const blocked = await decided(url, agent, {
    protocol: 'shell',
    tool: 'shell.rm',
    target: 'build',
    capability: 'execute',
    actor: { session: 'story-block' },
  });
  expect(blocked).toMatchObject({ decision: 'block', error: { code: -32001 } });
  expect(blocked.error?.data).toEqual({
    reason: expect.stringMatching(/\S/),
    suggested_alternative: expect.stringMatching(/\S/),
  });
  expect(await kindsOf(url, agent, 'story-block')).toEqual(['block']);
});

describe('a pull request', () => {
  const session = 'story-pr';
  let id: string;

  test('[action.review] [approval.url] is pending until a human votes', async () => {
    const asked = await decided(url, agent, { ...pullRequest(session), justification: 'closes #7' });
    expect(asked).toMatchObject({ decision: 'review', error: { code: -32002 } });
    id = asked.envelope_id;
    expect(asked.error?.data).toMatchObject({
      approval_url: `${url}/admin/v1/approvals/${id}`,
      queued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
    });
  });

  test('[approval.item] is in the pending list with everything a reviewer needs', async () => {
    const { body } = await ask<{ pending: Fields[] }>(url, 'GET', '/admin/v1/approvals', { key: human });
    expect(body.pending.find((item) => item.envelope_id === id)).toMatchObject({
      actor: { agent: 'builder', session },
      tool: 'scm.create_pull_request',
      target: 'acme/web',
      parameters: { title: 'Fix login', head: 'fix/login', base: 'main' },
      queued_at: expect.any(String),
      justification: 'closes #7',
    });
  });

  test('[approval.url] is still pending after its approval is read with GET', async () => {
    for (const _ of [1, 2]) {
      const { body } = await ask<ApprovalRecord>(url, 'GET', `/admin/v1/approvals/${id}`, { key: human });
      expect(body.status).toBe('pending');
    }
  });

  test('[approval.record] is approved by a human', async () => {
    const { status, body } = await vote(url, human, 'approve', id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ envelope_id: id, status: 'approved', reviewer: 'alice', comment: 'ok' });
    expect(body.approved_at).toMatch(/Z$/);
    const { entries } = await exportOf(url, agent, session);
    expect(entries.at(-1)).toMatchObject({
      kind: 'approve',
      envelope_id: id,
      hash: body.evidence_hash,
      body: { reviewer: 'alice', comment: 'ok', person: expect.stringMatching(/\S/) },
    });
  });

  test('[action.retry] [credential.minted] [credential.never-shown] [credential.never-shown] runs when retried, with a scoped credential', async () => {
    const { body: allowed, text } = await act(url, agent, { ...pullRequest(session), approval_ref: id });
    expect(allowed).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}` });
    expect(allowed.credential).toEqual({
      type: 'scm_app_jwt',
      scope: 'pull_requests:write,contents:read',
      expires_in: 600,
    });
    expect(text).not.toMatch(/eyJ[\w-]+\./);
    const bundle = await exportOf(url, agent, session);
    expect(JSON.stringify(bundle)).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });

  test('[evidence.chain] [action.decision-before-effect] [evidence.secrets-redacted] [evidence.secrets-redacted] records review, approve, allow and result in order', async () => {
    const { entries } = await exportOf(url, agent, session);
    expect(entries.map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
    expect(entries[3]?.body).toMatchObject({
      outcome: 'not_executed',
      credential: { type: 'scm_app_jwt', scope: 'pull_requests:write,contents:read' },
    });
  });

  test('[approval.used-once] requires another review when its approval is used a second time, and says why', async () => {
    const again = await decided(url, agent, { ...pullRequest(session), approval_ref: id });
    expect(again).toMatchObject({ decision: 'review', error: { data: { reason: 'already_used' } } });
    expect(again.envelope_id).not.toBe(id);
  });
});

test('[evidence.verify.live] [evidence.verify.offline] [evidence.manifest] [evidence.export] [evidence.manifest] [evidence.export] the chain verifies live, and its export verifies on its own', async () => {
  const live = await ask(url, 'GET', '/admin/v1/evidence/sessions/story-pr/verify', { key: human });
  expect(live.body).toMatchObject({
    valid: true,
    total_entries: expect.any(Number),
    session_manifest_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const bundle = await exportOf(url, human, 'story-pr');
  const verification = await verifyBundle(JSON.stringify(bundle), bundle.public_key);
  expect(verification).toMatchObject({ valid: true, total_entries: bundle.entries.length, not_checked: [] });
  expect(bundle.manifest.session_manifest_hash).toBe(verification.session_manifest_hash);
});

test('[evidence.report] [evidence.sessions] reports escape text supplied by agents', async () => {
  const hostile = '<img src=x onerror=alert(1)> [click](https://evil.example) | `x`';
  await decided(url, agent, { ...pullRequest('story-report', { title: hostile }), justification: hostile });
  const markdown = await ask(url, 'GET', '/admin/v1/evidence/sessions/story-report/report', { key: human });
  expect(markdown.headers.get('content-type')).toMatch(/^text\/markdown/);
  expect(markdown.text).toContain('story-report');
  expect(markdown.text.replace(/```[\s\S]*?```/g, '')).not.toMatch(/<img|\]\(https/);
  const html = await ask(url, 'GET', '/admin/v1/evidence/sessions/story-report/report.html', { key: human });
  expect(html.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
  expect(html.headers.get('x-content-type-options')).toBe('nosniff');
  expect(html.text).not.toContain('<img');
  const { body } = await ask<{ sessions: Fields[] }>(url, 'GET', '/admin/v1/evidence/sessions', { key: human });
  expect(body.sessions.map((session) => session.session_id)).toContain('story-report');
});

describe("the operator's views", () => {
  test('[admin.whoami] whoami', async () => {
    expect((await ask(url, 'GET', '/admin/v1/whoami', { key: agent })).body).toMatchObject({
      role: 'operator',
      kind: 'agent',
      tenant: 'default',
    });
    expect((await ask(url, 'GET', '/admin/v1/whoami', { key: human })).body).toMatchObject({
      role: 'operator',
      kind: 'human',
    });
  });

  test('[admin.metrics] metrics count decisions by outcome and protocol', async () => {
    const { text } = await ask(url, 'GET', '/metrics', { key: gateway.keys.viewer });
    expect(text).toMatch(/^svc_policy_decisions_total\{decision="allow",protocol="git"\} [1-9]/m);
    expect(text).toMatch(/^svc_policy_decisions_total\{decision="block",protocol="shell"\} [1-9]/m);
  });

  test('[evidence.sessions] the audit log filters by kind and session', async () => {
    const { body } = await ask<{ entries: Fields[] }>(url, 'GET', '/admin/v1/audit?session=story-pr&kind=approve', {
      key: human,
    });
    expect(body.entries.map(({ kind, session_id }) => [kind, session_id])).toEqual([['approve', 'story-pr']]);
  });

  test('[evidence.verify.live] all chains of the tenant can be verified', async () => {
    const { body } = await ask(url, 'GET', '/admin/v1/audit/verify', { key: gateway.keys.admin_token });
    expect(body).toMatchObject({ valid: true, sessions: expect.any(Number), total_entries: expect.any(Number) });
  });
});
