/** A vote's passkey, as a third party verifies it using only the chain. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { assertionFault, PasskeyProofs, passkeyAction, passkeyChallenge } from '#core/evidence/passkey-proof.ts';
import { authenticator, type Twist } from '../../support/authenticator.ts';

const page = { id: 'console.example', origin: 'https://console.example' };
const digest = 'a'.repeat(64);
const own = authenticator();
const key = {
  action: passkeyAction,
  person: 'alice',
  credential_id: own.id,
  public_key: own.publicKey,
  rp_id: page.id,
  origin: page.origin,
};
const challenge = passkeyChallenge('one', digest);
const entry = (kind: string, body: object, hash = kind) => ({ kind, body, hash }) as unknown as EvidenceEntry;
const vote = (passkey: object | undefined, more: object = {}) =>
  entry('approve', { approval_id: 'one', call_digest: digest, person: 'alice', passkey, ...more });

test('[evidence.approval-proven] a vote verifies only with the key from an earlier entry', () => {
  const proofs = new PasskeyProofs();
  const signed = { ...own.sign(challenge, page), key_entry: 'admin' };
  expect(proofs.defect(vote(signed))).toMatch(/in no earlier entry/);
  proofs.add(entry('admin', key));
  expect(proofs.defect(vote(signed))).toBeUndefined();
  expect(proofs.defect(vote(signed, { approval_id: 'two' }))).toMatch(/for another request/);
  expect(proofs.defect(vote(signed, { call_digest: 'b'.repeat(64) }))).toMatch(/for another request/);
  expect(proofs.defect(vote(signed, { person: 'mallory' }))).toMatch(/another person/);
  expect(proofs.defect(vote({ ...signed, key_entry: 'other' }))).toMatch(/in no earlier entry/);
  expect(proofs.defect(vote(undefined, { passkey_required: true }))).toMatch(/requires a passkey/);
  expect(proofs.defect(vote(undefined))).toBeUndefined();
  expect(proofs.defect(entry('deny', { passkey_required: true }))).toBeUndefined();
  proofs.add(vote(signed));
  expect(proofs.votes).toBe(1);
});

test.each<[string, Twist, RegExp]>([
  ['another page', { origin: 'https://elsewhere.example' }, /another page/],
  ['another host', { rpId: 'elsewhere.example' }, /another host/],
  ['nobody verified', { flags: 0x01 }, /no person was verified/],
  ['a registration', { type: 'webauthn.create' }, /not a response to a signing request/],
])('[evidence.approval-proven] refused: %s', (_what, twist, said) => {
  expect(assertionFault(own.sign(challenge, page, twist), key, challenge)).toMatch(said);
});

test('[evidence.approval-proven] a response with any character changed does not verify', () => {
  const signed = own.sign(challenge, page);
  for (const field of ['authenticator_data', 'client_data_json', 'signature'] as const) {
    const text = signed[field];
    for (let at = 0; at < text.length; at += 7) {
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      expect([field, at, assertionFault({ ...signed, [field]: changed }, key, challenge) === undefined]).toEqual([
        field,
        at,
        false,
      ]);
    }
    for (const value of [undefined, 7, '', `${text}=`, `${text} `, null])
      expect(assertionFault({ ...signed, [field]: value }, key, challenge)).toBeDefined();
  }
  expect(assertionFault(signed, { ...key, public_key: authenticator().publicKey }, challenge)).toMatch(/signature/);
});
