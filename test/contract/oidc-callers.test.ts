/** Callers with a token: votes, sessions and evidence. */
import { signed } from '../support/oidc.ts';
import { keys } from '../support/ports.ts';
import { audience, call, first, gateway, server, tokenOf, useOidcGateway, wellFormed, whoami } from './oidc-gateway.ts';

useOidcGateway();

const pullRequest = {
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  parameters: { title: 'x', head: 'a', base: 'main' },
};

test('[identity.oidc-votes] humans of an issuer vote as their person: never agents, never on their own requests', async () => {
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
    key: keys.owner, // bob again, by a key
    body: { reviewer: 'bob' },
  });
  expect(byKey).toMatchObject({ status: 403, body: { error: { type: 'separation_of_duties' } } });
  expect(await vote(alice!)).toMatchObject({ status: 200, body: { status: 'approved' } });
});

test('[identity.oidc-votes] entries name issuer, subject and owner, and never the token', async () => {
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
