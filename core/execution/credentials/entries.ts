/** Evidence of a credential's lifecycle: minted, handed to an executor, revoked. Never contains its value. */
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';

/** The actor: the action's own key, the administrator who revoked the credential, or the gateway itself. */
export type CredentialActor = EntryDraft['actor'];

export const system: CredentialActor = { key_id: 'system' };

export type CredentialAct =
  | { readonly action: 'mint' }
  /** Handed to the named executor. */
  | { readonly action: 'use'; readonly executor: string }
  /** Presented by a service: accepted, or refused because it was issued for something else. */
  | { readonly action: 'redeem' }
  | { readonly action: 'refuse'; readonly reason: string; readonly behavior?: BehaviorNote }
  /** `called_back`: the issuer revoked it. `until_expiry`: it stays valid at the issuer until it expires. */
  | { readonly action: 'revoke'; readonly issuer: 'called_back' | 'until_expiry' };

/** Drafts the entry for an event in a credential's lifecycle. @param at ISO time. */
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

/** Returns the fields of a credential that are recorded in evidence. */
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
