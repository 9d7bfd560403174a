/**
 * Creates the record of a new credential. The record is stored, listed and added to evidence without the credential's
 * value.
 */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { BrokerPorts, Grant } from './ports.ts';

/**
 * Longest lifetime. The configuration also enforces it for grants, so credentials issued longer ago than this cannot be
 * valid.
 */
export const maxCredentialSeconds = 3600;

/**
 * Seconds after which a credential no longer has a holder: the longest execution, plus one minute to record its outcome
 * and revoke the credential [credential.list-revoke].
 */
export const holderSeconds = longestExecutionSeconds + 60;

interface CredentialKind {
  readonly type: string;
  readonly degraded: boolean;
  /** Longest lifetime of this kind of credential, regardless of the grant. */
  readonly longestSeconds: number;
  readonly note?: string;
}

export function newRecord(
  { clock, ids }: Pick<BrokerPorts, 'clock' | 'ids'>,
  envelope: ActionEnvelope,
  grant: Grant,
  { type, degraded, longestSeconds, note }: CredentialKind,
): CredentialRecord {
  const issuedMs = clock.now();
  const lifeSeconds = Math.min(grant.ttl_seconds, longestSeconds, maxCredentialSeconds);
  return {
    id: ids.uuid(),
    tenant: envelope.tenant,
    session_id: envelope.actor.session,
    envelope_id: envelope.envelope_id,
    broker: grant.broker,
    type,
    scope: grant.scope,
    degraded,
    issued_at: isoTime(issuedMs),
    expires_at: isoTime(issuedMs + lifeSeconds * 1000),
    ...(note !== undefined && { note }),
  };
}

/** Returns the record with the earlier of the gateway's and the issuer's expiry. */
export function withEarlierExpiry(record: CredentialRecord, issuerExpiry: string): CredentialRecord {
  const issuerExpires = isoTime(Date.parse(issuerExpiry));
  if (issuerExpires === record.expires_at) return record;
  if (issuerExpires < record.expires_at) return { ...record, expires_at: issuerExpires };
  return { ...record, issuer_expires_at: issuerExpires };
}

/** Returns the time after which the sweep may revoke a credential that its holder left behind. */
export const dueAfterHolder = ({ issued_at, expires_at }: CredentialRecord): string => {
  const due = isoTime(Date.parse(issued_at) + holderSeconds * 1000);
  return due < expires_at ? due : expires_at;
};
