/** Which request of an earlier connection a call goes on with. */
import { joinApproval } from '#core/actions/join-approval.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import { earlierSessions } from '#core/mcp/sessions/resumed.ts';

const now = '2026-01-01T12:00:00.000Z';
const [soon, past] = ['2026-01-01T12:10:00.000Z', '2026-01-01T11:59:59.000Z'];
const earlier = `mcp-${'a'.repeat(32)}`;
const envelopeIn = (session: string) => ({
  ...{ envelope_id: 'e', tenant: 't', key_id: 'k1', actor: { agent: 'a', session }, protocol: 'mcp', tool: 'send' },
  ...{ target: '', capability: 'write', parameters: {}, justification: '' },
});
const request = {
  key_id: 'k1',
  envelope_id: 'e1',
  matched_rule: 'mcp:send',
  session_id: earlier,
  queued_at: '2026-01-01T11:50:00.000Z',
  expires_at: soon,
};

const cases = [
  ['that waits', { status: 'pending' }, true],
  ['that waited too long', { status: 'pending', expires_at: past }, false],
  ['that was approved', { status: 'approved', use_expires_at: soon }, true],
  ['whose approval is over', { status: 'approved', use_expires_at: past }, false],
  ['that the gateway has made', { status: 'consumed', executed_by: 'gateway', use_expires_at: soon }, true],
  ['that the gateway made long ago', { status: 'consumed', executed_by: 'gateway', use_expires_at: past }, false],
  ['that its caller has used', { status: 'consumed', executed_by: 'caller', use_expires_at: soon }, false],
] as const;

const portsOf = (row: object, session?: object) =>
  ({
    clock: { now: () => Date.parse(now) },
    approvals: {
      list: async (_tenant: string, status: string) => ({
        items: (row as typeof request & { status: string }).status === status ? [row] : [],
      }),
      byCall: async (_tenant: string, digest: string) =>
        digest === callDigest(envelopeIn(earlier) as never) ? 'e1' : undefined,
      get: async () => row,
    },
    evidence: { head: async () => undefined },
    mcpStore: { session: async () => session },
  }) as never;
const snapshot = { configuration: { behavior: {} } };
const decision = { decision: 'review', matched_rule: 'mcp:send' };
const action = { envelope: envelopeIn('own'), snapshot, decision };
const joined = (row: object, over: object = {}) =>
  joinApproval(portsOf(row), { ...action, ...over } as never, [earlier]);
const principal = { tenant: 't', key_id: 'k1' } as never;
const handshake = { clientInfo: { name: 'client' } } as never;

test.each(cases)('[mcp.approvals-reconnect] a request %s', async (_, state, counts) => {
  const row = { ...request, ...state };
  expect((await joined(row))?.action.envelope.actor.session).toBe(counts ? earlier : undefined);
  expect(await earlierSessions(portsOf(row), principal, handshake)).toEqual(counts ? [earlier] : []);
});

test.each([
  ['of another key', { key_id: 'k2' }, undefined, false],
  ['of a session with a name of its own', { session_id: 'nightly' }, undefined, false],
  ['of another client', {}, { key_id: 'k1', handshake: { clientInfo: { name: 'other' } } }, false],
  ['of the same client', {}, { key_id: 'k1', handshake: { clientInfo: { name: 'client' } } }, true],
  ['of a session that another key opened', {}, { key_id: 'k2', handshake: { clientInfo: { name: 'client' } } }, false],
] as const)('[mcp.approvals-reconnect] a waiting request %s', async (_, over, session, counts) => {
  const row = { ...request, status: 'pending', ...over };
  expect(await earlierSessions(portsOf(row, session), principal, handshake)).toEqual(counts ? [earlier] : []);
});

test('[mcp.approvals-reconnect] a row of another session than the digest names is not followed', async () => {
  const row = { ...request, status: 'approved', use_expires_at: soon, session_id: `mcp-${'b'.repeat(32)}` };
  expect(await joined(row)).toBeUndefined();
});

test('[mcp.approvals-reconnect] the call counts as its own session finds it', async () => {
  const row = { ...request, status: 'approved', use_expires_at: soon };
  const drift = [{ manifest: 'm', kind: 'target', found: 'x' }];
  expect((await joined(row))?.action.own).toMatchObject({ envelope: { actor: { session: 'own' } } });
  expect(await joined(row, { decision: { ...decision, matched_rule: 'manifest:m' } })).toBeUndefined();
  expect(await joined(row, { decision: { ...decision, drift } })).toBeUndefined();
});
