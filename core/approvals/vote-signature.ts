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
] as const;

type VoteEntry = Pick<EntryDraft, 'tenant' | 'session_id' | 'timestamp' | 'kind' | 'actor' | 'body'>;

const signedBytes = ({ tenant, session_id, timestamp, kind, actor, body }: VoteEntry): Uint8Array => {
  const vote = Object.fromEntries(signedFields.map((name) => [name, body[name]]));
  const statement = { version: 1, tenant, session_id, timestamp, kind, key_id: actor.key_id, ...vote };
  return new TextEncoder().encode(String.fromCharCode(hashDomain.vote) + canonicalize(statement));
};

/** The entry of an approving vote with its signature. @throws GatewayError when the signing key does not answer. */
export async function signedVote(entry: EntryDraft, signer: Signer): Promise<EntryDraft> {
  const value = await signer.sign(signedBytes(entry));
  return { ...entry, body: { ...entry.body, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } } };
}

/**
 * Why an `approve` entry does not prove the vote that the row claims; undefined when it does.
 * @param now the vote must still be usable at this ISO time; undefined where it was used already.
 * @throws GatewayError when the public key cannot be read.
 */
export async function voteDefect(
  entry: EvidenceEntry,
  row: Pick<ApprovalRow, 'matched_rule'>,
  signer: Signer,
  now: string | undefined,
): Promise<string | undefined> {
  const { signature, matched_rule, use_expires_at } = entry.body;
  const value = (signature as { value?: unknown } | undefined)?.value;
  if (typeof value !== 'string') return 'the entry carries no signature of the gateway';
  if (matched_rule !== row.matched_rule) return 'the vote was given under another rule than the row says';
  if (now !== undefined && !(typeof use_expires_at === 'string' && use_expires_at > now)) {
    return 'the time to use the vote is over';
  }
  const keys = (await signingKeysOf(signer)).keys.map(({ public_key }) => public_key);
  return signatureFault(signedBytes(entry), value, keys);
}
