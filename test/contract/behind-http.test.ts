/** Behaviour that HTTP responses do not show: spans, log lines, stored rows, missing secrets, and time. */
import type { LogTelemetry } from '#adapters/telemetry/telemetry.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

let count = 0;

const gateway = useGateway();
const { call } = gateway;

const read = { protocol: 'git', tool: 'scm.get_file', target: 'acme/web', capability: 'read' };
const pull = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };
const act = (action: object, key = keys.agent, over: { call?: typeof call; headers?: Record<string, string> } = {}) =>
  (over.call ?? call)('POST', '/admin/v1/test-action', {
    key,
    body: action,
    ...(over.headers && { headers: over.headers }),
  });
const inSession = (action: object, session = `behind-${++count}`) => ({ ...action, actor: { session } });

const entriesOf = (session: string, { ports }: TestPorts = gateway) => evidenceOf(ports, session);

async function configured(
  extra: string,
  secrets: Record<string, string>,
  work: (own: TestPorts, ownCall: typeof call) => Promise<void>,
) {
  const own = await testPorts({ extra, secrets });
  try {
    await work(own, caller(own.ports));
  } finally {
    await own.stop();
  }
}

test('[log.action-line] an evaluated action logs the fields required by the specification', async () => {
  gateway.lines.length = 0;
  const { body } = await act(inSession(read));
  const line = gateway.lines
    .map((text) => JSON.parse(text))
    .find(({ envelope_id }) => envelope_id === body.envelope_id);
  expect(line).toMatchObject({
    ts: expect.stringMatching(/Z$/),
    level: 'info',
    msg: expect.any(String),
    tool: 'scm.get_file',
    decision: 'allow',
    latency_us: expect.any(Number),
  });
});

test('[log.action-line] an action opens a span for each of its stages, with their attributes', async () => {
  await act(inSession(pull));
  await act(inSession(read));
  const telemetry = gateway.ports.telemetry as LogTelemetry;
  const spans = telemetry.recentTraces().flatMap((trace) => trace.spans);
  const attributes = (name: string) => spans.find((span) => span.name === name)?.attributes;
  expect(attributes('mcpgw.tool_call')).toMatchObject({
    tool: expect.any(String),
    target: 'acme/web',
    capability: expect.any(String),
    decision: expect.any(String),
  });
  expect(attributes('approval.enqueue')).toMatchObject({
    approval_id: expect.any(String),
    tool: 'scm.create_pull_request',
    timeout: 1800,
  });
  expect(attributes('credential.issue')).toEqual({ credential_name: 'scm', ttl: 600, scope: 'contents:read' });
});

test('[session.source] the session is taken from the body, then from the header, or else created for the key and the hour', async () => {
  const headers = { 'x-session-id': 'from-header' };
  expect((await act({ ...read, actor: { session: 'from-body' } }, keys.agent, { headers })).body.session_id).toBe(
    'from-body',
  );
  expect((await act(read, keys.agent, { headers })).body.session_id).toBe('from-header');
  const made = (await act(read)).body.session_id;
  expect((await act(read)).body.session_id).toBe(made);
  expect((await act(read, keys.other)).body.session_id).not.toBe(made);
  gateway.pass(3600);
  expect((await act(read)).body.session_id).not.toBe(made);
});

test('[auth.header] only the digest of a key is stored', async () => {
  const rows = gateway.store.scan('config');
  const row = await gateway.ports.configStore.current();
  const body = new TextDecoder().decode(await gateway.ports.objects.get(row!.sha256));
  expect(body).toMatch(/"key_sha256":"[0-9a-f]{64}"/);
  for (const key of Object.values(keys)) expect(JSON.stringify(rows) + body).not.toContain(key);
});

test('[auth.health-open] without an admin token and an admin key, only /health is accessible', async () => {
  await configured('', { GATEWAY_ADMIN_TOKEN: '' }, async (_, ownCall) => {
    expect(await ownCall('GET', '/admin/v1/whoami', { key: keys.human })).toMatchObject({
      status: 403,
      body: { error: { type: 'forbidden' } },
    });
    expect((await act(read, keys.agent, { call: ownCall })).status).toBe(403);
    expect((await ownCall('GET', '/health')).status).toBe(200);
  });
});

test('[policy.break-glass] every request made under break-glass is marked in evidence', async () => {
  await configured('policies: { break_glass: true }', {}, async (own, ownCall) => {
    await act(inSession(read, 'glass'), keys.agent, { call: ownCall });
    expect((await entriesOf('glass', own))[0]?.body).toMatchObject({ break_glass: true });
  });
});

test('[credential.no-broader] if the broker cannot mint a credential, the call is refused with the outcome not_executed', async () => {
  await configured('', { SCM_KEY: '' }, async (own, ownCall) => {
    const refused = await act(inSession(read, 'broker'), keys.agent, { call: ownCall });
    expect([refused.status, refused.body.error.type]).toEqual([503, 'service_unavailable']);
    const entries = await entriesOf('broker', own);
    expect(entries.at(-1)).toMatchObject({ kind: 'result', body: { outcome: 'not_executed' } });
  });
});

test('[evidence.secrets-redacted] deleting a salt does not invalidate the chain', async () => {
  const secret = { ...inSession({ ...pull, parameters: { password: 'correct horse battery staple' } }, 'salted') };
  const { body } = await act(secret);
  const { store } = gateway.store;
  const key = { id: `default#${body.envelope_id}` };
  expect(JSON.stringify(await store.get('salts', key))).toMatch(/[0-9a-f]{32}/);
  await store.remove('salts', key);
  const verified = await call('GET', '/admin/v1/evidence/sessions/salted/verify', { key: keys.human });
  expect(verified.body).toMatchObject({ valid: true });
});

test('[evidence.secrets-redacted] recognised secrets are not stored from any field of the call', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const leaky = {
    ...pull,
    target: `https://x:${token}@git.example/acme`,
    justification: `use ${token}`,
    parameters: { note: token },
  };
  const { body } = await act(inSession(leaky, 'leaky'));
  expect(JSON.stringify(await entriesOf('leaky'))).not.toContain(token);
  const item = await call('GET', `/admin/v1/approvals/${body.envelope_id}`, { key: keys.human });
  expect(item.text).not.toContain(token);
});

test('[evidence.secrets-redacted] secrets in text derived from the call, agent labels or vote comments are not stored either', async () => {
  const tokens = ['tgt', 'lbl', 'rev', 'com'].map((each) => `ghp_${each}${'a1B2'.repeat(9)}`);
  const [target, agent, reviewer, comment] = tokens;
  await act({ ...read, target: `acme/${target}`, actor: { session: 'derived', agent: `bot ${agent}` } });
  const { body } = await act(inSession({ ...pull, target: `acme/${target}` }, 'derived'));
  const vote = { key: keys.human, body: { reviewer, comment } };
  const voted = await call('POST', `/admin/v1/approvals/${body.envelope_id}/approve`, vote);
  const entries = await entriesOf('derived');
  const item = await call('GET', `/admin/v1/approvals/${body.envelope_id}`, { key: keys.human });
  for (const token of tokens) expect(`${JSON.stringify(entries)} ${item.text} ${voted.text}`).not.toContain(token);
  expect(entries.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['allow', 'review', 'approve']));
  for (const text of [item.body.target, voted.body.reviewer, voted.body.comment]) expect(text).toMatch(/\[redacted:/);
});

test('[evidence.secrets-redacted] configured paths are withheld from effects, reasons, signals, violations and cards', async () => {
  const paths = ['$.target', '$.parameters.path', '$.parameters.command', '$.parameters.sql', '$.parameters.url'];
  await configured(`evidence: { sensitive: ${JSON.stringify(paths)} }`, {}, async (own, ownCall) => {
    const calls = [
      { ...read, target: 'acme/zebrafish' },
      { ...pull, target: 'acme/zebrafish' },
      { ...read, tool: 'scm.delete_repo', target: 'acme/zebrafish', capability: 'delete' },
      { ...read, tool: 'scm.get_file_contents', parameters: { path: 'zebrafish/a.txt' } },
      {
        protocol: 'shell',
        tool: 'shell.run',
        target: '',
        capability: 'execute',
        parameters: { command: 'rm zebrafish' },
      },
      {
        protocol: 'sql',
        tool: 'sql.query',
        target: 'db',
        capability: 'read',
        parameters: { sql: 'select * from zebrafish' },
      },
      {
        protocol: 'http',
        tool: 'http.get',
        target: '',
        capability: 'read',
        parameters: { url: 'https://zebrafish.example/x' },
      },
    ];
    for (const each of calls) await act(inSession(each, 'zebra'), keys.agent, { call: ownCall });
    const entries = await entriesOf('zebra', own);
    expect(entries).toHaveLength(calls.length + 2); // and the results of the two allowed calls
    const { text } = await ownCall('GET', '/admin/v1/approvals', { key: keys.human });
    expect(text).toContain('[withheld]');
    expect(`${JSON.stringify(entries)} ${text}`).not.toContain('zebrafish');
  });
});

test('[approval.item] a thousand pending approvals are listed page by page, each one once, oldest first', async () => {
  // One key could not make so many requests otherwise: neither the limit nor the accumulated risk is tested here.
  const unbounded = 'approvals: { max_pending_per_key: 1000 }\nbehavior: { enabled: false }\n';
  await configured(unbounded, {}, async (own, ownCall) => {
    for (let batch = 0; batch < 20; batch++) {
      own.pass(1);
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          act(inSession({ ...pull, target: `acme/${batch}-${i}` }, `page-${batch}-${i}`), keys.agent, {
            call: ownCall,
          }),
        ),
      );
    }
    const seen: { envelope_id: string; queued_at: string }[] = [];
    let cursor = '';
    let pages = 0;
    do {
      const { body } = await ownCall(
        'GET',
        `/admin/v1/approvals?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        { key: keys.human },
      );
      seen.push(...body.pending);
      cursor = body.cursor ?? '';
      pages++;
    } while (cursor !== '' && pages < 20);
    expect(new Set(seen.map(({ envelope_id }) => envelope_id)).size).toBe(1000);
    expect(seen).toHaveLength(1000);
    expect(seen.map(({ queued_at }) => queued_at)).toEqual(seen.map(({ queued_at }) => queued_at).sort());
  });
});

test('[approval.machine] an approval row has the time at which the store will delete it', async () => {
  const { body } = await act(inSession(pull));
  const row = await gateway.store.store.get('approvals', { id: body.envelope_id });
  expect(Number(row?.ttl) * 1000).toBeGreaterThan(Date.parse(String(row?.expires_at)));
});
