/** Revoking an issued credential (spec §2.6): the issuer first, then record and evidence in one transaction. */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import type { Principal } from '#core/identity/principal.ts';
import { GatewayError, notFound } from '#core/kernel/errors.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { CredentialBroker, CredentialStore } from './ports.ts';

interface RegistryPorts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly credentials: CredentialStore;
  readonly brokers: (name: string) => Promise<CredentialBroker | undefined>;
}

/** @throws GatewayError `not_found`, or `conflict` with the record when it is already dead. */
export async function revokeCredential(
  ports: RegistryPorts,
  principal: Principal,
  id: string,
): Promise<CredentialRecord> {
  const record = await ports.credentials.get(principal.tenant, id);
  if (!record) throw notFound(`Credential ${id}`);
  const now = isoTime(ports.clock.now());
  if (record.revoked_at !== undefined || record.expires_at <= now) throw alreadyDead(record);

  await (await ports.brokers(record.broker))?.revoke(record);
  const { type, scope, broker, expires_at } = record;
  const outcome = await ports.ledger.commit({
    draft: {
      tenant: record.tenant,
      session_id: record.session_id,
      timestamp: now,
      kind: 'credential',
      envelope_id: record.envelope_id,
      actor: { key_id: principal.key_id, ...(principal.person !== undefined && { person: principal.person }) },
      body: { action: 'revoke', credential: { id, type, scope, broker, expires_at } },
    },
    changes: [{ type: 'credential.revoke', tenant: record.tenant, id, revoked_at: now }],
  });
  if (!outcome.ok) throw alreadyDead((await ports.credentials.get(principal.tenant, id)) ?? record);
  return { ...record, revoked_at: now };
}

const alreadyDead = (record: CredentialRecord): GatewayError =>
  new GatewayError('conflict', `Credential ${record.id} is already ${record.revoked_at ? 'revoked' : 'expired'}.`, {
    data: { record },
  });
