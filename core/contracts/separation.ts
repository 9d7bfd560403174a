/** What rules of an organisation and of tool policies ask for of one request, and what counts of a vote. */
import * as z from 'zod';
import type { Role } from './route.ts';

export const voterTeams = z.array(z.string().regex(/^[^/]+\/[^/]+$/, 'a team as "<organisation>/<team>"')).min(1);

/** One rule as it applies to one request. */
export interface Requirement {
  readonly rule: string;
  readonly approvals: number;
  readonly from_teams?: readonly string[];
  /** Members of these teams do not count. */
  readonly not_of_teams?: readonly string[];
  readonly roles?: readonly Role[];
}

/** What counts of an approving vote. */
export interface Ballot {
  readonly person: string;
  /** As `<organisation>/<team>`, when the vote was given. */
  readonly teams: readonly string[];
  readonly role: Role;
}
