/**
 * Counts the approvals that a call needs, and determines whose votes count [identity.separation-rules]. Pure: the order
 * of votes does not matter.
 */

import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Role } from '#core/contracts/route.ts';
import type { Ballot, Requirement } from '#core/contracts/separation.ts';
import { countText } from '#core/kernel/count-text.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { environmentOfTenant, teamsOf } from './organization.ts';

export interface MissingVotes extends Requirement {
  /** Approvals that are still needed. */
  readonly missing: number;
}

/** Approval request as input to separation rules. */
export interface SeparationRequest {
  readonly tenant: string;
  /** Declared capabilities of the call and those of its effects. */
  readonly capabilities: readonly string[];
  /** Person to whom the requesting key belongs. */
  readonly owner?: string | undefined;
}

/**
 * Returns the rules that apply to a request. There are none for a tenant outside any organisation, in which case a
 * single approval is enough.
 */
export function requirementsOf(
  configuration: Pick<Configuration, 'organizations' | 'separation_rules'>,
  { tenant, capabilities, owner }: SeparationRequest,
): Requirement[] {
  const place = environmentOfTenant(configuration, tenant);
  if (!place) return [];
  return configuration.separation_rules.flatMap(({ name, applies_to, capability: only, requires }, at) => {
    if (
      !globMatches(applies_to, place.path) ||
      (only !== undefined && !capabilities.some((each) => globMatches(only, each)))
    )
      return [];
    const { approvals, from_teams, not_same_team, roles } = requires;
    const own = owner === undefined ? [] : teamsOf(configuration, owner);
    return [
      {
        rule: name ?? `separation_rules[${at}]`,
        approvals,
        ...(from_teams && { from_teams }),
        ...(not_same_team && { not_of_teams: [...new Set([place.team, ...own])].sort() }),
        ...(roles && { roles }),
      },
    ];
  });
}

/** Returns the voter's ballot and the active requirements. */
export const separationOf = (
  configuration: Pick<Configuration, 'organizations' | 'separation_rules'>,
  row: Pick<ApprovalRow, 'tenant' | 'capability' | 'capabilities' | 'key_owner'>,
  { person, role }: { readonly person: string; readonly role: Role },
): { readonly ballot: Ballot; readonly requires: readonly Requirement[] } => ({
  ballot: { person, teams: teamsOf(configuration, person), role },
  requires: requirementsOf(configuration, {
    tenant: row.tenant,
    capabilities: row.capabilities ?? [row.capability],
    owner: row.key_owner,
  }),
});

/** Reports whether a vote counts toward a rule. */
export const counts = ({ from_teams, not_of_teams = [], roles }: Requirement, { teams, role }: Ballot): boolean =>
  (!from_teams || from_teams.some((team) => teams.includes(team))) &&
  !not_of_teams.some((team) => teams.includes(team)) &&
  (!roles || roles.includes(role));

/**
 * Returns the approvals still needed after these votes, or an empty list if there are enough. Each person counts once.
 */
export const missingOf = (requirements: readonly Requirement[], ballots: readonly Ballot[]): MissingVotes[] =>
  requirements.flatMap((requirement) => {
    const people = new Set(ballots.filter((ballot) => counts(requirement, ballot)).map(({ person }) => person));
    const missing = requirement.approvals - people.size;
    return missing > 0 ? [{ ...requirement, missing }] : [];
  });

/** Describes in one sentence which approvals are missing. */
export const missingText = (missing: readonly MissingVotes[]): string =>
  missing
    .map((each) => {
      const { rule, approvals, missing: count } = each;
      const given = count < approvals ? `, ${approvals - count} of ${approvals} given` : '';
      return `${countText(count, 'more approval')}${ofWhom(each)} (${rule})${given}`;
    })
    .join('; ');

/**
 * Describes the approvals that a review needs before the first vote, e.g. `2 approvals of acme/security (two for a
 * merge)`.
 */
export const neededText = (requirements: readonly Requirement[]): string =>
  requirements.map((each) => `${countText(each.approvals, 'approval')}${ofWhom(each)} (${each.rule})`).join('; ');

function ofWhom({ from_teams, not_of_teams, roles }: Requirement): string {
  const parts = [
    from_teams && `of ${from_teams.join(' or ')}`,
    not_of_teams && `not of ${not_of_teams.join(', ')}`,
    roles && `with the role ${roles.join(' or ')}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? ` ${parts.join(', ')}` : '';
}
