/** Access tokens from an issuer: identity, refusals, keys and callers. */
import { createHmac } from 'node:crypto';
import type { JWK } from 'jose';
import { issuerDocuments } from '#adapters/http/issuer-documents.ts';
import { lazyTokens } from '#core/configuration/identity/federation/lazy-tokens.ts';
import { caller } from '../support/call-endpoint.ts';
import { signed } from '../support/oidc.ts';
import { configuration, keys } from '../support/ports.ts';
import {
  audience,
  call,
  fetched,
  first,
  gateway,
  now,
  put,
  rotateTo,
  second,
  server,
  settings,
  startAgain,
  tokenOf,
  useOidcGateway,
  wellFormed,
  whoami,
  withIds,
} from './oidc-gateway.ts';

/** Access tokens from an issuer: identity, refusals and keys. */
describe('tokens', () => {
  useOidcGateway();

  test('[identity.oidc-token] an access token from a real server is accepted in either header, in addition to keys', async () => {
    const token = await tokenOf('writer-bot', audience);
    const known = await whoami(token);
    expect(known).toMatchObject({
      status: 200,
      body: { tenant: 'default', role: 'operator', kind: 'agent', name: 'writer-bot', owner: 'bob', platform: false },
    });
    expect(known.body.key_id).toMatch(/^oidc-[0-9a-f]{24}$/);
    expect((await whoami(await tokenOf('writer-bot', audience))).body.key_id).toBe(known.body.key_id);
    expect((await call('GET', '/v1/models', { key: token })).status).toBe(200);
    expect((await call('GET', '/admin/v1/whoami', { key: keys.agent })).body.name).toBe('writer');
    expect(fetched).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  test('[identity.oidc-mapping] claims determine the tenant, role, kind and person, and never grant more than the configured entry', async () => {
    const human = await whoami(await tokenOf('alice-console', audience));
    // In `people`, alice is an operator, so she does not get the entry's admin role.
    expect(human.body).toMatchObject({ kind: 'human', person: 'alice', role: 'operator', name: 'alice@example.com' });
    const named = { ...wellFormed(), sub: 'x', groups: ['by-tenant'], tenant: 'elsewhere' };
    const role = async (gateway_role: unknown) => whoami(await signed(first, { ...named, gateway_role }));
    expect((await role('viewer')).body).toMatchObject({ tenant: 'elsewhere', role: 'viewer' });
    expect((await role('admin')).body).toMatchObject({ role: 'operator' });
    expect(await role('root')).toMatchObject({ status: 403 });
    expect(await role(undefined)).toMatchObject({ status: 403 });
  });

  test.each([
    ['a client in no group', () => tokenOf('stranger', audience), /no identity.oidc callers entry/],
    [
      'a tenant that is not allowed',
      () => signed(first, { ...wellFormed(), groups: ['by-tenant'], tenant: 'default', gateway_role: 'viewer' }),
      /names no tenant/,
    ],
    [
      'two tenants',
      () =>
        signed(first, {
          ...wellFormed(),
          groups: ['by-tenant'],
          tenant: ['elsewhere', 'default'],
          gateway_role: 'viewer',
        }),
      /names no tenant/,
    ],
    [
      'an owner who is nobody',
      () => signed(first, { ...wellFormed(), email: 'mallory@example.com' }),
      /mapped to no person/,
    ],
  ])('[identity.oidc-mapping] a valid token with %s returns 403', async (_, token, message) => {
    expect(await whoami(await token())).toMatchObject({
      status: 403,
      body: { error: { type: 'forbidden', message: expect.stringMatching(message) } },
    });
  });

  test('[identity.oidc-mapping] a token issued for one tenant is refused in another', async () => {
    const token = await tokenOf('writer-bot', audience);
    expect((await whoami(token, { 'x-tenant-id': 'default' })).status).toBe(200);
    expect((await whoami(token, { 'x-tenant-id': 'elsewhere' })).status).toBe(403);
  });

  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const publicKey = ({ kty, n, e }: JWK) => JSON.stringify({ kty, n, e });

  test.each<[string, RegExp, () => string | Promise<string>]>([
    ['has expired', /has expired/, () => signed(first, { ...wellFormed(), exp: now() - 31 })],
    ['is not valid yet', /claim nbf/, () => signed(first, { ...wellFormed(), nbf: now() + 31 })],
    ['was issued in the future', /in the future/, () => signed(first, { ...wellFormed(), iat: now() + 31 })],
    ['has no end', /claim exp/, () => signed(first, { ...wellFormed(), exp: undefined })],
    ['has no beginning', /claim iat/, () => signed(first, { ...wellFormed(), iat: undefined })],
    ['lives too long', /longer than 3600/, () => signed(first, { ...wellFormed(), exp: now() + 3601 })],
    ['has no subject', /claim sub/, () => signed(first, { ...wellFormed(), sub: undefined })],
    ['is for another audience', /audience/, () => tokenOf('writer-bot', 'https://other.test')],
    ['is of another issuer', /issuer of the token/, () => signed(first, { ...wellFormed(), iss: 'https://evil.test' })],
    ['lacks a required claim', /required|requires/, () => signed(first, { ...wellFormed(), scope: 'openid' })],
    ['is an ID token', /type \(typ\)/, () => signed(first, wellFormed(), { typ: 'JWT' })],
    ['needs an extension', /extension/, () => signed(first, { ...wellFormed() }, { crit: ['exp'], exp: 1 } as never)],
    ['has an algorithm that is not listed', /algorithm/, () => signed({ ...first, alg: 'RS512' }, wellFormed())],
    ['is not signed', /algorithm/, () => `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(wellFormed())}.`],
    [
      'is signed with the public key as a secret',
      /algorithm/,
      () => {
        const text = `${base64({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })}.${base64(wellFormed())}`;
        return `${text}.${createHmac('sha256', publicKey(first)).update(text).digest('base64url')}`;
      },
    ],
    [
      'brings its own key',
      /not one that its issuer publishes|signature/,
      () => signed(second, wellFormed(), { jwk: JSON.parse(publicKey(second)), kid: 'key-9' }),
    ],
    [
      'was changed',
      /signature/,
      async () => {
        const [header, , signature] = (await signed(first, wellFormed())).split('.');
        return `${header}.${base64({ ...wellFormed(), sub: 'alice' })}.${signature}`;
      },
    ],
    ['is too long', /at most 8192/, () => signed(first, { ...wellFormed(), pad: 'x'.repeat(8_000) })],
    ['is encrypted', /cannot be read|can be read/, () => `${base64({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`],
  ])('[identity.oidc-token] a token that %s returns 401 invalid_token', async (_, message, token) => {
    const sent = await token();
    const refused = await whoami(sent);
    expect(refused).toMatchObject({
      status: 401,
      body: { error: { type: 'authentication_error', message: expect.stringMatching(message) } },
    });
    expect(refused.headers['www-authenticate']).toMatch(
      /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"]+"$/,
    );
    expect(refused.text + refused.headers['www-authenticate']).not.toContain(sent.slice(-40));
  });

  test('[identity.oidc-token] a clock that is off by 30 seconds is tolerated', async () => {
    const { body } = await whoami(await signed(first, { ...wellFormed(), exp: now() - 29, iat: now() - 60 }));
    expect(body.name).toBe('writer-bot');
    expect((await whoami(await signed(first, { ...wellFormed(), nbf: now() + 29, iat: now() + 29 }))).status).toBe(200);
  });

  test('[identity.oidc-token] unknown key ids cause one fetch every thirty seconds, and a rotated key is found by the next fetch', async () => {
    expect((await whoami(await tokenOf('writer-bot', audience))).status).toBe(200);
    const before = fetched.length;
    gateway.pass(31);
    const flood = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => whoami(await signed(second, wellFormed(), { kid: `unknown-${n}` }))),
    );
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([401]));
    expect(fetched.length - before).toBe(2); // discovery and keys are fetched once

    await rotateTo(second);
    const rotated = await tokenOf('writer-bot', audience);
    expect((await whoami(rotated)).status).toBe(401);
    gateway.pass(31);
    expect((await whoami(rotated)).status).toBe(200);
    expect((await whoami(await signed(first, wellFormed()))).status).toBe(401); // the old key is gone
    expect(fetched.length - before).toBe(4);
  });

  test('[auth.revoked-key] a revoked subject, person or issuer is refused within five seconds', async () => {
    const bot = await tokenOf('writer-bot', audience);
    const human = await tokenOf('alice-console', audience);
    expect([(await whoami(bot)).status, (await whoami(human)).status]).toEqual([200, 200]);
    await put(withIds(configuration(settings(server.issuer, '      revoked_subjects: [writer-bot]'))));
    expect([(await whoami(bot)).status, (await whoami(human)).status]).toEqual([401, 200]);
    await put(configuration(settings(server.issuer)));
    expect([(await whoami(bot)).status, (await whoami(human)).status]).toEqual([403, 403]);
    await put(configuration());
    expect([(await whoami(bot)).status, (await whoami(human)).status]).toEqual([401, 401]);
  });

  test('[identity.oidc-token] while the issuer is down, known keys are accepted for a limited time, then requests return 503; so do requests for an issuer that was never reached', async () => {
    const token = () => signed(first, { ...wellFormed(), exp: now() + 3000 });
    expect((await whoami(await token())).status).toBe(200);
    await server.stop();
    gateway.pass(3_599);
    expect((await whoami(await token())).status).toBe(200);
    gateway.pass(31);
    const down = await whoami(await token());
    expect(down).toMatchObject({ status: 503, body: { error: { type: 'service_unavailable' } } });
    expect(down.headers['retry-after']).toBe('30');
    const unknown = caller({
      ...gateway.ports,
      tokens: lazyTokens({ clock: gateway.ports.clock, documents: issuerDocuments }),
    });
    const authorization = `Bearer ${await token()}`;
    expect((await unknown('GET', '/v1/models', { headers: { authorization } })).status).toBe(503);
    // The gateway's own keys do not depend on the issuer, and an unreachable issuer is not reported as a wrong key.
    for (let n = 0; n < 110; n++) expect((await whoami(await token())).status).toBe(503);
    expect((await call('GET', '/admin/v1/whoami', { key: keys.agent })).status).toBe(200);
    await startAgain();
    gateway.pass(31);
    expect((await whoami(await token())).status).toBe(200);
  });
});

/** Callers with a token: votes, sessions and evidence. */
describe('callers', () => {
  useOidcGateway();

  const pullRequest = {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { title: 'x', head: 'a', base: 'main' },
  };

  test('[identity.oidc-votes] humans who sign in through an issuer vote as their person; agents never vote, and no person votes on their own requests', async () => {
    const [bot, alice, bob] = await Promise.all(
      ['writer-bot', 'alice-console', 'bob-console'].map((id) => tokenOf(id, audience)),
    );
    const asked = await call('POST', '/admin/v1/test-action', {
      headers: { authorization: `Bearer ${bot}` },
      body: { ...pullRequest, actor: { session: 'oidc-votes' } },
    });
    expect(asked.body.decision).toBe('review');
    const vote = (token: string) =>
      call('POST', `/admin/v1/approvals/${asked.body.envelope_id}/approve`, {
        headers: { authorization: `Bearer ${token}` },
        body: { reviewer: 'somebody' },
      });
    expect((await vote(bot!)).status).toBe(403);
    expect(await vote(bob!)).toMatchObject({ status: 403, body: { error: { type: 'separation_of_duties' } } });
    const byKey = await call('POST', `/admin/v1/approvals/${asked.body.envelope_id}/approve`, {
      key: keys.owner, // bob again, with a key
      body: { reviewer: 'bob' },
    });
    expect(byKey).toMatchObject({ status: 403, body: { error: { type: 'separation_of_duties' } } });
    expect(await vote(alice!)).toMatchObject({ status: 200, body: { status: 'approved' } });
  });

  test('[identity.oidc-votes] entries name the issuer, subject and owner, but never contain the token', async () => {
    const bot = await tokenOf('writer-bot', audience);
    const authorization = `Bearer ${bot}`;
    const session = 'oidc-evidence';
    const asked = await call('POST', '/admin/v1/test-action', {
      headers: { authorization },
      body: { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read', actor: { session } },
    });
    expect(asked.status).toBe(200);
    const { key_id } = (await whoami(bot)).body;
    const found = await call('GET', `/admin/v1/evidence/sessions/${session}/export`, { key: keys.human });
    expect(found.status).toBe(200);
    expect(found.text).toContain(`"key_id":"${key_id}"`);
    expect(found.text).toContain(`"issuer":"${server.issuer}"`);
    expect(found.text).toContain('"subject":"writer-bot"');
    expect(found.text).toContain('"owner":"bob"');
    for (const part of bot.split('.').slice(1)) expect(found.text + gateway.lines.join('')).not.toContain(part);
  });

  test('[identity.oidc-mapping] a session belongs to the caller that opened it', async () => {
    const ask = async (token: string | undefined, key?: string) =>
      call('POST', '/admin/v1/test-action', {
        ...(key === undefined ? { headers: { authorization: `Bearer ${token}` } } : { key }),
        body: {
          protocol: 'git',
          tool: 'scm.list_branches',
          target: 'acme/web',
          capability: 'read',
          actor: { session: 'oidc-own' },
        },
      });
    expect((await ask(await tokenOf('writer-bot', audience))).status).toBe(200);
    const other = await signed(first, { ...wellFormed(), sub: 'writer-bot', client_id: 'other-client' });
    expect((await ask(other)).status).toBe(403);
    expect((await ask(undefined, keys.agent)).status).toBe(403);
    expect((await ask(await tokenOf('writer-bot', audience))).status).toBe(200);
  });
});
