/** Views of an approval: the pending item, the record, and the message line. */
import { headlineOf } from '#core/approvals/headline.ts';
import { shownDigest } from '#core/approvals/shown-call.ts';
import { similarTo } from '#core/approvals/similar.ts';
import { approvalItem, approvalRecord, approvalView } from '#core/approvals/views.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from './notifications/sample.ts';

const row = sampleRow;
const url = 'https://gate.example';
const at = Date.UTC(2026, 0, 1, 0, 29, 58, 500);
const ballot = {
  person: 'bob',
  teams: ['acme/core'],
  role: 'operator',
  reviewer: 'bob',
  comment: '',
  channel: 'http',
  at: '',
};
const requires = [{ rule: 'two-people', approvals: 2 }];

test('[approval.card] the remaining seconds are shown only while the request is pending, and are never negative', () => {
  expect(approvalItem(row(), url, at)).toMatchObject({ expires_in_seconds: 2 });
  expect(approvalItem(row(), url, at + 60_000)).toMatchObject({ expires_in_seconds: 0 });
  const over = approvalItem(row({ status: 'approved', after_vote: 'runs' as never }), url, at);
  expect(over).not.toHaveProperty('expires_in_seconds');
  expect(over).not.toHaveProperty('after_vote');
});

test('[approval.passkey] a request says if it needs a passkey', () => {
  expect(approvalItem(row({ require_passkey: true }), url, at)).toMatchObject({ passkey_required: true });
  expect(approvalItem(row(), url, at)).not.toHaveProperty('passkey_required');
});

test('[approval.record] a record contains the votes that were cast, and has no votes member if there were none', () => {
  expect(approvalRecord(row({ status: 'approved' }))).not.toHaveProperty('votes');
  const record = approvalRecord(row({ status: 'approved', votes: [ballot as never] }));
  expect(record).toMatchObject({ votes: [{ person: 'bob', teams: ['acme/core'] }] });
  expect(record.votes![0]).not.toHaveProperty('reviewer');
});

test('[identity.separation-rules] the votes still needed are shown only while the request is pending', () => {
  const waits = approvalView(row({ requires, votes: [ballot as never] }), url, at);
  expect(waits).toMatchObject({ still_needed: expect.stringContaining('1'), votes: [{ person: 'bob' }] });
  const over = approvalView(row({ requires, votes: [ballot as never], status: 'approved' }), url, at);
  expect(over).not.toHaveProperty('still_needed');
  expect(over).toMatchObject({ votes: [{ person: 'bob' }] });
});

test('a decision shows its time as approved_at or denied_at, and the outcome of the call', () => {
  const decided_at = '2026-01-01T00:10:00.000Z';
  expect(approvalView(row({ status: 'denied', decided_at }), url, at)).toMatchObject({ denied_at: decided_at });
  const used = approvalView(
    row({ status: 'consumed', decided_at, outcome: 'executed', executed_by: 'gateway' }),
    url,
    at,
  );
  expect(used).toMatchObject({ approved_at: decided_at, outcome: 'executed', executed_by: 'gateway' });
  expect(approvalView(row(), url, at)).not.toHaveProperty('approved_at');
});

test.each<[Partial<ApprovalRow>, string]>([
  [{}, 'Approval needed before 2026-01-01T00:30:00.000Z'],
  [{ status: 'denied', reason: 'timeout', person: 'system' }, 'Timed out: no reviewer decided in time'],
  [{ status: 'denied', person: 'alice', comment: 'Not now' }, 'Denied by alice: Not now'],
  [{ status: 'approved', person: 'alice', comment: '' }, 'Approved by alice'],
  [{ status: 'consumed', reviewer: 'al' }, 'Approved by al'],
  [{ status: 'approved' }, 'Approved by a reviewer'],
])('the headline of %j is %s', (over, line) => {
  expect(headlineOf(row(over), (text) => text)).toBe(line);
});

test('names and comments in a headline are truncated to the channel’s limit', () => {
  const shown = (text: string, room: number) => text.slice(0, room);
  const long = headlineOf(row({ status: 'denied', person: 'p'.repeat(200), comment: 'c'.repeat(400) }), shown);
  expect(long).toBe(`Denied by ${'p'.repeat(100)}: ${'c'.repeat(300)}`);
});

test('[approval.obstacle] similar pending requests are found on the same server, ignoring case and spaces', () => {
  const own = row({ upstream: 'jira', parameters: { title: 'Fix  it' } });
  const other = { envelope_id: 'two', upstream: 'jira', parameters: { title: 'fix it' } };
  const now = '2026-01-01T00:10:00.000Z';
  expect(similarTo(own, [own, row(other)], now)).toMatchObject({ similar_pending: [{ envelope_id: 'two' }] });
  expect(similarTo(own, [row({ ...other, upstream: 'wiki' })], now)).toEqual({});
});

test('[approval.evidence-decides] the digest of a displayed call ignores salts and nothing else', () => {
  const shown = (title: unknown) => shownDigest(row({ parameters: { title: [title] } }));
  const withheld = (sha256: string) => shown({ redacted: 'sha256-salted', sha256 });
  expect(withheld('a')).toBe(withheld('b'));
  expect(shown({ redacted: 'no', text: 'a' })).not.toBe(shown({ redacted: 'no', text: 'b' }));
  expect(shown('a')).not.toBe(shown('b'));
});
