/**
 * Applies the current rules to the approval of a pending request. They can only add to its original terms
 * [approval.strictest-terms].
 */

import { missingOf, missingText } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Requirement } from '#core/contracts/separation.ts';
import { canonicalize } from '#core/kernel/canonical.ts';

export interface CurrentTerms {
  /** Version of the configuration that sets these terms. */
  readonly version: number;
  readonly require_passkey: boolean;
  readonly together?: boolean;
  /** ISO time at which the request expires; absent if no current rule sets a timeout. */
  readonly expires_at?: string;
  readonly requires: readonly Requirement[];
  /** Checks whether an earlier approval by a person still counts; if absent, all do. */
  readonly stillCounts?: (person: string) => boolean;
  /** Sentence explaining why the call could not run now even if approved [approval.obstacle]. */
  readonly obstacle?: string;
}

/**
 * Function that finds a request's current terms; it returns undefined if the configuration has not changed since the
 * request was queued.
 */
export type FindCurrentTerms = (row: ApprovalRow) => Promise<CurrentTerms | undefined>;

/**
 * Returns the request under the stricter of both sets of terms, with a description of additions and obstacles, or the
 * same row if there are none.
 */
export function applyTerms(row: ApprovalRow, now: CurrentTerms | undefined): ApprovalRow {
  if (!now || row.status !== 'pending') return row;
  const { together: _, ...single } = row;
  const tightened = tightenedBy(row.together && !now.together ? single : row, now);
  return now.obstacle === undefined ? tightened : { ...tightened, obstacle: now.obstacle };
}

function tightenedBy(row: ApprovalRow, now: CurrentTerms): ApprovalRow {
  const passkey = now.require_passkey && !row.require_passkey;
  const expires_at = now.expires_at !== undefined && now.expires_at < row.expires_at ? now.expires_at : undefined;
  const added = addedTo(row.requires ?? [], now.requires);
  const withdrawn = (row.votes ?? []).filter(({ person }) => now.stillCounts?.(person) === false);
  if (!passkey && expires_at === undefined && added.length === 0 && withdrawn.length === 0) return row;
  const votes = row.votes?.filter((vote) => !withdrawn.includes(vote));
  const counting = passkey ? votes?.filter((vote) => vote.passkey) : votes;
  const lost = (votes?.length ?? 0) - (counting?.length ?? 0);
  const asks = [
    ...(passkey ? ['a passkey with each approval'] : []),
    ...(lost > 0 ? [`${lost} of the approvals again, because they were given without a passkey`] : []),
    ...withdrawn.map(
      ({ person }) => `an approval in place of that of ${person}, who may no longer approve this request`,
    ),
    ...(added.length > 0 ? [missingText(missingOf(added, []))] : []),
    ...(expires_at === undefined ? [] : [`a decision before ${expires_at}`]),
  ];
  return {
    ...row,
    ...(passkey && { require_passkey: true as const }),
    ...(counting && { votes: counting }),
    ...(expires_at !== undefined && { expires_at }),
    ...(added.length > 0 && { requires: [...(row.requires ?? []), ...added] }),
    tightened: { policy_version: now.version, asks },
  };
}

/** Returns the requirements that were not already present. */
export function addedTo(earlier: readonly Requirement[], now: readonly Requirement[]): Requirement[] {
  const known = new Set(earlier.map((each) => canonicalize(each)));
  return now.filter((each) => !known.has(canonicalize(each)));
}

/** Returns a sentence about the added terms for reviewers; undefined if there are none. */
export const tighteningText = ({ tightened }: Pick<ApprovalRow, 'tightened'>): string | undefined =>
  tightened &&
  `Since this request was made, version ${tightened.policy_version} of the configuration requires more: ${tightened.asks.join('; ')}.`;
