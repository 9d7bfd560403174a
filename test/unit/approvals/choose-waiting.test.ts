/** How a caller waits for a human, depending on the client's abilities and the configuration. */
import { chooseWaiting, isMadeByGateway } from '#core/approvals/choose-waiting.ts';

test.each([
  ['a client that follows tasks', { followsTask: true, opensAddress: true, staysConnected: true }, 20, 'task', 0],
  ['a client that opens addresses', { opensAddress: true, staysConnected: true }, 20, 'input', 0],
  ['a caller that stays', { staysConnected: true }, 20, 'held', 20],
  ['a caller that stays, where nothing is held', { staysConnected: true }, 0, 'retry', 0],
  ['a caller that is answered at once', { staysConnected: false }, 20, 'retry', 0],
])('[approval.ways-to-wait] %s', (_who, caller, hold_seconds, way, holdSeconds) => {
  expect(chooseWaiting(caller, { hold_seconds })).toEqual({ way, holdSeconds });
});

test.each([
  ['execute', false, true],
  ['execute', true, false],
  ['release', false, false],
] as const)(
  '[approval.ways-to-wait] with on_approval %s and caller_executes %s, the gateway makes the call: %s',
  (on_approval, own, made) => {
    expect(isMadeByGateway({ on_approval }, own)).toBe(made);
  },
);
