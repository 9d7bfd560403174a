/**
 * Registers a person's passkey: issues a challenge, then verifies and records the authenticator's response
 * [approval.passkey].
 */

import type { RelyingParty } from '#core/approvals/passkeys/relying-party.ts';
import { type PasskeyStore, writePasskeys } from '#core/approvals/passkeys/store.ts';
import type { Passkey } from '#core/contracts/passkey.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { type Clock, type Ids, isoTime } from '#core/kernel/ports.ts';
import type { PasskeyRegistration } from './request.ts';

interface RegisterPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly passkeys: PasskeyStore;
}

export const maxPasskeys = 10;
const challengeMs = 5 * 60_000;
/**
 * ECDSA on P-256 with SHA-256. All authenticators support it, and it is the only one that the evidence verifier needs.
 */
export const algorithm = -7;

/** Starts a registration. @returns the challenge to sign within five minutes, in base64url. */
export async function beginRegistration(ports: RegisterPorts, person: string): Promise<string> {
  const read = await ports.passkeys.get(person);
  const value = Buffer.from(ports.ids.randomHex(32), 'hex').toString('base64url');
  const challenge = { value, expires_at: isoTime(ports.clock.now() + challengeMs) };
  await writePasskeys(ports, { person, passkeys: [], ...read, challenge }, read);
  return value;
}

/**
 * Verifies the authenticator's response to the challenge, which can then not be reused.
 * @param record writes the registration to evidence and returns the entry's hash.
 * @throws GatewayError `invalid_request` for an invalid response, `conflict` for a passkey that is already registered.
 */
export async function finishRegistration(
  ports: RegisterPorts,
  person: string,
  given: PasskeyRegistration,
  host: RelyingParty,
  record: (passkey: Omit<Passkey, 'evidence_hash'>) => Promise<string>,
): Promise<Passkey> {
  const read = await ports.passkeys.get(person);
  const { challenge, passkeys = [] } = read ?? {};
  const now = isoTime(ports.clock.now());
  if (!challenge || challenge.expires_at <= now)
    throw invalidRequest('No registration has begun, or it took longer than 5 minutes; begin again.');
  if (passkeys.length >= maxPasskeys)
    throw new GatewayError('conflict', `${person} has ${maxPasskeys} passkeys, the most allowed; remove one first.`);
  if (passkeys.some(({ credential_id }) => credential_id === given.credential_id))
    throw new GatewayError('conflict', 'This passkey is registered already.');
  const keys = await verifyRegistration(given, challenge.value, host);
  const unrecorded = { ...keys, name: given.name, rp_id: host.id, origin: host.origin, registered_at: now };
  // The challenge is removed first, so that the same response cannot register twice.
  const used = await writePasskeys(ports, { person, passkeys }, read);
  const passkey = { ...unrecorded, evidence_hash: await record(unrecorded) };
  await writePasskeys(ports, { person, passkeys: [...passkeys, passkey] }, used);
  return passkey;
}

async function verifyRegistration(given: PasskeyRegistration, challenge: string, host: RelyingParty) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const outcome = await verifyRegistrationResponse({
    response: {
      id: given.credential_id,
      rawId: given.credential_id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: given.client_data_json, attestationObject: given.attestation_object },
    },
    expectedChallenge: challenge,
    expectedOrigin: host.origin,
    expectedRPID: host.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [algorithm],
  }).catch((cause: Error) => {
    throw refusedKey(cause.message, cause);
  });
  const { registrationInfo } = outcome;
  if (!registrationInfo) throw refusedKey('its attestation is not valid');
  const { id, publicKey, counter } = registrationInfo.credential;
  if (id !== given.credential_id) throw refusedKey('its id is not the one that the authenticator signed');
  return {
    credential_id: id,
    cose_key: Buffer.from(publicKey).toString('base64url'),
    public_key: await pemOf(publicKey),
    sign_count: counter,
  };
}

const refusedKey = (why: string, cause?: unknown) =>
  new GatewayError('invalid_request', `The passkey is not registered: ${why}`, { cause });

/** Bytes before the point of a P-256 key in SPKI form. */
const spkiPrefix = '3059301306072a8648ce3d020106082a8648ce3d030107034200';

async function pemOf(cose: Uint8Array<ArrayBuffer>): Promise<string> {
  const { cose: names, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers');
  const key = decodeCredentialPublicKey(cose);
  if (!names.isCOSEPublicKeyEC2(key)) throw refusedKey('its key is not a P-256 key');
  const [x, y] = [key.get(names.COSEKEYS.x), key.get(names.COSEKEYS.y)];
  if (key.get(names.COSEKEYS.crv) !== names.COSECRV.P256 || x?.length !== 32 || y?.length !== 32)
    throw refusedKey('its key is not a P-256 key');
  const spki = Buffer.concat([Buffer.from(spkiPrefix, 'hex'), Buffer.of(4), x, y]).toString('base64');
  return `-----BEGIN PUBLIC KEY-----\n${spki.match(/.{1,64}/g)?.join('\n')}\n-----END PUBLIC KEY-----\n`;
}

/** Removes a passkey. @returns undefined if the person has no such passkey. */
export async function removePasskey(ports: RegisterPorts, person: string, id: string): Promise<Passkey | undefined> {
  const read = await ports.passkeys.get(person);
  const passkey = read?.passkeys.find(({ credential_id }) => credential_id === id);
  if (!read || !passkey) return undefined;
  await writePasskeys(ports, { ...read, passkeys: read.passkeys.filter((each) => each !== passkey) }, read);
  return passkey;
}
