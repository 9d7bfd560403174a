/** Sessions: which one, of what form, and whose. */
import type { SessionHead } from '#core/evidence/ports.ts';
import { assertSessionOwner, resolveSession } from '#core/identity/sessions.ts';
import { principal } from './principals.ts';

const now = Date.UTC(2026, 10, 21, 9, 59, 59, 999);
const from = { keyId: 'k1', instanceId: 'i1', now };

describe('[session.source] the session', () => {
  test.each([
    [{ body: 'b', header: 'h', mcp: 'm' }, 'b'],
    [{ header: 'h', mcp: 'm' }, 'h'],
    [{ mcp: 'm' }, 'm'],
  ])('of %j is %s', (named, session_id) => {
    expect(resolveSession({ ...from, ...named })).toEqual({ session_id, generated: false });
  });

  test('is made per key, instance and hour when none is named', () => {
    const made = resolveSession(from);
    expect(made).toEqual({ session_id: expect.stringMatching(/^auto-[0-9a-f]{32}$/), generated: true });
    expect(resolveSession({ ...from, now: now - 3_599_999 })).toEqual(made);
    const others = [{ now: now + 1 }, { keyId: 'k2' }, { instanceId: 'i2' }].map(
      (other) => resolveSession({ ...from, ...other }).session_id,
    );
    expect(new Set([made.session_id, ...others]).size).toBe(4);
  });
});

test.each([
  ['', 'actor.session'],
  ['with blank', 'actor.session'],
  ['a/b', 'actor.session'],
  ['ä', 'actor.session'],
  ['x'.repeat(129), 'actor.session'],
  ['line\n', 'actor.session'],
  ['admin-default-2026-11-21', 'a session the gateway keeps itself'],
])('[session.form] %j is refused with 400', (body, why) => {
  expect(() => resolveSession({ ...from, body })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(() => resolveSession({ ...from, body })).toThrow(why);
});

test('[session.form] an empty header is refused, never taken for absent', () => {
  expect(() => resolveSession({ ...from, header: '' })).toThrow('X-Session-ID: found "", allowed');
});

describe('[session.owner] a session', () => {
  const head = (owner_key?: string) =>
    ({ session_id: 's1', ...(owner_key !== undefined && { owner_key }) }) as SessionHead;
  const agent = principal('agent', 'admin', { key_id: 'mine' });

  test('is entered by the key that opened it, and by nobody yet', () => {
    expect(() => assertSessionOwner(head('mine'), agent)).not.toThrow();
    expect(() => assertSessionOwner(undefined, agent)).not.toThrow();
  });

  test("is refused to another agent's key, as are the gateway's own", () => {
    for (const foreign of [head('theirs'), head()]) {
      expect(() => assertSessionOwner(foreign, agent)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    }
  });

  test('may be joined by a human', () => {
    expect(() => assertSessionOwner(head('theirs'), principal('human', 'operator'))).not.toThrow();
  });
});
