/**
 * Approvals signed by a passkey, over HTTP against a running gateway, and their evidence verified without the gateway.
 */
import { verifyBundle } from '#core/evidence/verify.ts';
import { act, agentctl, ask, configurationWith, type Fields } from '../../../test/e2e/client.ts';
import { authenticator, type Page } from '../../../test/support/authenticator.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';

let gateway: Gateway;
let page: Page;
beforeAll(async () => {
  const config = configurationWith((yaml) =>
    yaml.replace(
      '  rules:\n',
      '  rules:\n    - { protocol: http, tool: pay.send, decision: review, reason: Money, approval: { require_passkey: true } }\n',
    ),
  );
  gateway = await startGateway({ config });
  const { port } = new URL(gateway.ready.admin_url);
  page = { id: 'localhost', origin: `http://localhost:${port}` };
});
afterAll(() => gateway?.stop());

const admin = (method: string, path: string, key: string, body?: unknown) =>
  ask<Fields>(gateway.ready.admin_url, method, `/admin/v1${path}`, { key, body });

async function asked(session: string, amount: number) {
  const { body } = await act(gateway.ready.admin_url, 'e2e-agent', {
    protocol: 'http',
    tool: 'pay.send',
    target: '/payments',
    capability: 'write',
    parameters: { amount },
    actor: { agent: 'builder', session },
  });
  const id = String(body.envelope_id);
  const item = (await admin('GET', `/approvals/${id}`, 'e2e-alice')).body;
  return { id, challenge: String(item.passkey_challenge), required: item.passkey_required };
}
const approve = (id: string, passkey?: object) =>
  admin('POST', `/approvals/${id}/approve`, 'e2e-alice', { reviewer: 'alice', ...(passkey && { passkey }) });

async function registered(key = 'e2e-alice') {
  const own = authenticator();
  const { body } = await admin('POST', '/passkeys/challenge', key);
  const answer = own.register(String(body.challenge), page);
  const { status } = await admin('POST', '/passkeys', key, { name: 'laptop', ...answer });
  expect(status).toBe(201);
  return { ...own, answer };
}

test('[approval.passkey] a person registers a passkey with their own key, uses each challenge once, and removes the passkey', async () => {
  const begin = async () => String((await admin('POST', '/passkeys/challenge', 'e2e-alice')).body.challenge);
  const own = authenticator();
  const of = own.register(await begin(), page);
  expect((await admin('POST', '/passkeys', 'e2e-carol', { name: 'x', ...of })).status).toBe(400); // a passkey of another person
  for (const [method, path] of [
    ['GET', '/passkeys'],
    ['POST', '/passkeys'],
    ['POST', '/passkeys/challenge'],
    ['DELETE', `/passkeys/${own.id}`],
  ] as const)
    expect((await admin(method, path, 'e2e-agent', method === 'POST' ? {} : undefined)).status).toBe(403);
  const { status, body } = await admin('POST', '/passkeys', 'e2e-alice', { name: 'phone', ...of });
  expect([status, body.name, body.rp_id]).toEqual([201, 'phone', 'localhost']);
  expect((await admin('POST', '/passkeys', 'e2e-alice', { name: 'again', ...of })).status).toBe(400);
  const listed = (await admin('GET', '/passkeys', 'e2e-alice')).body.passkeys as Fields[];
  expect(listed.map(({ credential_id }) => credential_id)).toEqual([own.id]);
  expect((await admin('GET', '/passkeys', 'e2e-carol')).body.passkeys).toEqual([]);
  expect((await admin('DELETE', `/passkeys/${own.id}`, 'e2e-carol')).status).toBe(404);
  expect((await admin('DELETE', `/passkeys/${own.id}`, 'e2e-alice')).status).toBe(200);
  expect((await admin('GET', '/passkeys', 'e2e-alice')).body.passkeys).toEqual([]);
  const acts = (await admin('GET', '/audit?kind=admin&limit=50', 'e2e-alice')).body.entries as { body: Fields }[];
  const about = acts.filter(({ body: entry }) => entry.credential_id === own.id);
  expect(about.map(({ body: entry }) => entry.action).sort()).toEqual(['passkey.register', 'passkey.remove']);
  expect(about.find(({ body: entry }) => entry.action === 'passkey.register')?.body.public_key).toBe(own.publicKey);
});

test('[approval.passkey] without a passkey, an approval does not count and the response explains how to proceed; a denial counts', async () => {
  const { id, required } = await asked('required', 1);
  expect(required).toBe(true);
  const refused = await approve(id);
  expect([refused.status, (refused.body.error as Fields).message]).toEqual([
    403,
    expect.stringMatching(/only with a passkey.*console/),
  ]);
  expect((await admin('GET', `/approvals/${id}`, 'e2e-alice')).body.status).toBe('pending');
  expect((await admin('POST', `/approvals/${id}/deny`, 'e2e-alice', { reviewer: 'alice' })).status).toBe(200);
});

test('[approval.passkey] a signature counts only for this approval of this call, and evidence proves it', async () => {
  const own = await registered();
  const [first, second] = [await asked('signed', 2), await asked('signed', 3)];
  for (const wrong of [own.sign(second.challenge, page), (await registered('e2e-carol')).sign(first.challenge, page)])
    expect((await approve(first.id, wrong)).status).toBe(403);
  expect((await approve(first.id, { ...own.sign(first.challenge, page), more: 1 })).status).toBe(400);
  const right = own.sign(first.challenge, page, { count: 50 });
  expect((await approve(first.id, right)).status).toBe(200);
  // A replayed response, and one whose counter went back.
  expect((await approve(second.id, right)).status).toBe(403);
  expect((await approve(second.id, own.sign(second.challenge, page, { count: 50 }))).status).toBe(403);
  expect((await approve(second.id, own.sign(second.challenge, page, { count: 51 }))).status).toBe(200);

  const exported = await admin('GET', '/evidence/sessions/signed/export', 'e2e-alice');
  const key = String(((await admin('GET', '/evidence/keys', 'e2e-alice')).body.keys as Fields[])[0]!.public_key);
  const verdict = await verifyBundle(exported.text, key);
  expect(verdict).toMatchObject({ valid: true, passkey_votes: 2 });
  const ran = await agentctl([
    'evidence',
    'verify',
    '--session',
    'signed',
    '--url',
    gateway.ready.admin_url,
    '--key',
    'e2e-alice',
  ]);
  expect(ran.out).toContain('passkeys: 2 votes are signed with one');
  const entries = exported.body.entries as { kind: string; body: Fields }[];
  expect(entries.filter(({ kind }) => kind !== 'result').map(({ kind }) => kind)).toEqual([
    ...['review', 'review', 'admin', 'approve', 'admin', 'approve'],
  ]);
  expect(entries.find(({ kind }) => kind === 'admin')?.body.public_key).toBe(own.publicKey);
});

test('[approval.passkey] an approval that does not need a passkey may still use one, and a removed passkey can no longer sign', async () => {
  const own = await registered();
  const { body } = await act(gateway.ready.admin_url, 'e2e-agent', {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { title: 'T', head: 'fix', base: 'main' },
    actor: { agent: 'builder', session: 'optional' },
  });
  const item = (await admin('GET', `/approvals/${body.envelope_id}`, 'e2e-alice')).body;
  expect(item.passkey_required).toBeUndefined();
  expect((await admin('DELETE', `/passkeys/${own.id}`, 'e2e-alice')).status).toBe(200);
  const assertion = own.sign(String(item.passkey_challenge), page);
  expect((await approve(String(body.envelope_id), assertion)).status).toBe(403);
  const other = await registered();
  expect((await approve(String(body.envelope_id), other.sign(String(item.passkey_challenge), page))).status).toBe(200);
});
