/** Counts a human's vote. One transaction moves the row, if it is still pending, and writes its evidence. */
import { counts, type MissingVotes, missingOf, missingText } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow, CastVote } from '#core/contracts/approval.ts';
import type { Requirement } from '#core/contracts/separation.ts';
import { passkeyAction } from '#core/evidence/passkey-proof.ts';
import type { Change } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { announceDecision } from './announce.ts';
import { moveApproval } from './approval.ts';
import { expire } from './expire.ts';
import { alreadyDecided, assertUnchanged, assertUndecided } from './open-request.ts';
import type { VotePorts } from './ports.ts';
import { addedTo, applyTerms, tighteningText } from './terms.ts';
import { approvalRecord } from './views.ts';
import { type CheckedVote, redactedVote, type SignedEntry, type Vote, voteEntry } from './vote-entry.ts';
import { signedVote } from './vote-signature.ts';

/** Maximum number of attempts: if another vote arrives between read and write, the row is re-read. */
const maxTries = 5;

/**
 * Counts a vote. A denial is final, and so is a single approval if one is enough. If rules require several, the row
 * stays pending until they are satisfied [identity.separation-rules]. The current terms apply too
 * [approval.strictest-terms].
 * @returns the row after the vote
 * @throws GatewayError `separation_of_duties` for an approval that does not count under any rule; `conflict` with the
 * record if another vote or the timeout came first, and for an approval of a row that does not match its digest.
 */
export async function decideApproval(ports: VotePorts, found: ApprovalRow, vote: Vote): Promise<ApprovalRow> {
  const asked = (row: ApprovalRow) => applyTerms(row, vote.terms);
  await assertInTime(ports, asked(found), vote);
  const passkey = vote.verdict === 'approve' ? await passkeyOf(ports, asked(found), vote) : undefined;
  let row: ApprovalRow | undefined = found;
  for (let tries = 0; row && tries < maxTries; tries++) {
    const counted = await countVote(ports, asked(row), { ...vote, ...(passkey && { signed: passkey }) });
    if (counted) return counted;
    row = await ports.approvals.find(found.envelope_id);
  }
  throw new GatewayError(
    'service_unavailable',
    'Other votes were written at the same moment, so this one was not counted. Read the approval, and vote again.',
  );
}

/** Refuses a late vote before any other check. @throws GatewayError `conflict` with the record. */
async function assertInTime(ports: VotePorts, row: ApprovalRow, { channels }: Vote): Promise<void> {
  assertUndecided(row);
  if (row.expires_at <= isoTime(ports.clock.now())) throw alreadyDecided(await expire(ports, row, channels));
}

/** Writes a vote. @returns undefined if another vote arrived in between and the row is still pending. */
async function countVote(ports: VotePorts, row: ApprovalRow, cast: CheckedVote): Promise<ApprovalRow | undefined> {
  const now = isoTime(ports.clock.now());
  await assertInTime(ports, row, cast);
  const to = cast.verdict === 'approve' ? 'approved' : 'denied';
  if (to === 'approved') assertUnchanged(row);
  const { vote, salts } = redactedVote(ports, row, cast);
  const several = to === 'approved' ? severalVotes(row, vote, now) : undefined;
  if (several && several.missing.length > 0) return keepVote(ports, row, vote, several, salts);
  const set = {
    reviewer: vote.reviewer,
    person: vote.person,
    comment: vote.comment,
    channel: vote.channel,
    decided_at: now,
    ...(vote.reason && { reason: vote.reason }),
    ...(to === 'denied' && typeof vote.denialLifetime === 'number' && { denial_seconds: vote.denialLifetime }),
    ...(several && { votes: several.votes, vote_count: row.vote_count + 1 }),
    ...(to === 'approved' && addedTerms(row)),
    ...(to === 'approved' && { use_expires_at: isoTime(ports.clock.now() + vote.useSeconds * 1000) }),
  } satisfies Partial<ApprovalRow>;

  const entry = voteEntry(row, vote, to, { ...set, requires: several?.requires });
  const outcome = await ports.ledger.commit({
    draft: to === 'approved' ? await signedVote(entry, ports.votes) : entry,
    changes: [
      moveApproval(row, vote.verdict, {
        set,
        stampEntry: true,
        where: ontoVotes(several && row),
        after: { attribute: 'expires_at', time: now },
      }),
      ...salts,
    ],
  });
  if (!outcome.ok) return stillWaits(ports, row);

  const { hash: evidence_hash, index: evidence_index } = outcome.entry;
  const decided: ApprovalRow = { ...row, ...set, status: to, evidence_hash, evidence_index };
  await announceDecision(ports, decided, vote.channels);
  return decided;
}

/** Records an approval that is not yet sufficient: its entry and the row in one transaction. */
async function keepVote(
  ports: VotePorts,
  row: ApprovalRow,
  vote: CheckedVote,
  { requires, votes, missing }: VoteTally,
  salts: readonly Change[],
): Promise<ApprovalRow | undefined> {
  const decided_at = isoTime(ports.clock.now());
  const entry = voteEntry(row, vote, 'pending', { decided_at, votes, requires });
  const set = { votes, vote_count: row.vote_count + 1, requires, ...addedTerms(row) };
  const kept = { ...entry, kind: 'vote', body: { ...entry.body, missing: missingText(missing) } } as const;
  const outcome = await ports.ledger.commit({
    draft: await signedVote(kept, ports.votes),
    changes: [
      moveApproval(row, 'vote', {
        set,
        where: ontoVotes(row),
        after: { attribute: 'expires_at', time: decided_at },
      }),
      ...salts,
    ],
  });
  if (!outcome.ok) return stillWaits(ports, row);
  return { ...row, ...set };
}

/** Returns the condition that no vote has been added since the voter saw the row. */
const ontoVotes = (row: ApprovalRow | undefined): Partial<ApprovalRow> => (row ? { vote_count: row.vote_count } : {});

/** Returns the additional terms under which a vote was cast; the row keeps them. */
const addedTerms = ({ tightened, require_passkey }: ApprovalRow): Partial<ApprovalRow> =>
  tightened ? { tightened, ...(require_passkey && { require_passkey }) } : {};

/**
 * Returns undefined if the row is still pending and now has another vote. @throws GatewayError `conflict` otherwise.
 */
async function stillWaits(ports: VotePorts, { envelope_id, vote_count }: ApprovalRow): Promise<undefined> {
  const current = await ports.approvals.find(envelope_id);
  if (current?.status === 'pending' && current.vote_count !== vote_count) return undefined;
  throw alreadyDecided(current);
}

/**
 * Records the public key in the session's chain, so that the chain alone proves the vote [evidence.approval-proven].
 * @throws GatewayError `forbidden`, on any channel, for an approval without a passkey if the rule requires one.
 */
async function passkeyOf(ports: VotePorts, row: ApprovalRow, vote: Vote): Promise<SignedEntry | undefined> {
  if (!vote.passkey) {
    if (!row.require_passkey) return undefined;
    const changed = tighteningText(row);
    throw new GatewayError(
      'forbidden',
      `Not counted: rule ${row.matched_rule} takes an approval only with a passkey.${changed ? ` ${changed}` : ''} Approve it in the web console; a passkey is registered there under Passkeys.`,
    );
  }
  const { assertion, passkey } = vote.passkey;
  const { credential_id, public_key, rp_id, origin, registered_at, evidence_hash } = passkey;
  const outcome = await ports.ledger.commit({
    draft: {
      tenant: row.tenant,
      session_id: row.session_id,
      timestamp: isoTime(ports.clock.now()),
      kind: 'admin',
      envelope_id: row.envelope_id,
      actor: { key_id: vote.key_id, person: vote.person },
      body: {
        action: passkeyAction,
        person: vote.person,
        credential_id,
        public_key,
        rp_id,
        origin,
        registered_at,
        registration: evidence_hash,
      },
    },
  });
  if (!outcome.ok) throw new Error('the entry of a public key carries no conditions');
  return { ...assertion, key_entry: outcome.entry.hash };
}

interface VoteTally {
  readonly requires: readonly Requirement[];
  /** The earlier votes and this one. */
  readonly votes: readonly CastVote[];
  readonly missing: readonly MissingVotes[];
}

/**
 * Returns the votes including this one if rules require several. Both the rules at the time of the request and the
 * current rules apply.
 * @throws GatewayError `conflict` for a person's second vote, `separation_of_duties` for a vote that does not count
 * under any rule.
 */
function severalVotes(row: ApprovalRow, vote: CheckedVote, at: string): VoteTally | undefined {
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
