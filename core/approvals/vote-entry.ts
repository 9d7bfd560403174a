/** A reviewer's vote and the evidence entry that records it. */

import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import type { FederatedCaller } from '#core/contracts/federated.ts';
import type { Assertion } from '#core/contracts/passkey.ts';
import type { Ballot, Requirement } from '#core/contracts/separation.ts';
import type { Change } from '#core/evidence/ports.ts';
import type { Ids } from '#core/kernel/ports.ts';
import { redact } from '#core/text/secrets/redact.ts';
import type { VoteAssertion } from './passkeys/assert.ts';
import { shownDigest } from './shown-call.ts';
import type { CurrentTerms } from './terms.ts';

export interface Vote {
  readonly verdict: 'approve' | 'deny';
  /** The authenticated person. */
  readonly person: string;
  readonly key_id: string;
  /** Present if the voter used a token. */
  readonly federated?: FederatedCaller | undefined;
  /** Name given by the approver; recorded in addition to the person. */
  readonly reviewer: string;
  readonly comment: string;
  /** `system`: the caller withdrew the request. */
  readonly channel: 'http' | 'slack' | 'github' | 'system';
  /** The verified signature of the voter's passkey. */
  readonly passkey?: VoteAssertion | undefined;
  /** Recorded details of where the vote was cast. */
  readonly given_on?: Readonly<Record<string, string>>;
  /** Set if the caller withdrew the request. */
  readonly reason?: 'withdrawn';
  /** The voter's teams and role, and the current rules; absent for a withdrawal. */
  readonly separation?: Separation;
  /** Current terms of the approval; absent for a withdrawal. */
  readonly terms?: CurrentTerms | undefined;
  /** Notification channels to notify. */
  readonly channels: readonly string[];
  /** Seconds for which an approval can be used. */
  readonly useSeconds: number;
  /** How long a denial applies to the identical call; default: `session`. */
  readonly denialLifetime?: Configuration['approvals']['denial_lifetime'];
}

interface Separation {
  readonly ballot: Ballot;
  readonly requires: readonly Requirement[];
}

/**
 * Passkey part of a vote's entry: the authenticator's assertion and the hash of the entry that contains the public key.
 */
export type SignedEntry = Assertion & { readonly key_entry: string };
export type CheckedVote = Vote & { readonly signed?: SignedEntry };

/** Fields that a counted vote writes to the row. */
type DecidedFields = Pick<ApprovalRow, 'use_expires_at' | 'votes'> & {
  readonly decided_at: string;
  readonly requires?: readonly Requirement[] | undefined;
};

export function voteEntry(
  row: ApprovalRow,
  vote: CheckedVote,
  to: 'approved' | 'denied' | 'pending',
  set: DecidedFields,
): EntryDraft {
  return {
    tenant: row.tenant,
    session_id: row.session_id,
    timestamp: set.decided_at,
    kind: to === 'approved' ? 'approve' : 'deny',
    envelope_id: row.envelope_id,
    actor: {
      key_id: vote.key_id,
      person: vote.person,
      ...(vote.federated && { issuer: vote.federated.issuer, subject: vote.federated.subject }),
    },
    body: {
      approval_id: row.envelope_id,
      status: to,
      reviewer: vote.reviewer,
      person: vote.person,
      comment: vote.comment,
      channel: vote.channel,
      call_digest: row.call_digest,
      // The requester's key determines who is not allowed to vote.
      ...(to !== 'denied' && { requested_by: row.key_id, shown_sha256: shownDigest(row) }),
      ...(to === 'approved' && { matched_rule: row.matched_rule, use_expires_at: set.use_expires_at }),
      tool: row.tool,
      ...(set.requires && {
        requires: set.requires,
        votes: set.votes?.map(({ person, teams, role, at }) => ({ person, teams, role, at })),
      }),
      ...(vote.signed && { passkey: vote.signed }),
      ...(row.require_passkey && vote.verdict === 'approve' && { passkey_required: true }),
      ...(row.tightened && vote.verdict === 'approve' && { tightened_by: row.tightened.policy_version }),
      ...(vote.reason && { reason: vote.reason }),
      ...(vote.given_on && { given_on: vote.given_on }),
    },
  };
}

/** Redacts the text of a vote in the same way as agents' parameters, since reviewers may paste tokens too. */
export function redactedVote<V extends Vote>(
  ports: { readonly ids: Ids },
  row: ApprovalRow,
  vote: V,
): { vote: V; salts: readonly Change[] } {
  const { value, salts } = redact(
    { reviewer: vote.reviewer, comment: vote.comment },
    { sensitivePaths: [], randomHex: (n) => ports.ids.randomHex(n) },
  );
  const id = `${row.envelope_id}#vote`;
  return {
    vote: { ...vote, ...(value as Pick<Vote, 'reviewer' | 'comment'>) },
    salts: salts.length === 0 ? [] : [{ type: 'salts.put', tenant: row.tenant, id, salts }],
  };
}
