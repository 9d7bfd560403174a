/** The record of a fresh credential: what is kept, listed and put into evidence. Never its value. */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { BrokerPorts, Grant } from './ports.ts';

/** No grant asks for more (the configuration's limit), so no credential issued longer ago can be alive. */
export const longestLifeSeconds = 3600;

/** @param longestSeconds the most this kind of credential may live, whatever the grant says. */
export function newRecord(
  { clock, ids }: Pick<BrokerPorts, 'clock' | 'ids'>,
  envelope: ActionEnvelope,
  grant: Grant,
  kind: { readonly type: string; readonly degraded: boolean; readonly longestSeconds: number },
): CredentialRecord {
  const issuedMs = clock.now();
  const lifeSeconds = Math.min(grant.ttl_seconds, kind.longestSeconds, longestLifeSeconds);
  return {
    id: ids.uuid(),
    tenant: envelope.tenant,
    session_id: envelope.actor.session,
    envelope_id: envelope.envelope_id,
    broker: grant.broker,
    type: kind.type,
    scope: grant.scope,
    degraded: kind.degraded,
    issued_at: isoTime(issuedMs),
    expires_at: isoTime(issuedMs + lifeSeconds * 1000),
  };
}
