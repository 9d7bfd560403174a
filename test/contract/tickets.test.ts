/** Capability tickets in the real embedded store: issued, presented once, listed, revoked. */

import { v7 } from 'uuid';
import { systemIds } from '#adapters/system/ids.ts';
import { credentialsTable } from '#adapters/tables/credentials-table.ts';
import { ticketsTable } from '#adapters/tables/tickets-table.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { ticketKey } from '#core/execution/tickets/keys.ts';
import { issueTicket, redeemTicket, useOf } from '#core/execution/tickets/tickets.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Call } from '#core/operations/operation.ts';
import { listTickets, revokeTicket } from '#core/operations/tickets.ts';
import { downStore, useStore } from '../support/store.ts';
import { envelope } from '../unit/execution/credentials/sample.ts';

const start = Date.UTC(2026, 0, 1);
const key = ticketKey('a secret that is long enough to be a key');

const store = useStore();

/** Ids one millisecond apart, because UUIDv7 values within a millisecond are not ordered. */
let made = 0;
const ids = { ...systemIds, uuid: () => v7({ msecs: start + made++ }) };

const portsAt = (seconds: number) => ({
  clock: { now: () => start + seconds * 1000 },
  ids,
  tickets: ticketsTable(store),
  keys: async () => ({ current: key }),
});
const callOf = (tenant: string) => ({ ...envelope, tenant });
const issue = (tenant: string, seconds = 0) =>
  issueTicket(portsAt(seconds), callOf(tenant), { policyVersion: 3, approvalId: 'a1', ttlSeconds: 120 });
const redeem = (tenant: string, text: string, seconds = 1) =>
  redeemTicket(portsAt(seconds), text, useOf(callOf(tenant)));
const refused = (reason: string) => expect.objectContaining({ code: 'forbidden', data: { reason } });

describe('capability tickets', () => {
  test('[ticket.redeem] are valid once, and only for the action they were issued for', async () => {
    const { text, record } = await issue('once');
    expect(await redeem('once', text)).toMatchObject({
      ...useOf(callOf('once')),
      policy_version: 3,
      approval_id: 'a1',
    });
    await expect(redeem('once', text)).rejects.toEqual(refused('ticket_replayed'));
    expect(await ticketsTable(store).get('once', record.id)).toEqual({ ...record, used_at: isoTime(start + 1000) });
  });

  test('[ticket.redeem] if twenty callers present a ticket concurrently, only one of them may act', async () => {
    const { text } = await issue('race');
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => redeem('race', text)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refused('ticket_replayed'));
    }
  });

  test('revoked and unregistered tickets are refused', async () => {
    const { text, record } = await issue('revoked');
    expect(await ticketsTable(store).revoke('revoked', record.id, isoTime(start))).toBe(true);
    await expect(redeem('revoked', text)).rejects.toEqual(refused('ticket_revoked'));
    expect(await ticketsTable(store).revoke('revoked', record.id, isoTime(start))).toBe(false);

    const elsewhere = { ...ticketsTable(store), put: async () => {} };
    const unknown = await issueTicket({ ...portsAt(0), tickets: elsewhere }, callOf('revoked'), {
      policyVersion: 1,
      ttlSeconds: 120,
    });
    await expect(redeem('revoked', unknown.text)).rejects.toEqual(refused('ticket_unknown'));
    expect(await ticketsTable(store).revoke('revoked', unknown.record.id, isoTime(start))).toBe(false);
  });

  test('a ticket with an id already in use is not issued, and a row with a different nonce does not match', async () => {
    const { record } = await issue('taken');
    await expect(ticketsTable(store).put(record)).rejects.toMatchObject({ code: 'conflict' });
    expect(await ticketsTable(store).redeem('taken', record.id, 'another', isoTime(start))).toBe('unknown');
    expect(await ticketsTable(store).redeem('taken', record.id, record.nonce, isoTime(start))).toBe('redeemed');
  });

  test('defects in a ticket are reported before the store is read', async () => {
    const { text } = await issue('early');
    await expect(redeem('early', text, 120)).rejects.toEqual(refused('ticket_expired'));
    await expect(redeem('other', text)).rejects.toEqual(refused('ticket_wrong_tenant'));
    await expect(redeem('early', `${text.slice(0, -1)}!`)).rejects.toEqual(refused('ticket_malformed'));
    await expect(redeem('early', text)).resolves.toBeDefined();
  });

  test('no ticket is accepted while the store is not responding', async () => {
    const { text } = await issue('down');
    const gone = ticketsTable({ store: downStore() });
    const ports = { ...portsAt(1), tickets: gone };
    await expect(redeemTicket(ports, text, useOf(callOf('down')))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect(issueTicket(ports, callOf('down'), { policyVersion: 1, ttlSeconds: 1 })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  test("a ticket's text is not stored, and tickets are not listed among the tenant's credentials", async () => {
    const { text, record } = await issue('apart');
    const kept = JSON.stringify(await ticketsTable(store).get('apart', record.id));
    for (const part of text.split('.').slice(1)) expect(kept).not.toContain(part);
    expect(await credentialsTable(store).active('apart', isoTime(start), { limit: 10 })).toEqual({ items: [] });
    expect(await credentialsTable(store).get('apart', record.id)).toBeUndefined();
  });
});

describe("a tenant's tickets, as shown to administrators", () => {
  const written: EntryDraft[] = [];
  const call = (tenant: string, over: Partial<Call> = {}, seconds = 5) =>
    ({
      ports: {
        ...portsAt(seconds),
        ledger: {
          commit: async ({ draft }: { draft: EntryDraft }) => {
            written.push(draft);
            return { ok: true, entry: { hash: 'h' } };
          },
        },
      },
      principal: { key_id: 'k', tenant, person: 'alice' },
      params: {},
      query: {},
      ...over,
    }) as unknown as Call;
  const listed = async (tenant: string, query: Record<string, string> = {}, seconds = 5) => {
    const { body } = await listTickets(call(tenant, { query }, seconds));
    return body as { tickets: { id: string }[]; cursor?: string };
  };
  const idsOf = ({ tickets }: { tickets: { id: string }[] }) => tickets.map(({ id }) => id);

  test('are listed page by page, newest first, while they are valid', async () => {
    const issued: string[] = [];
    for (const seconds of [0, 1, 2, 3]) issued.unshift((await issue('list', seconds)).record.id);
    const used = await issue('list', 4);
    await redeem('list', used.text, 4);
    await issue('elsewhere');
    expect(idsOf(await listed('list'))).toEqual(issued);
    const first = await listed('list', { limit: '3' });
    expect(idsOf(first)).toEqual(issued.slice(0, 3));
    expect(idsOf(await listed('list', { limit: '3', cursor: first.cursor! }))).toEqual(issued.slice(3));
    expect(idsOf(await listed('list', {}, 122))).toEqual(issued.slice(0, 1));
  });

  test("a cursor from another tenant shows none of that tenant's tickets", async () => {
    await issue('mine');
    for (let n = 0; n < 2; n++) await issue('theirs');
    const { cursor } = await listed('theirs', { limit: '1' });
    const { tickets } = await listed('mine', { cursor: cursor! });
    expect(tickets).toHaveLength(1);
    expect(tickets.every((ticket) => (ticket as unknown as { tenant: string }).tenant === 'mine')).toBe(true);
  });

  test('can be revoked once, which is recorded in evidence, and never by another tenant', async () => {
    const { record, text } = await issue('revoke');
    const revoke = (tenant: string, seconds = 5) => revokeTicket(call(tenant, { params: { id: record.id } }, seconds));
    await expect(revoke('stranger')).rejects.toMatchObject({ code: 'not_found' });
    await expect(revoke('revoke', 120)).rejects.toMatchObject({ code: 'conflict' });
    written.length = 0;
    expect((await revoke('revoke')).body).toEqual({ ...record, revoked_at: isoTime(start + 5000) });
    expect(written).toEqual([
      expect.objectContaining({
        kind: 'admin',
        tenant: 'revoke',
        body: {
          action: 'ticket.revoke',
          ticket: { id: record.id, envelope_id: 'e1', tool: envelope.tool, resource: envelope.target },
        },
      }),
    ]);
    await expect(revoke('revoke')).rejects.toMatchObject({ code: 'conflict' });
    await expect(redeem('revoke', text)).rejects.toEqual(refused('ticket_revoked'));
  });
});
