/**
 * Verifies a vote cast with a passkey: the authenticator's signature over this approval and call [approval.passkey].
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Assertion, Passkey } from '#core/contracts/passkey.ts';
import { assertionFault, passkeyChallenge } from '#core/evidence/passkey-proof.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Ids } from '#core/kernel/ports.ts';
import type { RelyingParty } from './relying-party.ts';
import { type PasskeyStore, writePasskeys } from './store.ts';

/** The assertion for the vote's entry, and the passkey used to verify it. */
export interface VoteAssertion {
  readonly assertion: Assertion;
  readonly passkey: Passkey;
}

/**
 * Verifies the assertion and stores its signature counter, whose values never repeat for authenticators that count.
 * @throws GatewayError `forbidden` if the assertion does not prove this person's vote.
 */
export async function verifyAssertion(
  ports: { readonly passkeys: PasskeyStore; readonly ids: Ids },
  person: string,
  row: Pick<ApprovalRow, 'envelope_id' | 'call_digest'>,
  assertion: Assertion,
  host: RelyingParty,
): Promise<VoteAssertion> {
  const read = await ports.passkeys.get(person);
  const passkey = read?.passkeys.find(({ credential_id }) => credential_id === assertion.credential_id);
  if (!read || !passkey) throw passkeyNotProved(`${person} has registered no passkey with this id`);
  const challenge = passkeyChallenge(row.envelope_id, row.call_digest);
  const signCount = await verifiedSignCount(assertion, passkey, challenge, host);
  // The evidence verifier must accept the assertion too.
  const fault = assertionFault(assertion, { ...passkey }, challenge);
  if (fault !== undefined) throw passkeyNotProved(fault);
  if (signCount !== passkey.sign_count) {
    const passkeys = read.passkeys.map((each) => (each === passkey ? { ...each, sign_count: signCount } : each));
    await writePasskeys(ports, { ...read, passkeys }, read);
  }
  return { assertion, passkey };
}

async function verifiedSignCount(
  assertion: Assertion,
  passkey: Passkey,
  challenge: string,
  host: RelyingParty,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { credential_id: id, authenticator_data, client_data_json, signature } = assertion;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { authenticatorData: authenticator_data, clientDataJSON: client_data_json, signature },
    },
    expectedChallenge: challenge,
    expectedOrigin: host.origin,
    expectedRPID: host.id,
    requireUserVerification: true,
    credential: {
      id,
      publicKey: new Uint8Array(Buffer.from(passkey.cose_key, 'base64url')),
      counter: passkey.sign_count,
    },
  }).catch((cause: Error) => {
    throw passkeyNotProved(cause.message, cause);
  });
  if (!verified) throw passkeyNotProved('its signature is not valid');
  return authenticationInfo.newCounter;
}

const passkeyNotProved = (why: string, cause?: unknown) =>
  new GatewayError('forbidden', `Not counted: the passkey does not prove this vote (${why}).`, { cause });
