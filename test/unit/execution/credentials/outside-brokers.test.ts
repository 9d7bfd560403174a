/** Brokers that call an issuer: what they ask of it, what they make of its answer, and how its faults read. */
import { brokerError, ServiceFault } from '#core/execution/credentials/fault.ts';
import { dueAfterHolder, holderSeconds, withEarlierExpiry } from '#core/execution/credentials/record.ts';
import { storedSecretBroker } from '#core/execution/credentials/stored-secret-broker.ts';
import { vaultBroker } from '#core/execution/credentials/vault-broker.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { answering, envelope, faultOf, grant, now, portsWith } from './sample.ts';

describe('the vault broker', () => {
  const settings = { name: 'db', url: 'https://v.example', mount: 'database', role: 'reader', token_env: 'V' };
  const lease = { lease_id: 'l1', lease_seconds: 120, data: { username: 'u', password: 'p' } };
  const broker = (vault: Loose, over = {}) =>
    vaultBroker({ ...settings, ...over }, portsWith({ vault }, { V: 'vault-token' }));
  const access = { url: 'https://v.example', token: 'vault-token' };

  test('leases a user of the role; the record names the lease and when it may be swept', async () => {
    const vault = answering(lease);
    const { record, secret } = await broker({ lease: vault.call }).issue(envelope, grant());
    expect(vault.asked).toEqual([[access, 'database', 'reader']]);
    expect(JSON.parse(secret)).toEqual({ username: 'u', password: 'p' });
    expect(record).toMatchObject({ type: 'vault_database', lease_id: 'l1', expires_at: isoTime(now + 120_000) });
    expect(record.revoke_due).toBe(dueAfterHolder(record));
    const spaced = answering(lease);
    await broker({ lease: spaced.call }, { namespace: 'team' }).issue(envelope, grant());
    expect(spaced.asked[0]![0]).toEqual({ ...access, namespace: 'team' });
  });

  test.each([
    ['without a user name', { password: 'p' }],
    ['without a password', { username: 'u' }],
    ['with an empty user name', { username: '', password: 'p' }],
    ['with an empty password', { username: 'u', password: '' }],
    ['with a number', { username: 7, password: 'p' }],
  ])('a lease %s is given back and mints nothing', async (_, data) => {
    const vault = answering({ ...lease, data });
    const given: unknown[] = [];
    const revoke = async (...back: unknown[]) => {
      given.push(back);
      throw new Error('no answer');
    };
    const fault = await faultOf(broker({ lease: vault.call, revoke }).issue(envelope, grant()));
    expect(fault).toMatchObject({ code: 'service_unavailable', data: { reason: 'malformed' } });
    expect(given).toEqual([[access, 'l1']]);
  });

  test('is renewed never past an hour from its issue, and not at all in its last second', async () => {
    const record: Loose = { id: 'c1', lease_id: 'l1', issued_at: isoTime(now - 3_500_000) };
    const vault = answering(60, 600);
    const renewing = broker({ renew: vault.call });
    expect(await renewing.renew!(record)).toBe(isoTime(now + 60_000));
    expect(await renewing.renew!(record)).toBe(isoTime(now + 100_000));
    expect(vault.asked[0]).toEqual([access, 'l1', 100]);
    const last: Loose = { ...record, issued_at: isoTime(now - 3_599_000) };
    expect(await renewing.renew!(last)).toBe(isoTime(now + 1_000));
    const over: Loose = { ...record, issued_at: isoTime(now - 3_599_500) };
    expect(await faultOf(renewing.renew!(over))).toMatchObject({ code: 'forbidden', data: { reason: 'rejected' } });
    expect(vault.asked).toHaveLength(3);
  });

  test('is given back by its lease; a record without one is an error', async () => {
    const vault = answering(undefined);
    await broker({ revoke: vault.call }).revoke({ id: 'c1', lease_id: 'l1' } as never);
    expect(vault.asked).toEqual([[access, 'l1']]);
    const fault = await faultOf(broker({ revoke: vault.call }).revoke({ id: 'c1' } as never));
    expect(fault.message).toContain('its record names no lease');
  });

  test.each([
    ['a vault', portsWith({}, { V: 't' }), 'this function calls no vault'],
    ['a token', portsWith({ vault: {} as never }), 'V holds no token'],
  ])('without %s it mints nothing', async (_, ports, why) => {
    expect((await faultOf(vaultBroker(settings, ports).issue(envelope, grant()))).message).toContain(why);
  });
});

describe('the Secrets Manager broker', () => {
  const settings = { name: 'sm', secret_id: 'prod/db' };
  const broker = (get: unknown, over = {}) =>
    storedSecretBroker({ ...settings, ...over }, portsWith({ secretVersions: { get } } as never));
  const version = { value: 'tok', version_id: 'v7', stages: ['AWSPREVIOUS', 'AWSCURRENT'] };

  test('hands on the current version and names it', async () => {
    const versions = answering(version);
    const { record, secret } = await broker(versions.call).issue(envelope, grant());
    expect([secret, record.version_id, record.degraded]).toEqual(['tok', 'v7', true]);
    expect(versions.asked).toEqual([[{ secretId: 'prod/db', stage: 'AWSCURRENT' }]]);
    await broker(versions.call, { region: 'eu-west-1' }).issue(envelope, grant());
    expect(versions.asked[1]![0].region).toBe('eu-west-1');
  });

  test.each([
    ['a version that is still pending', { ...version, stages: ['AWSPENDING'] }, 'not the current one'],
    ['an empty one', { ...version, value: '' }, 'the secret is empty'],
  ])('%s mints nothing', async (_, found, why) => {
    expect(await faultOf(broker(answering(found).call).issue(envelope, grant()))).toMatchObject({
      ...{ code: 'service_unavailable', data: { reason: 'malformed' } },
      message: expect.stringContaining(why),
    });
  });

  test('without access it mints nothing, and there is nothing to call back', async () => {
    const without = storedSecretBroker(settings, portsWith({}));
    expect((await faultOf(without.issue(envelope, grant()))).message).toContain('reads no stored secrets');
    expect(await without.revoke({} as never)).toBeUndefined();
  });
});

describe('faults of an issuer', () => {
  test.each([
    ['rejected', 'forbidden', undefined],
    ['policy_too_large', 'forbidden', undefined],
    ['timeout', 'service_unavailable', 1],
    ['unreachable', 'service_unavailable', 1],
    ['throttled', 'service_unavailable', 1],
    ['unavailable', 'service_unavailable', 1],
    ['sealed', 'service_unavailable', undefined],
    ['unauthorized', 'service_unavailable', undefined],
  ] as const)('%s is %s', (kind, code, retryAfterSeconds) => {
    const error = brokerError('b', 'the vault', new ServiceFault(kind, 'a clause'));
    expect(error).toMatchObject({ code, data: { reason: kind } });
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(error.message).toContain('the vault answered a clause.');
  });

  test('another error passes on nothing of its text; an error of the gateway stays', () => {
    const error = brokerError('b', 'STS', new Error('token=abc'));
    expect(error).toMatchObject({
      data: { reason: 'unknown' },
      message: 'Credential broker b cannot mint: STS failed.',
    });
    const own = new GatewayError('forbidden', 'x');
    expect(brokerError('b', 'STS', own)).toBe(own);
  });
});

test('the earlier of two ends counts, and a holder has its longest execution and a minute', () => {
  const record: Loose = { issued_at: isoTime(now), expires_at: isoTime(now + 1_000) };
  expect(withEarlierExpiry(record, record.expires_at)).toBe(record);
  expect(withEarlierExpiry(record, isoTime(now + 500))).toEqual({ ...record, expires_at: isoTime(now + 500) });
  expect(withEarlierExpiry(record, isoTime(now + 2_000))).toEqual({
    ...record,
    issuer_expires_at: isoTime(now + 2_000),
  });
  expect(dueAfterHolder(record)).toBe(record.expires_at);
  expect(dueAfterHolder({ ...record, expires_at: isoTime(now + 7_200_000) })).toBe(isoTime(now + holderSeconds * 1000));
});
