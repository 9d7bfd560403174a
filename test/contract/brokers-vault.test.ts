/** Credentials of a vault and of a secrets manager. */
import { isoTime } from '#core/kernel/ports.ts';
import { now } from '../unit/execution/credentials/sample.ts';
import {
  brokerOf,
  failure,
  grantOf,
  issueIn,
  own,
  portsOf,
  secretId,
  storedWorld,
  vaultWorld,
} from './broker-worlds.ts';

describe('[credential.brokers] the vault broker', () => {
  let world: Awaited<ReturnType<typeof vaultWorld>>;
  beforeEach(async () => {
    world = await vaultWorld();
  });
  afterEach(() => world.stop());
  const broker = (secrets = own) => brokerOf(world.settings, portsOf(world.clients, secrets));

  test('leases a database user; its record names the lease and the time at which the sweep may return it', async () => {
    const { record, secret } = await issueIn(world);
    const [[leaseId, data]] = [...world.vault.leases] as [[string, object]];
    expect(JSON.parse(secret)).toEqual(data);
    expect(record).toMatchObject({
      ...{ type: 'vault_database', lease_id: leaseId, expires_at: isoTime(now + 600_000) },
      ...{ issuer_expires_at: isoTime(now + 3000_000), revoke_due: isoTime(now + 600_000) },
    });
  });

  test('a lease shorter than the grant ends the credential', async () => {
    const { record } = await issueIn(world, 3600);
    expect(record.expires_at).toBe(isoTime(now + 3000_000));
  });

  test('returns the lease by its record alone, and reports a failing vault', async () => {
    const { record } = await issueIn(world);
    world.faults.push({ status: 500, body: {} });
    await expect(broker().revoke(record)).rejects.toMatchObject({ data: { reason: 'unavailable' } });
    expect(world.vault.leases.size).toBe(1);
    await broker().revoke(record);
    expect(world.vault.leases.size).toBe(0);
  });

  test('renews a lease in use, within the longest life', async () => {
    const { record } = await issueIn(world);
    expect(await broker().renew?.(record)).toBe(isoTime(now + 3000_000));
    const old = { ...record, issued_at: isoTime(now - 3600_000) };
    await expect(broker().renew?.(old)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('a sealed vault gives no lease', async () => {
    world.vault.state.sealed = true;
    expect(await failure(issueIn(world))).toMatchObject({ code: 'service_unavailable', data: { reason: 'sealed' } });
  });

  test('a wrong token is ours to mend, and shows nowhere', async () => {
    const wrong = 'hvs.wrong-token-value';
    const error = await failure(broker({ ...own, VAULT_TOKEN: wrong }).issue(world.envelope, grantOf(world)));
    expect(error).toMatchObject({ code: 'service_unavailable', data: { reason: 'forbidden' } });
    expect(error.text).not.toContain(wrong);
  });

  test('a lease without user and password is given back at once', async () => {
    world.vault.state.data = { token: 'something else' };
    expect(await failure(issueIn(world))).toMatchObject({ data: { reason: 'malformed' } });
    expect(world.vault.leases.size).toBe(0);
  });
});
describe('the Secrets Manager broker', () => {
  let world: Awaited<ReturnType<typeof storedWorld>>;
  beforeEach(async () => {
    world = await storedWorld();
  });
  afterEach(() => world.stop());

  test('returns the current version and names it; degraded, because it has no scope and no end', async () => {
    const { record, secret } = await issueIn(world);
    expect(secret).toBe('stored-secret-value');
    expect(record).toMatchObject({ type: 'secrets_manager', version_id: 'v-1', degraded: true });
    expect(JSON.parse(world.calls[0]!.body)).toEqual({ SecretId: secretId, VersionStage: 'AWSCURRENT' });
  });

  test('of the two versions of a rotation the pending one is never handed on', async () => {
    world.state.stages = ['AWSPENDING'];
    expect(await failure(issueIn(world))).toMatchObject({ code: 'service_unavailable', data: { reason: 'malformed' } });
    world.state.stages = ['AWSPENDING', 'AWSCURRENT'];
    world.state.version = 'v-2';
    expect((await issueIn(world)).record.version_id).toBe('v-2');
  });
});
