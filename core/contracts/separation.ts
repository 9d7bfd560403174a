/** Approval requirements of organisations and tool policies, and the properties of a vote that they check. */
import * as z from 'zod';
import type { Role } from './route.ts';

export const voterTeams = z.array(z.string().regex(/^[^/]+\/[^/]+$/, 'a team as "<organisation>/<team>"')).min(1);

/** One rule's requirement for one request. */
export interface Requirement {
  readonly rule: string;
  readonly approvals: number;
  readonly from_teams?: readonly string[];
  /** Teams whose members' votes do not count. */
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
