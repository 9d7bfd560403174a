/** Sessions: choice, format and owner. */

import { assertSessionOwner, resolveSession } from '#core/configuration/identity/sessions.ts';
import { SessionsOfKey, sessionsOfProcess } from '#core/configuration/identity/unnamed-sessions.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { principal } from './principals.ts';

const now = Date.UTC(2026, 10, 21, 9, 59, 59, 999);
const from = { keyId: 'k1', unnamedSessions: sessionsOfProcess('i1'), now };

describe('[session.source] the session', () => {
  test.each([
    [{ body: 'b', header: 'h', mcp: 'm' }, 'b'],
    [{ header: 'h', mcp: 'm' }, 'h'],
    [{ mcp: 'm' }, 'm'],
  ])('of %j is %s', (named, session_id) => {
    expect(resolveSession({ ...from, ...named })).toEqual({ session_id, generated: false });
  });

  test('is created per key, instance and hour if the caller names none', () => {
    const made = resolveSession(from);
    expect(made).toEqual({ session_id: expect.stringMatching(/^auto-[0-9a-f]{32}$/), generated: true });
    expect(resolveSession({ ...from, now: now - 3_599_999 })).toEqual(made);
    const others = [{ now: now + 1 }, { keyId: 'k2' }, { unnamedSessions: sessionsOfProcess('i2') }].map(
      (other) => resolveSession({ ...from, ...other }).session_id,
    );
    expect(new Set([made.session_id, ...others]).size).toBe(4);
  });
});

describe('[session.source] a caller that names no session, with many gateway processes', () => {
  const high = () => new SessionsOfKey(() => 0.99);

  test('has one session per key and hour, the same in every process', () => {
    const [one, other] = [high(), high()];
    expect(one.of('k1', now)).toMatch(/^auto-2026-11-21T09-[0-9a-f]{24}$/);
    expect(other.of('k1', now - 3_599_999)).toBe(one.of('k1', now));
    expect(new Set([one.of('k1', now), one.of('k2', now), one.of('k1', now + 1)]).size).toBe(3);
  });

  test('gets another session only if the chain is contended, and drops one level each hour', () => {
    const sessions = high();
    const first = sessions.of('k1', now);
    sessions.contended('a session that was named');
    expect(sessions.of('k1', now)).toBe(first);
    sessions.contended(first);
    expect(sessions.of('k1', now)).toBe(`${first}-1`);
    sessions.contended(first); // a late report, for a session that is already abandoned
    expect(sessions.of('k1', now)).toBe(`${first}-1`);
    sessions.contended(`${first}-1`);
    expect(sessions.of('k1', now)).toBe(`${first}-3`);
    expect(sessions.of('k2', now)).not.toMatch(/-\d$/);
    expect(sessions.of('k1', now + 1)).toMatch(/^auto-2026-11-21T10-[0-9a-f]{24}-1$/);
    for (let n = 0; n < 20; n++) sessions.contended(sessions.of('k1', now + 1));
    expect(sessions.of('k1', now + 1)).toMatch(/-253$/);
  });

  test('[session.source] may name its own generated session; no other key can open that session first', () => {
    const sessions = high();
    const first = sessions.of('k1', now);
    for (const body of [first, `${first}-3`]) {
      expect(resolveSession({ ...from, body }).session_id).toBe(body);
      expect(() => resolveSession({ ...from, keyId: 'k2', body })).toThrow('a session for calls of another key');
    }
    expect(resolveSession({ ...from, keyId: 'k2', body: 'auto-mine' }).session_id).toBe('auto-mine');
  });
});

test.each([
  ['', 'actor.session'],
  ['with blank', 'actor.session'],
  ['a/b', 'actor.session'],
  ['ä', 'actor.session'],
  ['x'.repeat(129), 'actor.session'],
  ['line\n', 'actor.session'],
  ['.', 'not only dots'],
  ['..', 'not only dots'],
  ['...', 'not only dots'],
  ['admin-default-2026-11-21', 'a session the gateway keeps itself'],
])('[session.source] a session id of %j returns 400', (body, why) => {
  expect(() => resolveSession({ ...from, body })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(() => resolveSession({ ...from, body })).toThrow(why);
});

test.each(['a', '.a', 'a..', '...-', '1.2'])('[session.source] %j is a valid session id', (body) => {
  expect(resolveSession({ ...from, body }).session_id).toBe(body);
});

test('[session.source] an empty header is refused, not treated as absent', () => {
  expect(() => resolveSession({ ...from, header: '' })).toThrow('X-Session-ID: found "", allowed');
});

describe('[session.owner] a session', () => {
  const head = (owner_key?: string) =>
    ({ session_id: 's1', ...(owner_key !== undefined && { owner_key }) }) as SessionHead;
  const agent = principal('agent', 'admin', { key_id: 'mine' });

  test('can be used by the key that opened it, or by any key before it is opened', () => {
    expect(() => assertSessionOwner(head('mine'), agent)).not.toThrow();
    expect(() => assertSessionOwner(undefined, agent)).not.toThrow();
  });

  test("is refused to another agent's key, as are the gateway's own", () => {
    for (const foreign of [head('theirs'), head()]) {
      expect(() => assertSessionOwner(foreign, agent)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    }
  });

  test('can be joined by a human', () => {
    expect(() => assertSessionOwner(head('theirs'), principal('human', 'operator'))).not.toThrow();
  });
});
