/**
 * Operations that list, register and remove a person's passkeys over HTTP. People manage only their own passkeys, with
 * their own key.
 */

import { relyingParty } from '#core/approvals/passkeys/relying-party.ts';
import type { Passkey } from '#core/contracts/passkey.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { type Call, type Operation, parseBySchema } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';
import { algorithm, beginRegistration, finishRegistration, maxPasskeys, removePasskey } from './register.ts';
import { registerPasskeySchema } from './request.ts';

export const listPasskeys: Operation = async (call) => {
  const row = await call.ports.passkeys.get(personOf(call));
  return {
    body: { rp: relyingParty(call.ports), passkeys: (row?.passkeys ?? []).map(passkeyAnswer), most: maxPasskeys },
  };
};

export const passkeyChallenge: Operation = async (call) => {
  const person = personOf(call);
  const rp = relyingParty(call.ports);
  return { body: { challenge: await beginRegistration(call.ports, person), person, rp, algorithm } };
};

export const registerPasskey: Operation = async (call) => {
  const person = personOf(call);
  const given = parseBySchema(registerPasskeySchema, call.body());
  const record = ({ cose_key: _cose, ...passkey }: Omit<Passkey, 'evidence_hash'>) =>
    recordAct(call, 'passkey.register', { person, ...passkey });
  const passkey = await finishRegistration(call.ports, person, given, relyingParty(call.ports), record);
  return { status: 201, body: passkeyAnswer(passkey) };
};

export const removePasskeyById: Operation = async (call) => {
  const { id = '' } = call.params;
  const person = personOf(call);
  const removed = await removePasskey(call.ports, person, id);
  if (!removed) throw notFound({ noun: 'passkey', list: 'GET /admin/v1/passkeys' }, `${id} of ${person}`);
  await recordAct(call, 'passkey.remove', { person, credential_id: id, name: removed.name });
  return { body: { removed: id } };
};

const passkeyAnswer = ({ credential_id, name, rp_id, origin, registered_at, evidence_hash }: Passkey) => ({
  credential_id,
  name,
  rp_id,
  origin,
  registered_at,
  evidence_hash,
});

function personOf({ principal }: Call): string {
  if (principal.person !== undefined) return principal.person;
  throw new GatewayError(
    'forbidden',
    'This key names no person, and a passkey belongs to a person. Give the key a person in the configuration.',
  );
}
