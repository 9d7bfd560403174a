/** The whole matrix of roles and kinds, tested over real HTTP from the routes table. */
import { includesRole, type KeyKind, type Role, type Route } from '../../core/contracts/route.ts';
import { routes } from '../../features/routes.ts';
import { casesOf, runs, thorough } from '../support/extent.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, decided, e2eConfiguration, exportOf, pullRequest, vote } from './client.ts';

let gateway: Gateway;
let url: string;

beforeAll(async () => {
  gateway = await startGateway({ config: e2eConfiguration });
  url = gateway.ready.admin_url;
});
afterAll(() => gateway?.stop());

interface Caller {
  readonly name: string;
  readonly key: () => string | undefined;
  readonly role?: Role;
  readonly kind?: KeyKind;
  readonly platform?: true;
}

const fixed = (key: string, role: Role, kind: KeyKind, extra: Partial<Caller> = {}): Caller => ({
  name: key,
  key: () => key,
  role,
  kind,
  ...extra,
});

const wrongKey: Caller = { name: 'an unknown key', key: () => 'no-such-key-anywhere' };
const callers: readonly Caller[] = [
  { name: 'nobody', key: () => undefined },
  wrongKey,
  fixed('e2e-agent-viewer', 'viewer', 'agent'),
  fixed('e2e-agent', 'operator', 'agent'),
  fixed('e2e-agent-admin', 'admin', 'agent'),
  fixed('e2e-service', 'operator', 'service'),
  fixed('e2e-viewer', 'viewer', 'human'),
  fixed('e2e-alice', 'operator', 'human'),
  fixed('e2e-carol', 'admin', 'human'),
  fixed('e2e-platform', 'admin', 'human', { platform: true }),
  { name: 'the admin token', key: () => gateway.keys.admin_token, role: 'admin', kind: 'human', platform: true },
];

/**
 * Returns the result expected from the routes table; `in` means past authentication and authorisation, whatever the
 * response.
 */
function expected({ access, agents, humansOnly, platform }: Route, caller: Caller): 401 | 403 | 'in' {
  if (access === 'open' || access === 'signed') return 'in';
  if (!caller.role) return 401;
  if (access === 'plane') return 403;
  if (!includesRole(caller.role, access)) return 403;
  if (caller.kind === 'agent' && agents === 'no') return 403;
  if (humansOnly && caller.kind !== 'human') return 403;
  if (platform && !caller.platform) return 403;
  return 'in';
}

const unknownId = '0199f0a0-0000-7000-8000-000000000000';
const pathOf = ({ path }: Route) =>
  path
    .replace('{envelope_id}', unknownId)
    .replace('{id}', 'no-such-thing')
    .replace('{version}', '999')
    .replace('{name}', 'no_such_tool')
    .replace('{sha256}', '0'.repeat(64));

/** Bodies that pass authorisation and then change nothing. */
const bodies: Readonly<Record<string, unknown>> = {
  testAction: { protocol: 'git', tool: 'scm.get_file', target: 'acme/web', capability: 'read', dry_run: true },
  governAction: { protocol: 'git', tool: 'scm.get_file', target: 'acme/web', capability: 'read', dry_run: true },
  approve: { reviewer: 'matrix' },
  deny: { reviewer: 'matrix' },
  simulate: { calls: [{ protocol: 'git', tool: 'scm.get_file', target: 'a/b', capability: 'read' }] },
  putConfig: { version: 0 },
};

/** Returns the expected error; Anthropic's clients get their own error types. */
const errorOf = ({ operation, surface }: Route, status: 401 | 403) => {
  const type = status === 401 ? 'authentication_error' : 'forbidden';
  // JSON-RPC uses -32600 in addition to the HTTP status.
  if (surface === 'mcp') return { code: -32600, data: { type } };
  return operation === 'messages' || operation === 'countTokens'
    ? { type: status === 401 ? type : 'permission_error', code: type }
    : { type, code: status };
};

const urlOf = ({ surface }: Route) =>
  ({ gateway: gateway.ready.gateway_url, mcp: gateway.ready.mcp_url, admin: url, callbacks: url })[surface];

const guarded = routes.filter(({ access }) => access !== 'signed');

/**
 * Routes tested with a wrong key. An address may send 100 wrong keys in a burst, and the count is reset when the
 * gateway starts, so fewer are sent between two starts. Only the thorough run sends one to every route.
 */
const withWrongKey = new Set(casesOf(guarded, 4));
const portions = Array.from({ length: runs(Math.ceil(guarded.length / 90), 1) }, (_, index) =>
  thorough ? guarded.slice(index * 90, (index + 1) * 90) : guarded,
).map((portion) => [`${portion[0]?.method} ${portion[0]?.path} and after`, portion] as const);

describe.each(portions)('%s', (_portion, portion) => {
  beforeAll(async () => {
    if (portion !== portions[0]?.[1]) await gateway.restart();
  });

  test.each(portion.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '[auth.roles] [auth.header] %s responds to every caller as the table specifies',
    async (_, route) => {
      const body = route.method === 'GET' ? undefined : (bodies[route.operation] ?? {});
      for (const caller of callers) {
        if (caller === wrongKey && !withWrongKey.has(route)) continue;
        const wanted = expected(route, caller);
        const { status, text } = await ask(urlOf(route), route.method, pathOf(route), { key: caller.key(), body });
        const named = { caller: caller.name, status };
        if (wanted === 'in') {
          for (const refused of [401, 403, 405, 500, 502, 503])
            expect(named).not.toEqual({ caller: caller.name, status: refused });
        } else {
          expect(named).toEqual({ caller: caller.name, status: wanted });
          expect(JSON.parse(text)).toMatchObject({ error: { ...errorOf(route, wanted), message: expect.any(String) } });
        }
      }
    },
  );
});

test('[admin.routes] every admin route is under /admin/v1, except /health and /metrics', () => {
  for (const { surface, path } of routes)
    if (surface === 'admin') expect(path).toMatch(/^\/(admin\/v1\/|health$|metrics$)/);
});

test('[auth.header] a key in a query parameter or a cookie is rejected, and a missing key is reported before any other error', async () => {
  const token = gateway.keys.admin_token;
  const status = async (query: string, headers: Record<string, string> = {}) =>
    (await ask(url, 'GET', `/admin/v1/whoami${query}`, { headers })).status;
  for (const query of [`?api_key=${token}`, `?x-api-key=${token}`, `?token=${token}`, `?key=e2e-alice`])
    expect([400, 401]).toContain(await status(query));
  expect(await status('', { cookie: `x-api-key=${token}; X-API-Key=${token}` })).toBe(401);
  expect(await status('', { authorization: 'Bearer e2e-alice' })).toBe(200);
  for (const path of ['/audit?no_such=1', '/policy-versions/a%20b', '/approvals?limit=1&limit=2'])
    expect(await ask(url, 'GET', `/admin/v1${path}`)).toMatchObject({
      status: 401,
      body: { error: { type: 'authentication_error' } },
    });
});

test('[auth.principal] the principal comes from the key, regardless of claims in the body', async () => {
  await decided(url, 'e2e-agent', { ...pullRequest('roles-label'), actor: { agent: 'carol', session: 'roles-label' } });
  const { entries } = await exportOf(url, 'e2e-alice', 'roles-label');
  const me = await ask<{ key_id: string }>(url, 'GET', '/admin/v1/whoami', { key: 'e2e-agent' });
  expect(entries[0]?.actor).toEqual({ key_id: me.body.key_id, agent: 'carol' });
});

test('[auth.roles] [auth.tenant-isolation] neither another agent nor another tenant can find sessions or approvals by id', async () => {
  const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('roles-own'));
  const paths = [`approvals/${envelope_id}`, 'evidence/sessions/roles-own/export', `actions/${envelope_id}/why`];
  for (const [key, expected] of [
    ['e2e-agent', 200],
    ['e2e-agent-2', 404],
    ['e2e-other-human', 404],
  ] as const)
    for (const path of paths)
      expect([key, path, (await ask(url, 'GET', `/admin/v1/${path}`, { key })).status]).toEqual([key, path, expected]);
  const key = 'e2e-agent-2';
  expect((await ask(url, 'GET', '/admin/v1/approvals', { key })).body).toMatchObject({ pending: [] });
  expect((await ask(url, 'GET', '/admin/v1/evidence/sessions', { key })).body).toMatchObject({ sessions: [] });
  expect((await vote(url, 'e2e-other-human', 'approve', envelope_id)).status).toBe(404);
  // The same name in another tenant is another session.
  const read = { protocol: 'git', tool: 'scm.get_file', target: 'a/b', capability: 'read' };
  await decided(url, 'e2e-other-agent', { ...read, actor: { session: 'roles-own' } });
  const { manifest } = await exportOf(url, 'e2e-other-human', 'roles-own');
  expect(manifest).toMatchObject({ tenant: 'other', counts: { allow: 1 } });
});
