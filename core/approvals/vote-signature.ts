/**
 * The signature of an approving vote. Only the functions that take votes can make it, so an `approve` entry that was put
 * into the tables past them is not a vote [approval.vote-signed].
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { signingKeysOf } from '#core/evidence/key-succession.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { signatureFault } from '#core/evidence/signature.ts';
import { canonicalize, hashDomain } from '#core/kernel/canonical.ts';

/** The fields of an `approve` entry that its signature covers, of the entry's body and of the entry itself. */
const signedFields = [
  'approval_id',
  'call_digest',
  'matched_rule',
  'person',
  'reviewer',
  'channel',
  'use_expires_at',
  // Present in an approval by several people.
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

/** The entry of an approving vote, the last one or one among several, with its signature. @throws GatewayError when the signing key does not answer. */
export async function signedVote(entry: EntryDraft, signer: Signer): Promise<EntryDraft> {
  const value = await signer.sign(signedBytes(entry));
  return { ...entry, body: { ...entry.body, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } } };
}

/**
 * Why an `approve` entry does not prove the vote that the row claims; undefined when it does.
 * @param shown digest of what a reviewer is to be shown of the call at hand; undefined where the caller has no such call.
 * @param now the vote must still be usable at this ISO time; undefined where it was used already.
 * @throws GatewayError when the public key cannot be read.
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
  if (requested_by !== row.key_id) return 'the vote was given for the request of another key than the row names';
  if (matched_rule !== row.matched_rule) return 'the vote was given under another rule than the row says';
  if (now !== undefined && !(typeof use_expires_at === 'string' && use_expires_at > now)) {
    return 'the time to use the vote is over';
  }
  return unsigned(entry, signer);
}

/** Why the entry is not one that a function that takes votes has signed. @throws GatewayError when the public key cannot be read. */
async function unsigned(entry: EvidenceEntry, signer: Signer): Promise<string | undefined> {
  const value = (entry.body.signature as { value?: unknown } | undefined)?.value;
  if (typeof value !== 'string') return 'the entry carries no signature of the gateway';
  const keys = (await signingKeysOf(signer)).keys.map(({ public_key }) => public_key);
  return signatureFault(signedBytes(entry), value, keys);
}

/**
 * Why an approval by several people does not rest on the votes that it lists: each but the last has a signed entry of its own, because
 * the list was read from a row [approval.votes-proven].
 * @param earlier entries of kind `vote` of the same approval.
 */
export async function listedVotesDefect(
  approve: EvidenceEntry,
  earlier: readonly EvidenceEntry[],
  signer: Signer,
): Promise<string | undefined> {
  for (const { person, at } of listedVotes(approve).slice(0, -1)) {
    const own = earlier.find((entry) => entry.body.person === person && listedVotes(entry).at(-1)?.at === at);
    if (!own) return 'the approval lists a vote that no entry reports';
    if (own.body.call_digest !== approve.body.call_digest) return 'a listed vote was given for another call';
    if (own.body.shown_sha256 !== approve.body.shown_sha256) return 'a listed voter was shown another call';
    const defect = await unsigned(own, signer);
    if (defect !== undefined) return defect;
  }
  return undefined;
}

/** The votes that an approval by several people lists; the last one is its own. */
export const listedVotes = ({
  body,
}: EvidenceEntry): readonly { readonly person?: unknown; readonly at?: unknown }[] =>
  Array.isArray(body.votes) ? body.votes : [];
