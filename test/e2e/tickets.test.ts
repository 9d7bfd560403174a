/** Capability tickets between a running gateway and a service that accepts nothing else. */
import type { EvidenceEntry } from '../../core/contracts/evidence.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { loopback } from '../support/loopback.ts';
import { ask, configurationWith, decided, exportOf, type Fields } from './client.ts';

type Service = Awaited<ReturnType<typeof loopback>>;

let gateway: Gateway;
let service: Service;
/** Action that the service claims to perform, in addition to the ticket it received. */
let purpose: Fields;
let answers: { status: number; body: Fields }[];

const redeem = (body: Fields, key = 'e2e-service') =>
  ask(gateway.ready.admin_url, 'POST', '/admin/v1/tickets/redeem', { key, body });

const invoice = { tool: 'billing.get', capability: 'read', resource: '/invoices/7' };
const handed = ({ calls }: Service) => String(calls.at(-1)?.headers.authorization).replace('Bearer ', '');

beforeAll(async () => {
  service = await loopback(async (call) => {
    const ticket = String(call.headers.authorization).replace('Bearer ', '');
    const { status, body } = await redeem({ ticket, ...purpose });
    answers.push({ status, body });
    return status === 200 ? { status: 200, body: { invoice: 7 } } : { status: 403, body: { error: 'no ticket' } };
  });
  const upstream = `{ name: billing, base_url: "${service.url}", allowed_paths: ["/**"], allow_private: true }`;
  gateway = await startGateway({
    config: configurationWith((yaml) =>
      yaml
        .replace('  rules:\n', '  rules:\n    - { protocol: http, tool: "{http,billing}.get", decision: allow }\n')
        .replace('  brokers:\n', '  brokers:\n    - { name: tickets, type: ticket }\n')
        .replace(
          'credentials:\n',
          'credentials:\n  grants: [{ protocol: http, tool: "billing.*", broker: tickets, scope: invoices, ttl_seconds: 60 }]\n',
        )
        .concat(`upstreams: { http: [${upstream}] }\n`),
    ),
  });
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});
beforeEach(() => {
  purpose = invoice;
  answers = [];
});

const call = (session: string, key = 'e2e-agent') =>
  decided(gateway.ready.admin_url, key, {
    protocol: 'http',
    tool: 'billing.get',
    target: '/invoices/7',
    capability: 'read',
    actor: { agent: 'builder', session },
  });
const entriesOf = async (session: string): Promise<readonly EvidenceEntry[]> =>
  (await exportOf(gateway.ready.admin_url, 'e2e-bob', session)).entries;
const acts = (entries: readonly EvidenceEntry[]) =>
  entries.map(({ kind, body }) => (kind === 'credential' ? body.action : kind));

test("[ticket.redeem] a service can redeem a ticket once, and each step of the ticket's life is recorded in evidence", async () => {
  const done = await call('tickets-once');
  expect(done).toMatchObject({ decision: 'allow', credential: { type: 'capability_ticket' } });
  expect(done.result).toMatchObject({ status: 200, body: { invoice: 7 } });
  expect(answers).toEqual([
    {
      status: 200,
      body: expect.objectContaining({ ...invoice, envelope_id: done.envelope_id, policy_version: 1 }),
    },
  ]);

  const ticket = handed(service);
  expect(ticket).toMatch(/^agt1\./);
  const again = await redeem({ ticket, ...invoice });
  expect(again).toMatchObject({ status: 403, body: { error: { reason: 'ticket_replayed' } } });

  const entries = await entriesOf('tickets-once');
  expect(acts(entries).slice(0, 4)).toEqual(['allow', 'mint', 'use', 'redeem']);
  expect(acts(entries).slice(4).sort()).toEqual(['result', 'revoke']);
  expect(entries.find(({ body }) => body.action === 'redeem')?.actor).toMatchObject({ key_id: expect.any(String) });
  expect(JSON.stringify([entries, done])).not.toContain(ticket);
});

test('[ticket.redeem] a ticket presented for another purpose is refused without any effect, and counts against the session', async () => {
  purpose = { ...invoice, resource: '/invoices/8' };
  const refused = await call('tickets-misused');
  expect(answers).toMatchObject([{ status: 403, body: { error: { reason: 'ticket_wrong_resource' } } }]);
  expect(refused.result).toBeUndefined();
  const entries = await entriesOf('tickets-misused');
  expect(entries.find(({ body }) => body.action === 'refuse')?.body).toMatchObject({
    reason: 'ticket_wrong_resource',
    behavior: { signals: [expect.objectContaining({ s: 'misused' })] },
  });
  const risk = await ask<{ score: number }>(gateway.ready.admin_url, 'GET', '/admin/v1/sessions/tickets-misused/risk', {
    key: 'e2e-carol',
  });
  expect(risk.body.score).toBeGreaterThan(0);
});

test('[ticket.redeem] agents redeem nothing', async () => {
  expect((await redeem({ ticket: 'agt1.x.y', ...invoice }, 'e2e-agent')).status).toBe(403);
});
