import type { Configuration } from '#core/contracts/config.ts';
import { type TicketKeys, ticketKey, ticketKeys } from '#core/execution/tickets/keys.ts';
import { signTicket, type TicketUse, verifyTicket } from '#core/execution/tickets/ticket.ts';
import { casesOf } from '../../../support/extent.ts';

const ticketSkewMs = 5_000;

const key = ticketKey('the present key, with enough characters');
const earlier = ticketKey('the previous key, with enough characters');
const now = Date.UTC(2026, 0, 1);

const use = {
  tenant: 'default',
  envelope_id: 'e1',
  resource: 'acme/web',
  tool: 'scm.create_pull_request',
  capability: 'write',
};
const claims = {
  ...use,
  id: 't1',
  nonce: 'n'.repeat(32),
  approval_id: 'a1',
  policy_version: 7,
  issued_ms: now,
  expires_ms: now + 120_000,
};
const ticket = signTicket(claims, key);
const check = (text: string, at = now, keys: TicketKeys = { current: key }, over: Partial<TicketUse> = {}) => {
  const outcome = verifyTicket(text, { ...use, ...over }, keys, at);
  return outcome.ok ? 'ok' : outcome.defect;
};

/** Returns a ticket with changed content under the old signature. */
function forged(over: object, mac = ticket.split('.')[2]): string {
  const payload = Buffer.from(JSON.stringify({ ...claims, key_id: key.id, ...over })).toString('base64url');
  return `agt1.${payload}.${mac}`;
}

describe('[ticket.redeem] a capability ticket', () => {
  test('contains its signed claims', () => {
    expect(verifyTicket(ticket, use, { current: key }, now)).toEqual({
      ok: true,
      claims: { ...claims, key_id: key.id },
    });
    expect(ticket).toMatch(/^agt1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/);
  });

  test.each(Object.keys(claims))('a ticket with a changed %s is reported as altered', (name) => {
    const other = typeof claims[name as 'id'] === 'number' ? 1 : 'other';
    expect(check(forged({ [name]: other }), now, { current: key }, { [name]: other })).toBe('altered');
  });

  test('a ticket with any character changed is refused', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ';
    for (let i = 0; i < ticket.length; i++) {
      for (const char of casesOf(alphabet, 9)) {
        if (char === ticket[i]) continue;
        const defect = check(ticket.slice(0, i) + char + ticket.slice(i + 1));
        expect(['malformed', 'unknown_key', 'altered']).toContain(defect);
      }
    }
  });

  test.each([
    ['the mac of another ticket', forged({}, signTicket({ ...claims, id: 't2' }, key).split('.')[2])],
    ['a mac under another key', forged({}, signTicket(claims, earlier).split('.')[2])],
  ])('with %s is reported as altered', (_, text) => {
    expect(check(text)).toBe('altered');
  });

  test.each([
    ['nothing', ''],
    ['two parts', ticket.split('.').slice(0, 2).join('.')],
    ['four parts', `${ticket}.x`],
    ['another version', ticket.replace('agt1', 'agt2')],
    ['a short mac', ticket.slice(0, -1)],
    ['white space around it', ` ${ticket}`],
    ['a line break behind it', `${ticket}\n`],
    ['a payload that is no JSON', `agt1.${Buffer.from('no').toString('base64url')}.${'A'.repeat(43)}`],
    ['a payload that is null', `agt1.${Buffer.from('null').toString('base64url')}.${'A'.repeat(43)}`],
    ['an endless payload', `agt1.${'A'.repeat(20_000)}.${'A'.repeat(43)}`],
  ])('with %s is malformed', (_, text) => {
    expect(check(text)).toBe('malformed');
  });

  test('a ticket signed by the gateway but missing required members is not valid', () => {
    const { tool: _, ...less } = claims;
    expect(check(signTicket(less as typeof claims, key))).toBe('malformed');
    expect(check(signTicket({ ...claims, expires_ms: 'never' as never }, key))).toBe('malformed');
  });

  test.each([
    [{ tenant: 'other' }, 'wrong_tenant'],
    [{ envelope_id: 'e2' }, 'wrong_envelope'],
    [{ resource: 'acme/web2' }, 'wrong_resource'],
    [{ resource: 'ACME/web' }, 'wrong_resource'],
    [{ tool: 'scm.merge' }, 'wrong_verb'],
    [{ capability: 'read' }, 'wrong_verb'],
  ])('presented for %j is refused as %s', (over, defect) => {
    expect(check(ticket, now, { current: key }, over)).toBe(defect);
  });

  test('a ticket is valid from its issue time, with a small tolerance for clock skew, until it expires', () => {
    expect(check(ticket, now - ticketSkewMs - 1)).toBe('not_yet_valid');
    expect(check(ticket, now - ticketSkewMs)).toBe('ok');
    expect(check(ticket, now + 119_999)).toBe('ok');
    expect(check(ticket, now + 120_000)).toBe('expired');
  });

  test('a ticket signed with the previous key is valid during a rotation; one signed with any other key is never valid', () => {
    const old = signTicket(claims, earlier);
    expect(check(old)).toBe('unknown_key');
    expect(check(old, now, { current: key, previous: earlier })).toBe('ok');
    expect(check(forged({ key_id: earlier.id }), now, { current: key, previous: earlier })).toBe('altered');
    expect(check(forged({ key_id: undefined }))).toBe('unknown_key');
  });
});

describe('capability ticket keys', () => {
  const configured = (tickets: object) =>
    ({ credentials: { brokers: [], grants: [], tickets } }) as unknown as Configuration;
  const secrets = (values: Record<string, string>) => ({ get: async (name: string) => values[name] });
  const long = (text: string) => text.padEnd(32, '.');

  test('are read from the configured names, or from the default name', async () => {
    const values = { GATEWAY_TICKET_KEY: long('a'), MINE: long('b'), OLD: long('c') };
    expect(await ticketKeys(configured({}), secrets(values))).toEqual({ current: ticketKey(long('a')) });
    const both = await ticketKeys(configured({ key_env: 'MINE', previous_key_env: 'OLD' }), secrets(values));
    expect([both.current.id, both.previous?.id]).toEqual([ticketKey(long('b')).id, ticketKey(long('c')).id]);
  });

  test('a missing previous key is ignored, but a missing or short key is an error', async () => {
    const of = (values: Record<string, string>) => ticketKeys(configured({ previous_key_env: 'OLD' }), secrets(values));
    expect((await of({ GATEWAY_TICKET_KEY: long('a') })).previous).toBeUndefined();
    const refused = { code: 'service_unavailable' };
    await expect(of({})).rejects.toMatchObject(refused);
    await expect(of({ GATEWAY_TICKET_KEY: 'short' })).rejects.toMatchObject(refused);
    await expect(of({ GATEWAY_TICKET_KEY: long('a'), OLD: 'short' })).rejects.toMatchObject(refused);
  });

  test('a key id reveals nothing about the key', () => {
    expect(key.id).toMatch(/^[0-9a-f]{16}$/);
    expect(key.key.export().toString('hex')).not.toContain(key.id);
  });
});
