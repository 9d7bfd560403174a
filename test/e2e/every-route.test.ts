/** Each route of a running gateway is called, and its response matches its definition. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import answers from '../../bin/reference/answers.json' with { type: 'json' };
import { sha256 } from '../../core/kernel/canonical.ts';
import type { Endpoint } from '../../core/operations/endpoint.ts';
import { routes } from '../../features/routes.ts';
import { batchAccount } from '../support/fake-batches.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers.ts';
import { responseAccount } from '../support/fake-responses.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { loopback } from '../support/loopback.ts';
import { plainTool, type RecordingServer, startRecordingServer } from '../support/recording-mcp-server.ts';
import { act, ask, configurationWith, type Fields, pullRequest, root, until } from './client.ts';
import { planeToken, routeWitnessKey, session, visits, type World } from './every-route.ts';

// A separate gateway, on a machine that may be busy.
let gateway: Gateway;
let service: Awaited<ReturnType<typeof loopback>>;
let server: RecordingServer;
let provider: FakeProvider;
const world = { found: {} } as { -readonly [Field in keyof World]: World[Field] };
const captured: Record<string, unknown> = {};

const configuration = () =>
  configurationWith((yaml) =>
    yaml
      .replace(
        '  rules:\n',
        `  rules:
    - { protocol: http, tool: "{http,billing}.get", decision: allow }
    - { protocol: mcp, tool: note, decision: allow }
`,
      )
      .replace('  - { id: frank,', '  - { id: gina, role: admin, tenants: [other] }\n  - { id: frank,')
      .replace(
        '      - { key: e2e-other-human,',
        '      - { key: e2e-other-admin, role: admin, kind: human, person: gina, name: gina }\n      - { key: e2e-other-human,',
      )
      // An alert is active from the first evaluation.
      .replace('tool_policies:\n', 'tool_policies:\n  disable_guards: [secret-files]\n')
      .replace('evidence: { ', `evidence: { log: { witnesses: ["${routeWitnessKey}"] }, `)
      .replace('  brokers:\n', '  brokers:\n    - { name: tickets, type: ticket }\n')
      .replace(
        'credentials:\n',
        'credentials:\n  grants: [{ protocol: http, tool: "billing.*", broker: tickets, scope: invoices, ttl_seconds: 600 }]\n',
      )
      .concat(`
upstreams:
  http: [{ name: billing, base_url: "${service.url}", allowed_paths: ["/**"], allow_private: true }]
  mcp: [{ name: notes, url: "${server.url}", drift: block }]
behavior: { kill_switch_score: 60 }
providers:
  - { name: mock, type: mock, models: ["mock", "mock-*"] }
  - { name: account, type: openai, base_url: "${provider.baseUrl}", models: [batched, kept], keeps_responses: true }
  - { name: slow, type: mock, models: [slow], script: { replies: [{ text: "word word word word word word word word word word word word word word word word word word word word" }], tokens_per_second: 1 } }
federation: { role: control, planes: [{ name: eu, tokens: [{ token_sha256: ${sha256(planeToken)} }] }] }
organizations:
  - { id: acme, name: Acme, teams: [{ id: web, name: Web, members: [alice], projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: default }] }] }] }
separation_rules: [{ name: one-person, applies_to: "acme/**/production", capability: write, requires: { approvals: 1 } }]
budgets: { tenants: { default: { monthly_usd: 50, models: { "gpt-*": { monthly_usd: 20 } } } } }
`),
  );

beforeAll(async () => {
  service = await loopback(async (call) => {
    await world.handed?.(String(call.headers.authorization).replace('Bearer ', ''));
    return { status: 200, body: { invoice: 7 } };
  });
  server = await startRecordingServer([plainTool('note')]);
  const account = batchAccount();
  const { script } = responseAccount();
  provider = await startFakeProvider({
    kind: 'openai',
    script: (request) => (request.path.startsWith('/v1/responses') ? script(request) : account.script(request)),
  });
  world.ran = account.run;
  gateway = await startGateway({ config: configuration() });
  world.gateway = gateway;
  await prepare();
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([service?.stop(), server?.stop(), provider?.stop()]);
  if (process.env.EXAMPLES === 'write') {
    const sorted = Object.entries(captured).sort(([a], [b]) => (a < b ? -1 : 1));
    const written = sorted.map(([operation, answer]) => [operation, fits(operation) ? examples[operation] : answer]);
    writeFileSync(
      join(root, 'bin/reference/answers.json'),
      `${JSON.stringify(Object.fromEntries(written), null, 2)}\n`,
    );
  }
});

const examples: Readonly<Record<string, unknown>> = answers;
/** Checks that an operation's example still fits its definition; only examples that do not are replaced. */
function fits(operation: string): boolean {
  const { output } = called.find((route) => route.operation === operation)!;
  const example = examples[operation];
  return typeof output === 'function' ? output().safeParse(example).success : typeof example === 'string';
}

/**
 * Creates the items that lists need in order not to be empty: sessions, approvals, credentials, tickets, tools,
 * violations.
 */
async function prepare(): Promise<void> {
  const { admin_url: url, mcp_url: mcp } = gateway.ready;
  const actor = { agent: 'builder', session };
  await act(url, 'e2e-agent', pullRequest(session, { title: 'Waits' }));
  await act(url, 'e2e-agent', { protocol: 'shell', tool: 'shell.rm', target: 'build', capability: 'execute', actor });
  for (let nth = 0; nth < 2; nth++)
    await act(url, 'e2e-agent', {
      protocol: 'http',
      tool: 'billing.get',
      target: '/invoices/7',
      capability: 'read',
      actor,
    });
  const held = await act(url, 'e2e-agent', pullRequest(session, { title: 'Approved' }));
  await ask(url, 'POST', `/admin/v1/approvals/${held.body.envelope_id}/approve`, {
    key: 'e2e-alice',
    body: { reviewer: 'alice' },
  });
  await act(url, 'e2e-agent', { ...pullRequest(session, { title: 'Approved' }), approval_ref: held.body.envelope_id });
  await ask(gateway.ready.gateway_url, 'POST', '/v1/chat/completions', {
    key: 'e2e-agent',
    body: { model: 'mock', messages: [{ role: 'user', content: 'Hi' }] },
  });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  await ask(mcp, 'POST', '/mcp', {
    key: 'e2e-agent',
    body: list,
    headers: { accept: 'application/json, text/event-stream' },
  });
  server.offer([plainTool('note', { description: 'Sends the note to the team.' })]);
  await ask(mcp, 'POST', '/mcp', {
    key: 'e2e-agent',
    body: list,
    headers: { accept: 'application/json, text/event-stream' },
  });
  await until(
    'a projected violation',
    async () => {
      const { body } = await ask(url, 'GET', '/admin/v1/violations', { key: 'e2e-carol' });
      return (body.violations as unknown[]).length > 0 || undefined;
    },
    60,
  );
}

const called = routes.filter(({ surface, access }) => surface !== 'mcp' && access !== 'signed');
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const order = Object.keys(visits);
/** Lists first, then the visits in the order of the table. */
const inOrder = [...called].sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));

async function visit(route: Endpoint) {
  const own = visits[nameOf(route)];
  if (own) return own(world);
  if (route.path.includes('{') || route.input)
    throw new Error(`${nameOf(route)} has parameters or a body. Add a line with them to test/e2e/every-route.yaml.`);
  const base = route.surface === 'gateway' ? gateway.ready.gateway_url : gateway.ready.admin_url;
  const ofAdmin = route.platform ? 'e2e-platform' : route.access === 'admin' ? 'e2e-carol' : 'e2e-alice';
  return ask<Fields>(base, route.method, route.path, { key: route.surface === 'gateway' ? 'e2e-agent' : ofAdmin });
}

/** Paths of items that every caller of the deployment may read: models, and MCP servers with their tool definitions. */
const ofDeployment = new Set([
  ...['GET /v1/models/{id}', 'GET /admin/v1/mcp/tools/{name}'],
  ...['GET /admin/v1/policy-versions/{version}', 'GET /admin/v1/policy-versions/{version}/diff'],
]);
/** Responses to callers from the other tenant, who first try each call that names an item by its id. */
const foreign: { readonly name: string; readonly status: number; readonly text: string }[] = [];
const own = globalThis.fetch;
let visited: Endpoint | undefined;
async function asForeigner(url: string, init: RequestInit): Promise<void> {
  // Concurrently, because cancelling an unknown request waits for the process that may run it.
  const asked = ['e2e-other-agent', 'e2e-other-human', 'e2e-other-admin'].map(async (key) => {
    const headers = new Headers(init.headers);
    headers.set('x-api-key', key);
    const answer = await own(url, { ...init, headers });
    const text = await answer.text();
    foreign.push({ name: `${init.method} ${new URL(url).pathname} ${key}`, status: answer.status, text });
  });
  await Promise.all(asked);
}
beforeAll(() => {
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    const url = String(input);
    const { pathname } = new URL(url);
    const isNamed = visited?.path.includes('{') && visited.method === init.method && !ofDeployment.has(nameOf(visited));
    if (isNamed && isAt(visited!.path, pathname)) await asForeigner(url, init);
    return own(input, init);
  });
});
afterAll(() => jest.restoreAllMocks());

const isAt = (template: string, path: string): boolean => {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((step, at) => step.startsWith('{') || step === given[at]);
};

const rows = inOrder.map((route) => [`${route.surface} ${nameOf(route)}`, route] as const);
test.each(rows)('[admin.answers-typed] %s', async (_name, route) => {
  const { output } = route;
  visited = route;
  const { status, body, text, headers } = await visit(route);
  visited = undefined;
  expect({ status, text }).toEqual({ status: route.status ?? 200, text });
  if (output === 'mcp') throw new Error(`${route.operation} is called by tests of MCP`);
  if ('text' in output) {
    expect(headers.get('content-type')).toContain(output.text);
    captured[route.operation] = text.slice(0, 400);
    return;
  }
  if ('bytes' in output) {
    expect(headers.get('content-type')).toMatch(/^audio\//);
    expect(text).toMatch(/^RIFF/);
    return;
  }
  const { error } = output().safeParse(body);
  expect(error && { operation: route.operation, problems: error.issues }).toBeUndefined();
  captured[route.operation] ??= exampleOf(body);
});

test('[auth.tenant-isolation] [guard.changes] callers from another tenant can neither reach nor see any item by its id', () => {
  expect(foreign.length).toBeGreaterThan(100);
  // A platform rollout moves the traffic of every tenant, and is visible to each.
  const strange = foreign.filter(
    ({ name, status }) => status !== 404 && status !== 403 && !/^GET .*\/rollouts\//.test(name),
  );
  expect(strange).toEqual([]);
  const talking = foreign.filter(
    ({ status, text }) => status >= 400 && /acme|builder|invoice|every-route"|fix the login/i.test(text),
  );
  expect(talking).toEqual([]);
});

/** Returns the value with only the first element of each list and the first member of a configuration. */
function exampleOf(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => exampleOf(item));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).slice(0, name === 'configuration' ? 1 : undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, exampleOf(member, key)]));
}
