/** The digest of what a reviewer is shown: the same on both sides, whatever the salts; another one for another call. */
import { type ShownCall, shownDigest } from '#core/approvals/shown-call.ts';
import { redact } from '#core/text/secrets/redact.ts';

const raw = {
  target: 'acme/web',
  parameters: {
    number: 7,
    token: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
    note: 'use ghp_0123456789abcdefghijklmnopqrstuvwxyz now',
  },
};
let salt = 0;
const randomHex = (bytes: number) => String(++salt).padStart(bytes * 2, '0');
function shown(call: object = {}): ShownCall {
  const { value, withheld } = redact({ ...raw, ...call }, { sensitivePaths: [], randomHex });
  return { protocol: 'git', tool: 'scm.merge', capability: 'write', ...(value as typeof raw), withheld };
}

test('[approval.shown] the digest is the same under other salts, and for other secrets in the same places', () => {
  const first = shown();
  expect(first.withheld.length).toBeGreaterThan(0);
  expect(JSON.stringify(first)).not.toBe(JSON.stringify(shown()));
  expect(shownDigest(shown())).toBe(shownDigest(first));
});

test.each([
  ['another parameter', shown({ parameters: { ...raw.parameters, number: 8 } })],
  ['another target', shown({ target: 'acme/other' })],
  [
    'a text beside the secret',
    shown({ parameters: { ...raw.parameters, note: 'send ghp_0123456789abcdefghijklmnopqrstuvwxyz now' } }),
  ],
  ['a secret that is not withheld', { ...shown(), withheld: [] }],
  ['another field withheld', { ...shown(), withheld: ['$.parameters.number'] }],
  [
    'a placeholder for a plain value',
    { ...shown(), parameters: { ...(shown().parameters as object), number: '[redacted:00]' } },
  ],
  ['another tool', { ...shown(), tool: 'scm.delete' }],
])('[approval.shown] %s has another digest', (_, other) => {
  expect(shownDigest(other)).not.toBe(shownDigest(shown()));
});
