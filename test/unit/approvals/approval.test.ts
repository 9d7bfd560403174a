import fc from 'fast-check';
import {
  approvalEvents,
  isAnswerCurrent,
  isDenialJoinable,
  moveApproval,
  transition,
  unusableReason,
} from '#core/approvals/approval.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import { sampleRow } from './notifications/sample.ts';

const statuses: ApprovalStatus[] = ['pending', 'approved', 'denied', 'executing', 'consumed'];

const row = (over: Partial<ApprovalRow> = {}): ApprovalRow =>
  sampleRow({ status: 'approved', use_expires_at: '2026-01-01T01:00:00.000Z', ...over });

const { call_digest, key_id, session_id, matched_rule } = row();
const attempt = { call_digest, key_id, session_id, matched_rule, now: '2026-01-01T00:10:00.000Z' };

describe('[approval.states] the life cycle of an approval', () => {
  test.each([
    ['pending', 'approve', 'approved'],
    ['pending', 'deny', 'denied'],
    ['pending', 'timeout', 'denied'],
    ['approved', 'use', 'executing'],
    ['executing', 'finish', 'consumed'],
    ['approved', 'refuse', 'consumed'],
    ['executing', 'lease_lost', 'consumed'],
    ['executing', 'give_back', 'approved'],
  ] as const)('%s + %s → %s', (from, event, to) => {
    expect(transition(from, event)).toBe(to);
    expect(moveApproval(row(), event, { set: {} })).toMatchObject({
      type: 'approval.move',
      id: row().envelope_id,
      from,
      to,
    });
  });

  test('each event is accepted in exactly one state', () => {
    for (const event of approvalEvents) {
      expect([event, statuses.filter((status) => transition(status, event) !== undefined)]).toEqual([
        event,
        [expect.any(String)],
      ]);
    }
  });

  test('any sequence of events results in at most one execution, and none after a denial', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...approvalEvents), { maxLength: 40 }), (events) => {
        let status: ApprovalStatus = 'pending';
        let runs = 0;
        let denied = false;
        for (const event of events) {
          const next = transition(status, event);
          if (next === undefined) continue;
          status = next;
          if (status === 'executing') runs++;
          if (event === 'give_back') runs--; // the call was not made
          if (status === 'denied') denied = true;
        }
        expect(runs).toBeLessThanOrEqual(1);
        expect(denied && runs > 0).toBe(false);
      }),
    );
  });
});

describe('using an approval', () => {
  test('an identical call may use it', () => {
    expect(unusableReason(row(), attempt)).toBeUndefined();
  });

  test.each([
    ['unknown_approval', undefined, {}],
    ['other_key', row(), { key_id: 'k2' }],
    ['other_session', row(), { session_id: 's2' }],
    ['call_changed', row(), { call_digest: 'd2' }],
    ['policy_changed', row(), { matched_rule: 'git:scm.*' }],
    ['expired', row(), { now: '2026-01-01T01:00:00.000Z' }],
    ['already_used', row({ status: 'executing' }), {}],
    ['already_used', row({ status: 'consumed' }), {}],
    ['denied', row({ status: 'denied' }), {}],
    ['expired', row({ status: 'denied', reason: 'timeout' }), {}],
    ['withdrawn', row({ status: 'denied', reason: 'withdrawn' }), {}],
    ['session_blocked', row({ status: 'consumed', refused_because: 'session_blocked' }), {}],
    ['pending', row({ status: 'pending' }), {}],
    ['expired', row({ status: 'pending' }), { now: '2026-01-01T00:30:00.000Z' }],
  ] as const)('%s', (reason, given, change) => {
    expect(unusableReason(given, { ...attempt, ...change })).toBe(reason);
  });

  test('[approval.denied] a denial applies for its session or a number of seconds, a pending request until it expires', () => {
    const forSession = row({ status: 'denied', decided_at: '2026-01-01T00:10:00.000Z' });
    expect(isAnswerCurrent(forSession, '2027-01-01T00:00:00.000Z')).toBe(true);
    expect(isDenialJoinable(forSession, '2026-01-01T00:19:59.999Z')).toBe(true);
    expect(isDenialJoinable(forSession, '2026-01-01T00:20:00.000Z')).toBe(false);
    const denied = { ...forSession, denial_seconds: 60 };
    for (const holds of [isAnswerCurrent, isDenialJoinable]) {
      expect(holds(denied, '2026-01-01T00:10:59.999Z')).toBe(true);
      expect(holds(denied, '2026-01-01T00:11:00.000Z')).toBe(false);
    }
    for (const reason of ['timeout', 'withdrawn'])
      expect(isAnswerCurrent({ ...denied, reason }, '2026-01-01T00:10:00.000Z')).toBe(false);
    expect(isAnswerCurrent(row({ status: 'pending' }), '2026-01-01T00:29:59.999Z')).toBe(true);
    expect(isAnswerCurrent(row({ status: 'pending' }), '2026-01-01T00:30:00.000Z')).toBe(false);
  });
});
