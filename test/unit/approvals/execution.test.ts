/** Use of an approval: the required state of its row, and time limits. */
import { approvalLeaseSeconds } from '#core/approvals/approval.ts';
import { finishExecution, leaseEnd, releaseApproval, takeForExecution } from '#core/approvals/execution.ts';
import { isoTime } from '#core/kernel/ports.ts';

const holder = { approval: 'a1', tenant: 't1', owner: 'e1' };
const now = Date.UTC(2026, 0, 1);
const bound = { call_digest: 'd', matched_rule: 'git:scm.*' };

test('[approval.used-once] an approval can be used only while approved, before it expires, and for the same call and rule', () => {
  expect(takeForExecution(holder, 'caller', now, bound)).toMatchObject({
    type: 'approval.move',
    from: 'approved',
    to: 'executing',
    where: bound,
    after: { attribute: 'use_expires_at', time: isoTime(now) },
    set: { lease_owner: 'e1', executed_by: 'caller', lease_expires_at: isoTime(now + approvalLeaseSeconds * 1000) },
  });
  expect(leaseEnd(now)).toBe(isoTime(now + approvalLeaseSeconds * 1000));
});

test('[approval.states] only the lease holder can finish an execution or release the approval', () => {
  expect(finishExecution(holder, 'executed', { result: 1 })).toMatchObject({
    from: 'executing',
    to: 'consumed',
    where: { lease_owner: 'e1' },
    set: { outcome: 'executed', result: 1 },
  });
  expect(releaseApproval(holder)).toMatchObject({
    from: 'executing',
    to: 'approved',
    where: { lease_owner: 'e1' },
    clear: ['lease_owner', 'lease_expires_at', 'executed_by'],
  });
});
