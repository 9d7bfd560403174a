/** Approval requirements of organisations and tool policies, and the properties of a vote that they check. */
import * as z from 'zod';
import type { Role } from './route.ts';

export const voterTeams = z.array(z.string().regex(/^[^/]+\/[^/]+$/, 'a team as "<organisation>/<team>"')).min(1);

/** Requirement of one rule for one request. */
export interface Requirement {
  readonly rule: string;
  readonly approvals: number;
  readonly from_teams?: readonly string[];
  /** Votes of members of these teams do not count. */
  readonly not_of_teams?: readonly string[];
  readonly roles?: readonly Role[];
}

/** Properties of an approving vote that requirements check. */
export interface Ballot {
  readonly person: string;
  /** Teams at the time of the vote, as `<organisation>/<team>`. */
  readonly teams: readonly string[];
  readonly role: Role;
}
