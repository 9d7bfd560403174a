/**
 * Checks every vote signed with a passkey: an earlier entry must contain the public key, and the signature must cover
 * this approval of this call [evidence.approval-proven].
 */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { asText } from '#core/kernel/as-text.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { signatureFault } from './signature.ts';

/** Action of the entry that records a public key. */
export const passkeyAction = 'passkey.key';

/** Returns the challenge, in base64url, that an authenticator signs to approve this request for this call. */
export const passkeyChallenge = (approvalId: string, callDigest: string): string =>
  toUrl(
    Buffer.from(
      sha256(
        canonicalize({ version: 1, verdict: 'approve', approval_id: approvalId, call_digest: callDigest }),
        hashDomain.passkeyVote,
      ),
      'hex',
    ),
  );

type Fields = Readonly<Record<string, unknown>>;

export class PasskeyProofs {
  readonly #keys = new Map<string, Fields>();
  #votes = 0;

  /** Number of votes with a valid passkey signature. */
  get votes(): number {
    return this.#votes;
  }

  /** Returns the defect in a passkey vote, or undefined. Earlier entries must already have been added. */
  defect({ kind, body }: EvidenceEntry): string | undefined {
    if (kind !== 'approve' && kind !== 'vote') return undefined;
    const { passkey, passkey_required } = body;
    if (passkey === undefined)
      return passkey_required === true
        ? 'the rule requires a passkey, but the vote carries no passkey signature'
        : undefined;
    if (typeof passkey !== 'object' || passkey === null) return 'the passkey of the vote cannot be read';
    const { key_entry, ...assertion } = passkey as Fields;
    const key = this.#keys.get(asText(key_entry));
    if (!key) return 'the vote names a passkey whose public key is in no earlier entry';
    if (key.person !== body.person) return 'the vote is signed with the passkey of another person';
    const fault = assertionFault(assertion, key, passkeyChallenge(asText(body.approval_id), asText(body.call_digest)));
    return fault === undefined ? undefined : `the passkey signature does not prove the vote: ${fault}`;
  }

  add({ kind, body, hash }: EvidenceEntry): void {
    if (kind === 'admin' && body.action === passkeyAction) this.#keys.set(hash, body);
    if ((kind === 'approve' || kind === 'vote') && body.passkey !== undefined) this.#votes++;
  }
}

/** Authenticator flags for "user present" and "user verified" (by PIN, fingerprint or face). */
const presentAndVerified = 0x05;

/** Returns why an authenticator's response does not satisfy a challenge, or undefined if it does. Never throws. */
export function assertionFault(assertion: Fields, key: Fields, challenge: string): string | undefined {
  const { credential_id, authenticator_data, client_data_json, signature } = assertion;
  const parts = [authenticator_data, client_data_json, signature].map(decodeBase64url);
  const [data, client, signed] = parts;
  if (!data || !client || !signed) return 'a part of it is not canonical base64url';
  if (credential_id !== key.credential_id) return 'it was made with another passkey';
  const said = clientData(client);
  if (said?.type !== 'webauthn.get') return 'it is not a response to a signing request';
  if (said.challenge !== challenge) return 'it was made for another request';
  if (said.origin !== key.origin || said.crossOrigin === true) return 'it was made on another page';
  if (data.length < 37 || Buffer.from(data.subarray(0, 32)).toString('hex') !== sha256(asText(key.rp_id)))
    return 'it was made for another host';
  if (((data[32] ?? 0) & presentAndVerified) !== presentAndVerified) return 'no person was verified';
  const bytes = Buffer.concat([data, Buffer.from(sha256(client), 'hex')]);
  return signatureFault(bytes, Buffer.from(signed).toString('base64'), asText(key.public_key));
}

function clientData(bytes: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

const toUrl = (bytes: Buffer): string =>
  bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

function decodeBase64url(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || !/^[\w-]+$/.test(text)) return undefined;
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Buffer.from(base64.padEnd(Math.ceil(base64.length / 4) * 4, '='), 'base64');
  return toUrl(bytes) === text ? bytes : undefined;
}
