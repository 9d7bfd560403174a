/** Two gateways that share one store and have the same keys: each continues and verifies the other's sessions. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startDynamo, type TestDynamo } from '../support/dynamo.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { loopback } from '../support/loopback.ts';
import {
  act,
  agentctl,
  ask,
  configurationWith,
  decided,
  type Fields,
  pullRequest,
  root,
  until,
  vote,
  workFolder,
} from './client.ts';

type Service = Awaited<ReturnType<typeof loopback>>;

let dynamo: TestDynamo;
let service: Service;
let one: Gateway;
let two: Gateway;
/** Responses that the service gets from the gateway that did not issue the ticket. */
const redeemed: { status: number; body: Fields }[] = [];
const keys = join(workFolder(), 'keys');
const local = (...args: string[]) =>
  promisify(execFile)(join(root, 'node_modules/.bin/node'), [join(root, 'bin/local.ts'), ...args], { cwd: root });

const configuration = (billing: string) =>
  configurationWith((yaml) =>
    yaml
      .replace(
        '  - id: other\n',
        '  - id: limited\n    rate_limit: { requests_per_minute: 3 }\n    api_keys: [{ key: e2e-limited, role: operator, kind: agent, name: limited }]\n  - id: other\n',
      )
      .replace('  rules:\n', '  rules:\n    - { protocol: http, tool: "{http,billing}.get", decision: allow }\n')
      .replace('  brokers:\n', '  brokers:\n    - { name: tickets, type: ticket }\n')
      .replace(
        'credentials:\n',
        'credentials:\n  grants: [{ protocol: http, tool: "billing.*", broker: tickets, scope: invoices, ttl_seconds: 60 }]\n',
      )
      .concat(
        `providers: [{ name: mock, type: mock, enabled: true, models: [mock] }]\nroutes: [{ match: { model: mock }, providers: [mock] }]\n`,
        `upstreams: { http: [{ name: billing, base_url: "${billing}", allowed_paths: ["/**"], allow_private: true }] }\n`,
      ),
  );

beforeAll(async () => {
  dynamo = await startDynamo();
  await local('--make-keys', keys);
  service = await loopback(async (call) => {
    const ticket = String(call.headers.authorization).replace('Bearer ', '');
    const body = { ticket, tool: 'billing.get', capability: 'read', resource: '/invoices/7' };
    redeemed.push(await ask(two.ready.admin_url, 'POST', '/admin/v1/tickets/redeem', { key: 'e2e-service', body }));
    return { status: 200, body: { invoice: 7 } };
  });
  const config = configuration(service.url);
  const start = () =>
    startGateway({ config, args: ['--keys', keys, '--no-edge'], env: { DYNAMODB_ENDPOINT: dynamo.endpoint } });
  one = await start();
  two = await start();
});
afterAll(async () => {
  await Promise.all([one, two].map((gateway) => gateway?.stop()));
  await service?.stop();
  await dynamo?.stop();
});

const url = (gateway: Gateway) => gateway.ready.admin_url;
const verified = (gateway: Gateway, session: string) =>
  ask(url(gateway), 'GET', `/admin/v1/evidence/sessions/${session}/verify`, { key: 'e2e-bob' });

test('[shared.gateways] a session continues at the other gateway, its approval can be voted on there, and both verify the chain', async () => {
  const session = 'shared-pr';
  const asked = await decided(url(one), 'e2e-agent', pullRequest(session));
  expect(asked.decision).toBe('review');
  const { body } = await ask<{ pending: Fields[] }>(url(two), 'GET', '/admin/v1/approvals', { key: 'e2e-bob' });
  expect(body.pending.map(({ envelope_id }) => envelope_id)).toContain(asked.envelope_id);
  expect((await decided(url(two), 'e2e-agent', pullRequest(session))).envelope_id).toBe(asked.envelope_id);
  expect(await vote(url(two), 'e2e-bob', 'approve', asked.envelope_id)).toMatchObject({ status: 200 });
  expect(await vote(url(one), 'e2e-alice', 'deny', asked.envelope_id)).toMatchObject({ status: 409 });
  const used = await decided(url(one), 'e2e-agent', pullRequest(session));
  expect(used).toMatchObject({ decision: 'allow', matched_rule: `approved:${asked.envelope_id}` });
  expect((await decided(url(two), 'e2e-agent', pullRequest(session))).decision).toBe('review');
  for (const gateway of [one, two])
    expect(await verified(gateway, session)).toMatchObject({ status: 200, body: { valid: true, total_entries: 5 } });
});

test('[shared.gateways] [transparency.log] an export from one gateway can be verified with the keys published by the other, including its log proof', async () => {
  const session = 'shared-export';
  const read = { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' };
  for (const gateway of [one, two, one]) await decided(url(gateway), 'e2e-agent', { ...read, actor: { session } });
  const ctl = ({ ready }: Gateway, ...args: string[]) =>
    agentctl(['evidence', ...args], { AGENTCTL_URL: ready.admin_url, AGENTCTL_KEY: 'e2e-bob' });
  const [file, pem] = ['bundle.json', 'key.pem'].map((name) => join(workFolder(), name)) as [string, string];
  await until('the session in the log', async () => {
    const { status, body } = await ask(url(two), 'GET', `/admin/v1/evidence/sessions/${session}/export`, {
      key: 'e2e-bob',
    });
    return status === 200 && 'log_proof' in body ? true : undefined;
  });
  expect(await ctl(two, 'export', '--session', session, '--out', file)).toMatchObject({ code: 0 });
  writeFileSync(pem, (await ctl(one, 'public-key', '--session', session)).out);
  const log = (await ask<{ log_key: string }>(url(one), 'GET', '/admin/v1/evidence/log/checkpoint', { key: 'e2e-bob' }))
    .body;
  const offline = await agentctl(['evidence', 'verify', '--file', file, '--public-key', pem, '--log-key', log.log_key]);
  expect(offline).toMatchObject({ code: 0 });
});

test('[shared.gateways] a configuration stored at one gateway takes effect at the other, and at one started with an empty folder', async () => {
  const yaml = configuration(service.url);
  const text = readFileSync(yaml, 'utf8').replace(
    '  rules:\n',
    '  rules:\n    - { protocol: http, tool: "fresh.*", decision: block }\n',
  );
  const put = await ask(url(one), 'PUT', '/admin/v1/config', {
    key: one.keys.admin_token,
    raw: text,
    headers: { 'content-type': 'application/yaml' },
  });
  expect(put).toMatchObject({ status: 201, body: { version: 2 } });
  const fresh = { protocol: 'http', tool: 'fresh.get', target: '/x', capability: 'read', actor: { session: 'fresh' } };
  const blocks = async (gateway: Gateway) =>
    (await act(url(gateway), 'e2e-agent', fresh)).body.decision === 'block' || undefined;
  await until('version 2 at the other gateway', () => blocks(two));
  const third = await startGateway({
    config: yaml,
    args: ['--keys', keys, '--no-edge'],
    env: { DYNAMODB_ENDPOINT: dynamo.endpoint },
  });
  expect(await blocks(third)).toBe(true);
  expect(await verified(third, 'shared-pr')).toMatchObject({ status: 200, body: { valid: true } });
  await third.stop();
});

test("[shared.gateways] [trace.routes] one gateway lists the other's traces, and the approval event stream is refused because it would be incomplete", async () => {
  const session = 'shared-traces';
  const read = { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' };
  await decided(url(one), 'e2e-agent', { ...read, actor: { session } });
  const found = await until('the trace at the other gateway', async () => {
    const { body } = await ask<{ traces: Fields[] }>(url(two), 'GET', `/admin/v1/traces?session=${session}`, {
      key: 'e2e-bob',
    });
    return body.traces[0];
  });
  expect(found).toMatchObject({ session_id: session, tool: 'scm.get_file_contents', decision: 'allow' });
  const events = await ask<{ error: Fields }>(url(two), 'GET', '/admin/v1/approvals/events', { key: 'e2e-bob' });
  expect(events).toMatchObject({
    status: 405,
    body: { error: { message: expect.stringContaining('GET /admin/v1/approvals repeatedly') } },
  });
});

test('[shared.gateways] [cli.watch] pending --watch at one gateway shows events from the other', async () => {
  let nth = 0;
  const asked = () => decided(url(one), 'e2e-agent', pullRequest(`shared-watch-${nth++}`));
  const watching = agentctl(['pending', '--watch', '--events', '2', '--json'], {
    AGENTCTL_URL: url(two),
    AGENTCTL_KEY: 'e2e-bob',
  });
  let ended = false;
  watching.finally(() => {
    ended = true;
  });
  // Requests pending before the first poll are not reported as events, so new requests are made until one is seen, but
  // not at each poll.
  let looks = 0;
  await until('two events', async () => {
    if (looks++ % 20 === 0) await asked();
    return ended || undefined;
  });
  const { code, out } = await watching;
  const events = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as Fields).event);
  expect([code, events]).toEqual([0, ['new', 'new']]);
});

test('[shared.gateways] an MCP session opened at one gateway continues at the other, and ends at both', async () => {
  const mcp = (gateway: Gateway, method: string, body?: object, more: Record<string, string> = {}) =>
    ask<Fields>(gateway.ready.mcp_url, method, '/mcp', {
      key: 'e2e-agent',
      ...(body && { body: { jsonrpc: '2.0', ...body } }),
      headers: { accept: 'application/json, text/event-stream', ...more },
    });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const opened = await mcp(one, 'POST', { id: 1, method: 'initialize', params });
  expect(opened.status).toBe(200);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-06-18' };
  await mcp(two, 'POST', { method: 'notifications/initialized' }, session);
  expect((await mcp(two, 'POST', { id: 2, method: 'tools/list' }, session)).text).toContain('"tools"');
  expect((await mcp(two, 'DELETE', undefined, session)).status).toBeLessThan(300);
  // A gateway caches a session for a moment.
  await until('the end of the session at the other gateway', async () => {
    const { status } = await mcp(one, 'POST', { id: 3, method: 'tools/list' }, session);
    return status === 404 || undefined;
  });
});

test('[shared.gateways] both gateways share one per-minute limit', async () => {
  const say = (gateway: Gateway) =>
    ask(gateway.ready.gateway_url, 'POST', '/v1/chat/completions', {
      key: 'e2e-limited',
      body: { model: 'mock', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
    });
  const statuses: number[] = [];
  for (const gateway of [one, two, one, two, one]) statuses.push((await say(gateway)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

test('[shared.gateways] without a bucket, status and doctor warn that the archive and checkpoints are lost with each folder', async () => {
  const { admin_token: key } = one.keys;
  const { body } = await ask<{ warnings: string[] }>(url(one), 'GET', '/admin/v1/health/detailed', { key });
  expect(body.warnings.filter((warning) => warning.includes('GATEWAY_ARCHIVE_BUCKET'))).toHaveLength(1);
  const { out } = await agentctl(['doctor'], { GATEWAY_STATE: dirname(one.ready.keys_file) });
  expect(out).toMatch(/^warn {4}health: This gateway keeps its archive and checkpoints in its own folder/m);
});

test('[shared.gateways] a ticket issued by one gateway can be redeemed once at the other', async () => {
  const call = { protocol: 'http', tool: 'billing.get', target: '/invoices/7', capability: 'read' };
  const done = await decided(url(one), 'e2e-agent', { ...call, actor: { session: 'shared-ticket' } });
  expect(done).toMatchObject({ decision: 'allow', credential: { type: 'capability_ticket' } });
  expect(redeemed).toMatchObject([{ status: 200, body: { envelope_id: done.envelope_id } }]);
});

test('[shared.gateways] a key folder that lacks a key is refused, and existing keys are kept', async () => {
  const made = readdirSync(keys).sort();
  expect(made).toEqual(['log-key.pem', 'signing-key.pem', 'signing-keys.json', 'ticket-key']);
  const before = made.map((name) => readFileSync(join(keys, name), 'utf8'));
  expect((await local('--make-keys', keys)).stdout).toContain('All keys existed already');
  expect(made.map((name) => readFileSync(join(keys, name), 'utf8'))).toEqual(before);
  await expect(local('--state', workFolder(), '--keys', workFolder())).rejects.toMatchObject({
    stderr: expect.stringMatching(/lacks signing-key\.pem, log-key\.pem, ticket-key\. Create the missing keys once/),
  });
});
