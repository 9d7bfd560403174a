import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  approvalEvents,
  isAnswerCurrent,
  isDenialJoinable,
  moveApproval,
  transition,
  unusable,
} from '#core/approvals/approval.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';

const statuses: ApprovalStatus[] = ['pending', 'approved', 'denied', 'executing', 'consumed'];

const row = (over: Partial<ApprovalRow> = {}): ApprovalRow => ({
  envelope_id: 'e1',
  tenant: 't',
  session_id: 's1',
  key_id: 'k1',
  actor: { agent: 'a', session: 's1' },
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  parameters: {},
  withheld: [],
  justification: '',
  call_digest: 'd1',
  matched_rule: 'git:scm.create_*',
  policy_version: 1,
  queued_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T00:30:00.000Z',
  use_expires_at: '2026-01-01T01:00:00.000Z',
  status: 'approved',
  ...over,
});

const attempt = {
  call_digest: 'd1',
  key_id: 'k1',
  session_id: 's1',
  matched_rule: 'git:scm.create_*',
  now: '2026-01-01T00:10:00.000Z',
};

describe('[approval.states] the life of an approval', () => {
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
    expect(moveApproval(row(), event, { set: {} })).toMatchObject({ type: 'approval.move', id: 'e1', from, to });
  });

  test('[approval.one-table] an event leads out of exactly one state, so that its name alone says the move', () => {
    for (const event of approvalEvents) {
      expect([event, statuses.filter((status) => transition(status, event) !== undefined)]).toEqual([
        event,
        [expect.any(String)],
      ]);
    }
  });

  test('[approval.one-table] no move is spelled anywhere but in the table', () => {
    const core = join(__dirname, '../../../core');
    const spelled = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && readFileSync(join(core, file), 'utf8').includes("type: 'approval.move'"),
    );
    // The port declares the change; nothing else but the table makes one.
    expect(spelled.sort()).toEqual(['approvals/approval.ts', 'evidence/ports.ts']);
  });

  test('every event has an answer in every state, and nothing leaves an end state', () => {
    for (const status of statuses) {
      for (const event of approvalEvents) {
        const next = transition(status, event);
        expect(next === undefined || statuses.includes(next)).toBe(true);
        if (status === 'denied' || status === 'consumed') expect(next).toBeUndefined();
      }
    }
  });

  test('whatever happens in whatever order, a call is made at most once and never after a denial', () => {
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
          if (event === 'give_back') runs--; // nothing was called
          if (status === 'denied') denied = true;
        }
        expect(runs).toBeLessThanOrEqual(1);
        expect(denied && runs > 0).toBe(false);
      }),
    );
  });
});

describe('using an approval', () => {
  test('the same call may use it', () => {
    expect(unusable(row(), attempt)).toBeUndefined();
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
    expect(unusable(given, { ...attempt, ...change })).toBe(reason);
  });

  test('[approval.denied] a denial stands for its session or its seconds, a pending request until it expires', () => {
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
