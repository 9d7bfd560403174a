/** Evidence of a credential's life: what was minted, handed on and called back; never a value. */
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';

/** Who did it: the action's own key, the administrator who revoked, or the gateway itself. */
export type CredentialActor = EntryDraft['actor'];

export const system: CredentialActor = { key_id: 'system' };

export type CredentialAct =
  | { readonly action: 'mint' }
  /** Handed to an executor, by name. */
  | { readonly action: 'use'; readonly executor: string }
  /** Presented by the service that was handed it: taken, or turned away because it is for something else. */
  | { readonly action: 'redeem' }
  | { readonly action: 'refuse'; readonly reason: string; readonly behavior?: BehaviorNote }
  /** `called_back`: the issuer ended it. `until_expiry`: only the gateway forgot it. */
  | { readonly action: 'revoke'; readonly issuer: 'called_back' | 'until_expiry' };

/** @param at ISO time. */
export const credentialDraft = (
  record: CredentialRecord,
  act: CredentialAct,
  actor: CredentialActor,
  at: string,
): EntryDraft => ({
  tenant: record.tenant,
  session_id: record.session_id,
  timestamp: at,
  kind: 'credential',
  envelope_id: record.envelope_id,
  actor,
  body: { ...act, credential: provenanceOf(record) },
});

/** What evidence keeps of a credential. */
export const provenanceOf = (record: CredentialRecord) => {
  const { id, type, scope, broker, expires_at, degraded, version_id, policy_digest, ticket_sha256 } = record;
  return {
    id,
    type,
    scope,
    broker,
    expires_at,
    ...(degraded && { degraded }),
    ...(version_id !== undefined && { version_id }),
    ...(policy_digest !== undefined && { policy_digest }),
    ...(ticket_sha256 !== undefined && { ticket_sha256 }),
  };
};
