/**
 * The full matrix of routes and principals, compared with the contract's sentences rather than the code's conditions.
 */

import { authorize, requireConfiguredAdmin } from '#core/configuration/identity/authorize.ts';
import { routes } from '#features/routes.ts';
import { allPrincipals, identitiesOf, key, principal } from './principals.ts';

const words = (text: string) => new Set(text.trim().split(/\s+/));
/**
 * Operations for agents, written out so that a route cannot change by accident. Each GraphQL field is authorized by its
 * route.
 */
const openToAgents = words(`
  whoami graphql testAction reportOutcome governAction governedOutcome simulate why listApprovals approvalHistory getApproval
  listSessions exportSession verifySession markdownReport htmlReport chatCompletions messages responses embeddings completions
  moderations images imageEdits transcriptions translations speech createFile listFiles retrieveFile fileContent deleteFile
  retrieveResponse deleteResponse responseItems createBatch listBatches retrieveBatch cancelBatch countTokens listModels getModel
  cancelRequest mcpMessage mcpStream mcpEnd mcpEvents mcpSessionMessage listManifests getManifest manifestDrift sessionRisk`);
/** Operations for humans only: votes, and others of similar weight. */
const votes = words(`
  approve deny acceptMcpTool releaseSession acceptPlane listPasskeys passkeyChallenge registerPasskey removePasskeyById`);
const global = words(`
  getConfig putConfig refreshConfigKeys recordPluginAct putModule policyRollback rebuildProjections checkArchive repairArchive
  compareInForce acceptPlane listTenantRows putTenantRow removeTenantRow listTenantKeys addTenantKey revokeTenantKey`);
const rank = { viewer: 0, operator: 1, admin: 2 };

describe('[auth.roles] the role matrix', () => {
  const cases = routes.flatMap((route) =>
    allPrincipals.map((who) => ({ route, who, title: `${route.method} ${route.path} as ${who.name}` })),
  );

  test.each(cases)('$title', ({ route, who }) => {
    const closed = route.access !== 'open' && route.access !== 'signed';
    const allowed =
      !closed ||
      (route.access !== 'plane' &&
        rank[who.role] >= rank[route.access as keyof typeof rank] &&
        (who.kind !== 'agent' || openToAgents.has(route.operation)) &&
        (who.kind === 'human' || !votes.has(route.operation)) &&
        (who.platform || !global.has(route.operation)));
    const attempt = () => authorize(route, who);
    if (allowed) expect(attempt).not.toThrow();
    else
      expect(attempt).toThrow(
        expect.objectContaining({
          code: 'forbidden',
          message: expect.stringMatching(/ needs .+(?:; this key|, not) .+\.$/),
        }),
      );
  });

  test('[federation.token] a data plane’s token is accepted on its own routes and no others', () => {
    const plane = principal('service', 'admin', { plane: 'eu', platform: true, tenants: ['*'] });
    for (const route of routes) {
      const attempt = () => authorize(route, plane);
      if (['open', 'signed', 'plane'].includes(route.access)) expect(attempt).not.toThrow();
      else expect(attempt).toThrow(expect.objectContaining({ code: 'forbidden' }));
    }
    expect(routes.filter(({ access }) => access === 'plane').map(({ operation }) => operation)).toEqual([
      'federationConfig',
      'federationStatus',
      'federationMetrics',
    ]);
  });

  test('without a principal only open and signed routes are allowed', () => {
    for (const route of routes) {
      const attempt = () => authorize(route, undefined);
      if (route.access === 'open' || route.access === 'signed') expect(attempt).not.toThrow();
      else expect(attempt).toThrow(expect.objectContaining({ code: 'authentication_error' }));
    }
    expect(new Set(routes.filter(({ access }) => access === 'open').map(({ path }) => path))).toEqual(
      new Set(['/', '/health', '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']),
    );
  });

  test('a platform key with the admin role may change global settings, but an agent key may not', () => {
    const put = routes.find(({ operation }) => operation === 'putConfig')!;
    expect(() => authorize(put, principal('service', 'admin', { platform: true }))).not.toThrow();
    expect(() => authorize(put, principal('agent', 'admin', { platform: true }))).toThrow(
      'needs a key of kind human or service',
    );
    expect(() => authorize(put, principal('human', 'operator', { platform: true }))).toThrow(
      'needs the role admin; this key has the role operator',
    );
  });
});

describe('[auth.health-open] the admin surface', () => {
  test.each([
    ['no key at all', identitiesOf([])],
    ['operators only', identitiesOf([key('a'), key('b', { kind: 'human', person: 'alice' })])],
    ['an agent of role admin, who may not administer', identitiesOf([key('a', { role: 'admin' })])],
  ])('is closed with %s', (_what, identities) => {
    expect(() => requireConfiguredAdmin(identities)).toThrow(
      expect.objectContaining({ code: 'forbidden', message: expect.stringContaining('no admin token') }),
    );
  });

  test('is open with an admin token or a key with the admin role', () => {
    expect(() => requireConfiguredAdmin(identitiesOf([], 'token'))).not.toThrow();
    expect(() => requireConfiguredAdmin(identitiesOf([key('a', { role: 'admin', kind: 'human' })]))).not.toThrow();
  });
});
