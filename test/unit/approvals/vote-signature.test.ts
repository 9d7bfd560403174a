/** The bytes covered by a vote's signature. Another format would invalidate the stored votes of every gateway. */
import { type CheckedVote, voteEntry } from '#core/approvals/vote-entry.ts';
import { signedVote } from '#core/approvals/vote-signature.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { sampleRow } from './notifications/sample.ts';

const entry = {
  tenant: 't',
  session_id: 's',
  timestamp: '2026-01-01T00:00:00.000Z',
  kind: 'approve',
  envelope_id: 'e',
  actor: { key_id: 'k' },
  body: { approval_id: 'a', call_digest: 'c', person: 'bob', comment: 'not covered' },
} as unknown as EntryDraft;

test('[approval.evidence-decides] the signature covers the domain, version, entry and signed fields, and nothing else', async () => {
  const signed: string[] = [];
  const signer = {
    keyId: 'key-1',
    publicKey: async () => 'pem',
    sign: async (bytes: Uint8Array) => {
      signed.push(new TextDecoder().decode(bytes));
      return 'value';
    },
  };
  const { body } = await signedVote(entry, signer);
  expect(body).toEqual({ ...entry.body, signature: { alg: 'ECDSA_P256_SHA256', key_id: 'key-1', value: 'value' } });
  expect(signed).toEqual([
    '\u0007{"approval_id":"a","call_digest":"c","key_id":"k","kind":"approve","person":"bob","session_id":"s","tenant":"t","timestamp":"2026-01-01T00:00:00.000Z","version":1}',
  ]);
});

test('[approval.passkey] a vote entry contains its passkey assertion, and omits the member if there was no passkey', () => {
  const vote = { verdict: 'approve', person: 'bob', reviewer: 'bob', comment: '', channel: 'http' };
  const bodyOf = (signed?: object) =>
    voteEntry(sampleRow(), { ...vote, signed } as unknown as CheckedVote, 'approved', { decided_at: '' }).body;
  expect(bodyOf({ key_entry: 'h' })).toMatchObject({ passkey: { key_entry: 'h' } });
  expect(bodyOf()).not.toHaveProperty('passkey');
});
