/**
 * Registry of issued credentials, which are recorded before use. They are revoked when their action ends, by an
 * administrator, or by the sweep. The issuer revokes first; then record and evidence are written in one transaction.
 */

import { type Principal, personActor } from '#core/configuration/identity/principal.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { Change, Ledger, SessionHead } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { type Clock, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { type CredentialActor, credentialDraft, system } from './entries.ts';
import type { BrokersByName, CredentialStore, IssuedCredential } from './ports.ts';

interface RegistryPorts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly brokers: BrokersByName;
  readonly telemetry: Pick<Telemetry, 'log'> | undefined;
}

/**
 * Records a new credential with its `mint` entry. If that fails, the credential is revoked and not used.
 * @param head the session's current head if known, to save a read.
 * @returns the session's new head.
 * @throws GatewayError in the same cases as the ledger.
 */
export async function recordMint(
  ports: RegistryPorts,
  { record, secret }: IssuedCredential,
  actor: CredentialActor,
  head?: SessionHead | null,
): Promise<SessionHead> {
  try {
    const outcome = await ports.ledger.commit({
      draft: credentialDraft(record, { action: 'mint' }, actor, isoTime(ports.clock.now())),
      changes: [{ type: 'credential.put', credential: record }],
      head,
    });
    if (!outcome.ok) throw new GatewayError('conflict', `Credential ${record.id} is already recorded.`);
    return outcome.head;
  } catch (thrown) {
    await callBack(ports, record, secret);
    throw thrown;
  }
}

/**
 * Records that an executor is about to receive the credential.
 * @returns the session's new head.
 * @throws GatewayError in the same cases as the ledger.
 */
export async function recordUse(
  ports: RegistryPorts,
  { record }: IssuedCredential,
  executor: string,
  actor: CredentialActor,
  head?: SessionHead | null,
): Promise<SessionHead> {
  const draft = credentialDraft(record, { action: 'use', executor }, actor, isoTime(ports.clock.now()));
  const outcome = await ports.ledger.commit({ draft, head });
  if (!outcome.ok) throw new Error('a use carries no conditions');
  return outcome.head;
}

/**
 * Result of ending a credential. `revoked`: the issuer revoked it, and this was recorded. `until_expiry`: the issuer
 * cannot revoke it, so it stays listed until it expires. `later`: the issuer or the ledger failed, and the sweep
 * retries.
 */
type RevocationResult = 'revoked' | 'until_expiry' | 'later';

/** Revokes the credential of an action that has ended. Never throws, so that the action's outcome is kept. */
export async function finishCredential(
  ports: RegistryPorts,
  { record, secret }: IssuedCredential,
  actor: CredentialActor = system,
): Promise<RevocationResult> {
  const called = await callBack(ports, record, secret);
  if (called !== 'called_back') return called;
  try {
    await writeRevoked(ports, record, 'called_back', actor);
    return 'revoked';
  } catch {
    ports.telemetry?.log('warn', 'the revocation of a credential was not recorded', credentialReference(record));
    return 'later';
  }
}

const maxSweptPerPage = 100;
const maxSweptPages = 10;
/** Number of issuers to call concurrently. It is above one because unresponsive issuers take their full timeout. */
const sweepConcurrency = 20;
const longestSweepMs = 40_000;

/**
 * Revokes credentials left behind by a crash or a failing issuer. Safe to run concurrently: each record is revoked only
 * once.
 * @returns the number of revoked credentials.
 */
export async function sweepCredentials(
  ports: RegistryPorts & { readonly credentials: Pick<CredentialStore, 'due'> },
): Promise<number> {
  const now = isoTime(ports.clock.now());
  let revoked = 0;
  const endsAt = ports.clock.now() + longestSweepMs;
  const seen = new Set<string>();
  for (let page = 0; page < maxSweptPages; page++) {
    // Records that failed come first on the next read, so the page is enlarged by their number.
    const due = await ports.credentials.due(now, maxSweptPerPage + seen.size - revoked);
    const fresh = due.filter(({ tenant, id }) => !seen.has(`${tenant}#${id}`));
    if (fresh.length === 0) return revoked;
    for (const { tenant, id } of fresh) seen.add(`${tenant}#${id}`);
    const sweep = async (record: CredentialRecord) => {
      if (await sweepCredential(ports, record, now)) revoked++;
    };
    const inTime = () => ports.clock.now() < endsAt;
    await sideBySide(fresh, sweepConcurrency, sweep, inTime);
    if (!inTime()) return revoked;
  }
  return revoked;
}

/**
 * Revokes one credential. If that fails, the next run tries again, and other credentials are still revoked
 * [store.sweep].
 */
async function sweepCredential(ports: RegistryPorts, record: CredentialRecord, now: string): Promise<boolean> {
  // Once expired at the issuer, the credential need not be revoked there.
  const over = (record.issuer_expires_at ?? record.expires_at) <= now;
  const called = await callBack(ports, record);
  if (called !== 'called_back' && !over) return false;
  const issuer = called === 'called_back' ? 'called_back' : 'until_expiry';
  try {
    return (await writeRevoked(ports, record, issuer, system)) !== undefined;
  } catch (thrown) {
    const error = (thrown as Error).message;
    ports.telemetry?.log('error', 'a revoked credential was not recorded', { ...credentialReference(record), error });
    return false;
  }
}

/**
 * Revokes a credential by id. @throws GatewayError `not_found`, or `conflict` with the record if it is already revoked
 * or expired.
 */
export async function revokeCredential(
  ports: RegistryPorts & { readonly credentials: CredentialStore },
  principal: Principal,
  id: string,
): Promise<CredentialRecord> {
  const record = await ports.credentials.get(principal.tenant, id);
  if (!record) throw notFound({ noun: 'credential', list: 'GET /admin/v1/credentials' }, id);
  const now = isoTime(ports.clock.now());
  if (record.revoked_at !== undefined || record.expires_at <= now) throw alreadyDead(record);

  const broker = await ports.brokers(record.broker);
  await broker?.revoke(record);
  const issuer = broker && (broker.calledBack ?? 'by_record') === 'by_record' ? 'called_back' : 'until_expiry';
  const revoked_at = await writeRevoked(ports, record, issuer, personActor(principal));
  if (revoked_at === undefined) throw alreadyDead((await ports.credentials.get(principal.tenant, id)) ?? record);
  return { ...record, revoked_at };
}

/** Asks the issuer to revoke a credential. Failures are logged, never thrown. */
async function callBack(
  ports: RegistryPorts,
  record: CredentialRecord,
  secret?: string,
): Promise<'called_back' | 'until_expiry' | 'later'> {
  try {
    const broker = await ports.brokers(record.broker);
    if (!broker) return 'until_expiry';
    const how = broker.calledBack ?? 'by_record';
    if (how === 'never' || (how === 'by_value' && secret === undefined)) return 'until_expiry';
    await broker.revoke(record, secret);
    return 'called_back';
  } catch (thrown) {
    const reason = thrown instanceof GatewayError ? thrown.data?.reason : undefined;
    ports.telemetry?.log('warn', 'a credential was not revoked at its issuer', {
      ...credentialReference(record),
      reason: reason ?? 'unknown',
    });
    return 'later';
  }
}

/**
 * Records the revocation. @returns the time of the revocation, or undefined if another process revoked the credential
 * first.
 */
async function writeRevoked(
  ports: RegistryPorts,
  record: CredentialRecord,
  issuer: 'called_back' | 'until_expiry',
  actor: CredentialActor,
): Promise<string | undefined> {
  const now = isoTime(ports.clock.now());
  const change: Change = { type: 'credential.revoke', tenant: record.tenant, id: record.id, revoked_at: now };
  const draft = credentialDraft(record, { action: 'revoke', issuer }, actor, now);
  return (await ports.ledger.commit({ draft, changes: [change] })).ok ? now : undefined;
}

const credentialReference = ({ id, broker, envelope_id }: CredentialRecord) => ({
  credential_id: id,
  broker,
  envelope_id,
});

const alreadyDead = (record: CredentialRecord): GatewayError =>
  new GatewayError(
    'conflict',
    `Credential ${record.id} is already ${record.revoked_at ? 'revoked' : 'expired'}, so there is nothing to revoke.`,
    {
      data: { record },
    },
  );
