/**
 * What the rules in force ask of the approval of a request that waits already. They add to what was asked when it was queued, and take
 * nothing off [approval.terms-now].
 */

import { missingOf, missingText } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Requirement } from '#core/contracts/separation.ts';
import { canonicalize } from '#core/kernel/canonical.ts';

export interface CurrentTerms {
  /** Version of the configuration that asks. */
  readonly version: number;
  readonly require_passkey: boolean;
  /** ISO time at which a request of this age is over; absent where no rule names a time for it now. */
  readonly expires_at?: string;
  readonly requires: readonly Requirement[];
  /** Why an approval would not let the call run now, in words [approval.obstacle]. */
  readonly obstacle?: string;
}

/** Finds the terms of a request; undefined where the configuration is the one that the request was queued under. */
export type FindCurrentTerms = (row: ApprovalRow) => Promise<CurrentTerms | undefined>;

/** The request under the stricter of both terms, and in words what was added and why an approval would not do; the same row where that is nothing. */
export function applyTerms(row: ApprovalRow, now: CurrentTerms | undefined): ApprovalRow {
  if (!now || row.status !== 'pending') return row;
  const tightened = tightenedBy(row, now);
  return now.obstacle === undefined ? tightened : { ...tightened, obstacle: now.obstacle };
}

function tightenedBy(row: ApprovalRow, now: CurrentTerms): ApprovalRow {
  const passkey = now.require_passkey && !row.require_passkey;
  const expires_at = now.expires_at !== undefined && now.expires_at < row.expires_at ? now.expires_at : undefined;
  const added = addedTo(row.requires ?? [], now.requires);
  if (!passkey && expires_at === undefined && added.length === 0) return row;
  const { votes } = row;
  const counting = passkey ? votes?.filter((vote) => vote.passkey) : votes;
  const lost = (votes?.length ?? 0) - (counting?.length ?? 0);
  const asks = [
    ...(passkey ? ['a passkey with each approval'] : []),
    ...(lost > 0 ? [`${lost} of the approvals again, because they were given without a passkey`] : []),
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

/** The requirements that are not among the earlier ones. */
export function addedTo(earlier: readonly Requirement[], now: readonly Requirement[]): Requirement[] {
  const known = new Set(earlier.map((each) => canonicalize(each)));
  return now.filter((each) => !known.has(canonicalize(each)));
}

/** One sentence for those who decide; undefined where nothing was added. */
export const tighteningText = ({ tightened }: Pick<ApprovalRow, 'tightened'>): string | undefined =>
  tightened &&
  `Since this was asked, version ${tightened.policy_version} of the configuration asks for more: ${tightened.asks.join('; ')}.`;
