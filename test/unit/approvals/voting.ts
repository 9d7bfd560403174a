/** Votes over approvals in memory. */
import type { Vote } from '#core/approvals/vote-entry.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalRow, approvalsWorld } from './sample.ts';

export const vote = (over: Partial<Vote> = {}): Vote => ({
  ...{ verdict: 'approve', person: 'alice', key_id: 'k-alice', reviewer: 'alice-laptop', comment: 'fine' },
  ...{ channel: 'http', channels: ['slack'], useSeconds: 600 },
  ...over,
});
export const ballot = (person: string, teams: string[] = []) => ({ person, teams, role: 'operator' as const });
export const by = (person: string, over: Partial<Vote> = {}): Vote =>
  vote({ person, separation: { ballot: ballot(person), requires: [] }, ...over });

/** The world a minute after the request was queued. */
export function world(row: ApprovalRow = approvalRow()) {
  const made = approvalsWorld(row);
  made.pass(60);
  return { ...made, row };
}
export const expectConflict = (work: Promise<unknown>, message: RegExp) =>
  expect(work).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(message) });
