/** The whole role and kind matrix, walked over real HTTP from the routes table. */
import { includesRole, type KeyKind, type Role, type Route } from '../../core/contracts/route.ts';
import { routes } from '../../core/contracts/routes.ts';
import { casesOf, runs, thorough } from '../support/extent.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, decided, e2eConfiguration, type Fields, pullRequest, vote } from './client.ts';

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

/** What the routes table says; `in` = past authentication and authorisation, whatever the answer then is. */
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

/** Bodies that pass the gate and then change nothing. */
const bodies: Readonly<Record<string, unknown>> = {
  testAction: { protocol: 'git', tool: 'scm.get_file', target: 'acme/web', capability: 'read', dry_run: true },
  approve: { reviewer: 'matrix' },
  deny: { reviewer: 'matrix' },
  simulate: { calls: [{ protocol: 'git', tool: 'scm.get_file', target: 'a/b', capability: 'read' }] },
  putConfig: { version: 0 },
};

/** Anthropic's clients are told in their own words. */
const errorOf = ({ operation, surface }: Route, status: 401 | 403) => {
  const type = status === 401 ? 'authentication_error' : 'forbidden';
  // JSON-RPC says -32600 beside the HTTP status.
  if (surface === 'mcp') return { code: -32600, data: { type } };
  return operation === 'messages' || operation === 'countTokens'
    ? { type: status === 401 ? type : 'permission_error', code: type }
    : { type, code: status };
};

const urlOf = ({ surface }: Route) =>
  ({ gateway: gateway.ready.gateway_url, mcp: gateway.ready.mcp_url, admin: url, callbacks: url })[surface];

const guarded = routes.filter(({ access }) => access !== 'signed');

/**
 * An address may send 100 wrong keys at once, and the gateway forgets them when it starts: fewer than that between two starts.
 * Only the thorough run sends one to every route.
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
    '[auth.role-matrix] [auth.roles] [auth.missing] [auth.unknown-key] [auth.agent-kind] [auth.platform] %s answers every caller as the table says',
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

test('[admin.routes] [version.paths] every admin route is under /admin/v1, but /health and /metrics', () => {
  for (const { surface, path } of routes)
    if (surface === 'admin') expect(path).toMatch(/^\/(admin\/v1\/|health$|metrics$)/);
});

describe('how a key travels', () => {
  const whoami = (headers: Record<string, string>, query = '') =>
    ask(url, 'GET', `/admin/v1/whoami${query}`, { headers });

  test('[auth.header] X-API-Key and Authorization: Bearer are the same', async () => {
    const one = await whoami({ 'x-api-key': 'e2e-alice' });
    const other = await whoami({ authorization: 'Bearer e2e-alice' });
    expect([one.status, one.body]).toEqual([200, other.body]);
  });

  test('[auth.never-query] never in a query parameter or a cookie', async () => {
    const token = gateway.keys.admin_token;
    for (const query of [`?api_key=${token}`, `?x-api-key=${token}`, `?token=${token}`, `?key=e2e-alice`]) {
      expect([400, 401]).toContain((await whoami({}, query)).status);
    }
    expect((await whoami({ cookie: `x-api-key=${token}; X-API-Key=${token}` })).status).toBe(401);
  });

  test('[auth.missing] a caller without a key gets that error first, whatever else is wrong with its request', async () => {
    for (const path of [
      '/admin/v1/audit?no_such=1',
      '/admin/v1/policy-versions/a%20b',
      '/admin/v1/approvals?limit=1&limit=2',
    ])
      expect(await ask(url, 'GET', path)).toMatchObject({
        status: 401,
        body: { error: { type: 'authentication_error' } },
      });
    expect(await ask(url, 'GET', '/admin/v1/audit?no_such=1', { key: 'e2e-carol' })).toMatchObject({ status: 400 });
  });

  test('[auth.audit-role] audit needs operator, audit verify needs admin', async () => {
    const status = async (path: string, key: string) => (await ask(url, 'GET', path, { key })).status;
    expect(await status('/admin/v1/audit', 'e2e-viewer')).toBe(403);
    expect(await status('/admin/v1/audit', 'e2e-alice')).toBe(200);
    expect(await status('/admin/v1/audit/verify', 'e2e-alice')).toBe(403);
    expect(await status('/admin/v1/audit/verify', 'e2e-carol')).toBe(200);
  });
});

describe('who may see and decide what', () => {
  test('[auth.principal] the principal is the key, whatever the body claims', async () => {
    await decided(url, 'e2e-agent', {
      ...pullRequest('roles-label'),
      actor: { agent: 'carol', session: 'roles-label' },
    });
    const { body } = await ask<{ entries: { actor: Fields }[] }>(
      url,
      'GET',
      '/admin/v1/evidence/sessions/roles-label/export',
      { key: 'e2e-alice' },
    );
    const me = await ask<{ key_id: string }>(url, 'GET', '/admin/v1/whoami', { key: 'e2e-agent' });
    expect(body.entries[0]?.actor).toEqual({ key_id: me.body.key_id, agent: 'carol' });
  });

  test('[auth.agent-kind] an agent sees its own sessions and approvals only', async () => {
    const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('roles-own'));
    const status = async (path: string, key: string) => (await ask(url, 'GET', path, { key })).status;
    expect(await status('/admin/v1/evidence/sessions/roles-own/export', 'e2e-agent')).toBe(200);
    expect(await status('/admin/v1/evidence/sessions/roles-own/export', 'e2e-agent-2')).toBe(404);
    expect(await status(`/admin/v1/approvals/${envelope_id}`, 'e2e-agent')).toBe(200);
    expect(await status(`/admin/v1/approvals/${envelope_id}`, 'e2e-agent-2')).toBe(404);
    const listed = await ask<{ pending: Fields[] }>(url, 'GET', '/admin/v1/approvals', { key: 'e2e-agent-2' });
    expect(listed.body.pending).toEqual([]);
    const sessions = await ask<{ sessions: Fields[] }>(url, 'GET', '/admin/v1/evidence/sessions', {
      key: 'e2e-agent-2',
    });
    expect(sessions.body.sessions).toEqual([]);
  });

  test('[sod.own-request] no reviewer votes on a request of a key they own', async () => {
    const { envelope_id } = await decided(url, 'e2e-agent-of-alice', pullRequest('roles-owned'));
    const own = await vote(url, 'e2e-alice', 'approve', envelope_id);
    expect([own.status, own.body]).toMatchObject([403, { error: { type: 'separation_of_duties' } }]);
    expect((await vote(url, 'e2e-bob', 'approve', envelope_id)).status).toBe(200);
  });

  test('[sod.by-person] no reviewer votes on what they asked for, not even with another key of theirs', async () => {
    const { envelope_id } = await decided(url, 'e2e-alice', pullRequest('roles-person'));
    for (const key of ['e2e-alice', 'e2e-alice-2']) {
      const { status, body } = await vote(url, key, 'approve', envelope_id);
      expect([status, body]).toMatchObject([403, { error: { type: 'separation_of_duties' } }]);
    }
    expect((await vote(url, 'e2e-bob', 'deny', envelope_id)).status).toBe(200);
  });

  test('[sod.own-request] a service’s owner does not vote on what the service asked for', async () => {
    const { envelope_id } = await decided(url, 'e2e-service', pullRequest('roles-service'));
    expect((await vote(url, 'e2e-bob', 'approve', envelope_id)).body).toMatchObject({
      error: { type: 'separation_of_duties' },
    });
    expect((await vote(url, 'e2e-alice', 'approve', envelope_id)).status).toBe(200);
  });

  test('[auth.tenant-isolation] [session.tenant-scope] another tenant’s ids are not there', async () => {
    const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('roles-tenant'));
    for (const path of [
      `/admin/v1/approvals/${envelope_id}`,
      '/admin/v1/evidence/sessions/roles-tenant/export',
      `/admin/v1/actions/${envelope_id}/why`,
    ]) {
      expect([path, (await ask(url, 'GET', path, { key: 'e2e-other-human' })).status]).toEqual([path, 404]);
    }
    expect((await vote(url, 'e2e-other-human', 'approve', envelope_id)).status).toBe(404);
    const same = await decided(url, 'e2e-other-agent', {
      protocol: 'git',
      tool: 'scm.get_file',
      target: 'a/b',
      capability: 'read',
      actor: { session: 'roles-tenant' },
    });
    expect(same).toMatchObject({ decision: 'allow', session_id: 'roles-tenant' });
    const theirs = await ask<{ manifest: Fields }>(url, 'GET', '/admin/v1/evidence/sessions/roles-tenant/export', {
      key: 'e2e-other-human',
    });
    expect(theirs.body.manifest).toMatchObject({ tenant: 'other', counts: { allow: 1 } });
  });
});
