/**
 * Signs and verifies approving votes. Only voting functions can sign, so an `approve` entry written directly to the
 * tables does not count as a vote [approval.evidence-decides].
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { signingKeysOf } from '#core/evidence/key-succession.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { signatureFault } from '#core/evidence/signature.ts';
import { canonicalize, hashDomain } from '#core/kernel/canonical.ts';

/** Signed fields in the body of an `approve` entry. */
const signedFields = [
  'approval_id',
  'call_digest',
  'matched_rule',
  'person',
  'reviewer',
  'channel',
  'use_expires_at',
  // Present if several people approved.
  'votes',
  'requires',
  'passkey',
  'passkey_required',
  'requested_by',
  'shown_sha256',
] as const;

type VoteEntry = Pick<EntryDraft, 'tenant' | 'session_id' | 'timestamp' | 'kind' | 'actor' | 'body'>;

const signedBytes = ({ tenant, session_id, timestamp, kind, actor, body }: VoteEntry): Uint8Array => {
  const vote = Object.fromEntries(signedFields.map((name) => [name, body[name]]));
  const statement = { version: 1, tenant, session_id, timestamp, kind, key_id: actor.key_id, ...vote };
  return new TextEncoder().encode(String.fromCharCode(hashDomain.vote) + canonicalize(statement));
};

/** Returns an approving vote's entry with its signature. @throws GatewayError if the signing key is unavailable. */
export async function signedVote(entry: EntryDraft, signer: Signer): Promise<EntryDraft> {
  const value = await signer.sign(signedBytes(entry));
  return { ...entry, body: { ...entry.body, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } } };
}

/**
 * Returns why an `approve` entry does not prove the vote claimed by the row; undefined if it does.
 * @param shown returns the digest of the call as a reviewer must see it; undefined if the caller has no such call.
 * @param now ISO time at which the vote must still be usable; undefined if it was already used.
 * @throws GatewayError if the public key cannot be read.
 */
export async function voteDefect(
  entry: EvidenceEntry,
  row: Pick<ApprovalRow, 'matched_rule' | 'key_id'>,
  signer: Signer,
  now: string | undefined,
  shown?: () => string,
): Promise<string | undefined> {
  const { matched_rule, use_expires_at, requested_by = row.key_id, shown_sha256 } = entry.body;
  if (shown && shown_sha256 !== undefined && shown_sha256 !== shown()) return 'the reviewer was shown another call';
  if (requested_by !== row.key_id) return 'the vote was given for a request from a different key than the row names';
  if (matched_rule !== row.matched_rule) return 'the vote was given under a different rule than the row names';
  if (now !== undefined && !(typeof use_expires_at === 'string' && use_expires_at > now))
    return 'the time to use the vote has passed';
  return signatureDefect(entry, signer);
}

/** Returns why the entry is not signed by a voting function. @throws GatewayError if the public key cannot be read. */
async function signatureDefect(entry: EvidenceEntry, signer: Signer): Promise<string | undefined> {
  const value = (entry.body.signature as { value?: unknown } | undefined)?.value;
  if (typeof value !== 'string') return 'the entry carries no gateway signature';
  const keys = (await signingKeysOf(signer)).keys.map(({ public_key }) => public_key);
  return signatureFault(signedBytes(entry), value, keys);
}

/**
 * Returns why the listed votes of an approval by several people are not proven. The list was read from a row, so each
 * vote except the last needs its own signed entry [evidence.approval-proven].
 * @param earlier `vote` entries of the same approval.
 */
export async function listedVotesDefect(
  approve: EvidenceEntry,
  earlier: readonly EvidenceEntry[],
  signer: Signer,
): Promise<string | undefined> {
  for (const { person, at } of listedVotes(approve).slice(0, -1)) {
    const own = earlier.find((entry) => entry.body.person === person && listedVotes(entry).at(-1)?.at === at);
    if (!own) return 'the approval lists a vote that no entry records';
    if (own.body.call_digest !== approve.body.call_digest) return 'a listed vote was given for another call';
    if (own.body.shown_sha256 !== approve.body.shown_sha256) return 'a listed voter was shown another call';
    const defect = await signatureDefect(own, signer);
    if (defect !== undefined) return defect;
  }
  return undefined;
}

/** Returns the votes listed in an approval by several people; the last vote is the approval's own. */
export const listedVotes = ({
  body,
}: EvidenceEntry): readonly { readonly person?: unknown; readonly at?: unknown }[] =>
  Array.isArray(body.votes) ? body.votes : [];
