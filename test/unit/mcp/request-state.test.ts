/** Sealed states: owner, tampering, and a server's own state. */
import fc from 'fast-check';
import { ticketKey } from '#core/execution/tickets/keys.ts';
import {
  isOwnState,
  openState,
  type RequestState,
  sealState,
  statePrefix,
  stateToClient,
  stateToServer,
} from '#core/mcp/waiting/request-state.ts';

const current = ticketKey('the present key, with enough characters', statePrefix);
const previous = ticketKey('the previous key, with enough characters', statePrefix);
const now = Date.UTC(2026, 0, 1);
const state: RequestState = {
  approval: 'a1',
  tenant: 'default',
  caller: 'k1',
  session: 's1',
  call_digest: 'd'.repeat(64),
  round: 1,
  expires_ms: now + 1000,
  for_server: { requestState: 'theirs', inputResponses: { a: 1 } },
};
const sealed = sealState(state, { current })!;
const caller = { principal: { tenant: 'default', key_id: 'k1' }, sessionId: 'other', sessionIsNamed: false } as never;

test('[approval.ways-to-wait] opening a sealed state returns its content, even during a key rotation', () => {
  expect(openState(sealed, { current }, caller, now)).toEqual({ ...state, key_id: current.id });
  const old = sealState(state, { current: previous })!;
  expect(openState(old, { current, previous }, caller, now)).toMatchObject(state);
  expect(() => openState(old, { current }, caller, now)).toThrow(
    expect.objectContaining({ data: { reason: 'request_state_unknown_key' } }),
  );
});

test('[approval.ways-to-wait] a sealed state with any character changed is refused', () => {
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
      fc.pre(sealed[at] !== char);
      const changed = sealed.slice(0, at) + char + sealed.slice(at + 1);
      expect(() => openState(changed, { current }, caller, now)).toThrow(expect.objectContaining({ code: -32602 }));
    }),
  );
});

test('content that is too large for a client to carry is not sealed into a state', () => {
  expect(sealState({ ...state, for_server: { requestState: 'x'.repeat(60_000) } }, { current })).toBeUndefined();
});

test('a server’s state is not wrapped unless it looks like the gateway’s, and is always returned unchanged', () => {
  for (const theirs of ['opaque', '', 'ags1x', '{"ags1.":1}']) {
    const result = { resultType: 'input_required', requestState: theirs };
    expect(stateToClient(result)).toBe(result);
  }
  fc.assert(
    fc.property(fc.constantFrom('', 'ags1.', 'agx1:', 'agx1:ags1.', 'agx1:agx1:'), fc.string(), (head, tail) => {
      const given = stateToClient({ requestState: head + tail });
      expect(isOwnState(given.requestState)).toBe(false);
      expect(stateToServer(given)).toEqual({ requestState: head + tail });
    }),
  );
  expect(stateToClient({ content: [] })).toEqual({ content: [] });
});
