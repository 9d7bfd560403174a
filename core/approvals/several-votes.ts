/** Approvals by several people: the rules that apply and the votes that count. */

import { counts, type Missing, missingOf, missingText } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow, CastVote } from '#core/contracts/approval.ts';
import type { Requirement } from '#core/contracts/separation.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { addedTo } from './terms.ts';
import { approvalRecord } from './views.ts';
import type { CheckedVote } from './vote-entry.ts';

export interface SeveralVotes {
  readonly requires: readonly Requirement[];
  /** The earlier votes and this one. */
  readonly votes: readonly CastVote[];
  readonly missing: readonly Missing[];
}

/**
 * Returns the votes including this one if rules require several. Both the rules at the time of the request and the
 * current rules apply.
 * @throws GatewayError `conflict` for a second vote of a person, `separation_of_duties` for a vote that no rule counts.
 */
export function severalVotes(row: ApprovalRow, vote: CheckedVote, at: string): SeveralVotes | undefined {
  const { requires: earlier = [], votes: before = [] } = row;
  const requires = [...earlier, ...addedTo(earlier, vote.separation?.requires ?? [])];
  if (requires.length === 0) return undefined;
  const { person, reviewer, comment, channel } = vote;
  if (before.some((each) => each.person === person))
    throw new GatewayError(
      'conflict',
      `Not counted: ${person} has approved ${row.envelope_id} already; the next approval must come from another person.`,
      {
        data: { record: approvalRecord(row) },
      },
    );
  const ballot = vote.separation?.ballot ?? { person, teams: [], role: 'viewer' };
  const open = missingOf(requires, before);
  if (!open.some((each) => counts(each, ballot)))
    throw new GatewayError('separation_of_duties', `Not counted: this approval needs ${missingText(open)}.`);
  const signed = vote.signed && { passkey: true as const };
  const votes = [...before, { ...ballot, reviewer, comment, channel, at, ...signed }];
  return { requires, votes, missing: missingOf(requires, votes) };
}
