/** The record of a fresh credential: what is kept, listed and put into evidence. Never its value. */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { BrokerPorts, Grant } from './ports.ts';

/** No grant asks for more (the configuration's limit), so no credential issued longer ago can be alive. */
export const maxCredentialSeconds = 3600;

/**
 * A credential that was issued longer ago has no holder any more: the longest execution has ended, and the minute after it in which
 * its outcome is recorded and the credential called back [credential.due-after-its-holder].
 */
export const holderSeconds = longestExecutionSeconds + 60;

interface Kind {
  readonly type: string;
  readonly degraded: boolean;
  /** The most this kind of credential may live, whatever the grant says. */
  readonly longestSeconds: number;
  readonly note?: string;
}

export function newRecord(
  { clock, ids }: Pick<BrokerPorts, 'clock' | 'ids'>,
  envelope: ActionEnvelope,
  grant: Grant,
  { type, degraded, longestSeconds, note }: Kind,
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

/** The record of a credential whose issuer has its own idea of its life: the earlier end counts. */
export function withEarlierExpiry(record: CredentialRecord, issuerExpiry: string): CredentialRecord {
  const issuerExpires = isoTime(Date.parse(issuerExpiry));
  if (issuerExpires === record.expires_at) return record;
  if (issuerExpires < record.expires_at) return { ...record, expires_at: issuerExpires };
  return { ...record, issuer_expires_at: issuerExpires };
}

/** When the sweep may call a credential back that its holder left behind. */
export const dueAfterHolder = ({ issued_at, expires_at }: CredentialRecord): string => {
  const due = isoTime(Date.parse(issued_at) + holderSeconds * 1000);
  return due < expires_at ? due : expires_at;
};
