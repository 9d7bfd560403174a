/** Brokers that call an issuer: what they ask of it, what they make of its answer, and how its faults read. */
import { createPublicKey } from 'node:crypto';
import { appKey, appToken } from '#core/credentials/app-token.ts';
import { brokerError, ServiceFault } from '#core/credentials/fault.ts';
import type { BrokerClients, BrokerPorts, InstallationToken } from '#core/credentials/ports.ts';
import { dueAfterHolder, endingBy, holderSeconds } from '#core/credentials/record.ts';
import { scmAppBroker } from '#core/credentials/scm-app-broker.ts';
import { storedSecretBroker } from '#core/credentials/stored-secret-broker.ts';
import { stsBroker } from '#core/credentials/sts-broker.ts';
import { vaultBroker } from '#core/credentials/vault-broker.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../support/loose.ts';
import { brokerPorts, envelope, grant, now, rsaKeys } from './sample.ts';

const portsWith = (clients: BrokerClients, secrets: Record<string, string> = {}): BrokerPorts => ({
  ...brokerPorts(secrets),
  clients,
});
const faultOf = (work: Promise<unknown>): Promise<Loose> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (fault: unknown) => fault,
  );
/** Answers the texts given, one a call, and keeps what it was asked; an error is thrown. */
const answering = (...answers: unknown[]) => {
  const asked: Loose[][] = [];
  return {
    asked,
    call: async (...given: unknown[]): Promise<Loose> => {
      asked.push(given);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
};

describe('the STS broker', () => {
  const settings = { name: 'aws', role_arn: 'arn:aws-cn:iam::111122223333:role/agents', region: 'eu-central-1' };
  const call = { ...envelope, tool: 'aws.s3.get_object', target: 's3://b-1/a/b.csv' };
  const keys = {
    access_key_id: 'AK',
    secret_access_key: 'SK',
    session_token: 'ST',
    expires_at: isoTime(now + 900_000),
  };
  const broker = (assumeRole: (request: never) => Promise<Loose>, more: Partial<BrokerClients> = {}, over = {}) =>
    stsBroker({ ...settings, ...over }, portsWith({ sts: { assumeRole }, ...more } as never, { EXT: 'ext-1' }));

  test('asks for the role, narrowed to the call, in the name of the person, for no less than 900 seconds', async () => {
    const sts = answering(keys);
    const { record, secret } = await broker(sts.call).issue(call, grant({ ttl_seconds: 60 }), { person: 'bob smith' });
    const [request] = sts.asked[0]!;
    expect(request).toMatchObject({
      ...{ roleArn: settings.role_arn, region: 'eu-central-1', durationSeconds: 900, sourceIdentity: 'bob-smith' },
      tags: { envelope: 'e1', policy: record.policy_digest, tenant: 'default', session: 's1' },
    });
    expect(request).not.toHaveProperty('externalId');
    expect(request.sessionName).toBe('e1');
    expect(JSON.parse(request.policy).Statement[0].Resource).toBe('arn:aws-cn:s3:::b-1/a/b.csv');
    expect(JSON.parse(secret)).toEqual({ access_key_id: 'AK', secret_access_key: 'SK', session_token: 'ST' });
    expect(record).toMatchObject({ type: 'sts_session', degraded: false, expires_at: isoTime(now + 60_000) });
  });

  test('a longer grant asks for its whole life; an earlier end of STS counts', async () => {
    const sts = answering(keys);
    const { record } = await broker(sts.call).issue(call, grant({ ttl_seconds: 1200 }));
    expect(sts.asked[0]![0]).toMatchObject({ durationSeconds: 1200 });
    expect(record.expires_at).toBe(keys.expires_at);
  });

  test.each([
    [undefined, 'k1'],
    ['b', 'k1'],
    ['bo', 'bo'],
    ['a'.repeat(80), 'a'.repeat(64)],
    ['ä', 'k1'],
  ])('the person %s is named as STS takes names', async (person, named) => {
    const sts = answering(keys);
    await broker(sts.call).issue({ ...call, key_id: 'k1' }, grant(), person === undefined ? {} : { person });
    expect(sts.asked[0]![0].sourceIdentity).toBe(person === 'b' ? 'b-' : person === 'ä' ? '--' : named);
  });

  test('the tags hold what STS takes, 256 characters at most', async () => {
    const sts = answering(keys);
    const session = `a!${'b'.repeat(300)}`;
    await broker(sts.call).issue({ ...call, actor: { agent: 'w', session } }, grant());
    expect(sts.asked[0]![0].tags.session).toBe(`a-${'b'.repeat(254)}`);
  });

  test('where policy and tags do not fit, only the tag of the envelope stays; the policy stays as it is', async () => {
    const sts = answering(new ServiceFault('policy_too_large', 'too large'), keys);
    await broker(sts.call).issue(call, grant());
    expect(sts.asked[1]![0].tags).toEqual({ envelope: 'e1' });
    expect(sts.asked[1]![0].policy).toBe(sts.asked[0]![0].policy);
    const always = answering(new ServiceFault('policy_too_large', 'too large'));
    expect(await faultOf(broker(always.call).issue(call, grant()))).toMatchObject({
      ...{ code: 'forbidden', data: { reason: 'policy_too_large' } },
    });
    expect(always.asked).toHaveLength(2);
  });

  test('a throttled call is tried once more after a wait, where the function can wait', async () => {
    const busy = new ServiceFault('throttled', 'busy');
    const waits: number[] = [];
    const pause = async (ms: number) => void waits.push(ms);
    const sts = answering(busy, keys);
    await broker(sts.call, { pause }).issue(call, grant());
    expect([sts.asked.length, waits]).toEqual([2, [100]]);
    const always = answering(busy);
    expect(await faultOf(broker(always.call, { pause }).issue(call, grant()))).toMatchObject({ retryAfterSeconds: 1 });
    expect(always.asked).toHaveLength(2);
    const without = answering(busy);
    await faultOf(broker(without.call).issue(call, grant()));
    expect(without.asked).toHaveLength(1);
    const other = answering(new ServiceFault('forbidden', 'no'));
    await faultOf(broker(other.call, { pause }).issue(call, grant()));
    expect(other.asked).toHaveLength(1);
  });

  test('the external id is sent; one that is configured and empty mints nothing', async () => {
    const sts = answering(keys);
    await broker(sts.call, {}, { external_id_env: 'EXT' }).issue(call, grant());
    expect(sts.asked[0]![0].externalId).toBe('ext-1');
    const fault = await faultOf(broker(sts.call, {}, { external_id_env: 'NONE' }).issue(call, grant()));
    expect(fault.message).toBe('Credential broker aws cannot mint: NONE holds no value.');
    expect(sts.asked).toHaveLength(1);
  });

  test('[credential.no-broader] a tool without a policy, and a function without STS, mint nothing', async () => {
    const sts = answering(keys);
    const fault = await faultOf(broker(sts.call).issue({ ...call, tool: 'aws.iam.create_user' }, grant()));
    expect(fault).toMatchObject({ code: 'forbidden', data: { reason: 'credential_refused' } });
    expect(sts.asked).toEqual([]);
    const without = stsBroker(settings, portsWith({}));
    expect(await faultOf(without.issue(call, grant()))).toMatchObject({ code: 'service_unavailable' });
    expect(await without.revoke({} as never)).toBeUndefined();
  });
});

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

describe('the Git-host app broker with an installation', () => {
  const keys = rsaKeys();
  const settings = {
    ...{ name: 'scm', app_id: '12345', private_key_env: 'SCM_KEY' },
    ...{ installation_id: '77', api_url: 'https://git.example/api//' },
  };
  const minted: InstallationToken = {
    ...{ token: 'ghs_1', expires_at: isoTime(now + 3_600_000), repositories: ['Acme/Web'] },
    permissions: { pull_requests: 'write', contents: 'read', metadata: 'read' },
  };
  const made = (host: Loose, over: Loose = {}) =>
    scmAppBroker({ ...settings, ...over }, portsWith({ gitHost: host }, { SCM_KEY: keys.pem }));

  test('buys a token for the one repository and the permissions of the grant', async () => {
    const host = answering(minted);
    const { record, secret } = await made({ mint: host.call }).issue(envelope, grant());
    expect(secret).toBe('ghs_1');
    expect(host.asked[0]![0]).toMatchObject({
      ...{ apiUrl: 'https://git.example/api', installationId: '77', repositories: ['web'] },
      permissions: { pull_requests: 'write', contents: 'read' },
    });
    expect(record).toMatchObject({
      degraded: false,
      expires_at: isoTime(now + 600_000),
      issuer_expires_at: minted.expires_at,
    });
    expect(made({}).calledBack).toBe('by_value');
  });

  test.each([
    ['no owner', 'web'],
    ['a dot', 'acme/.'],
    ['two dots', 'acme/..'],
    ['a path', 'acme/web/x'],
  ])('a target with %s is refused before the host is asked', async (_, target) => {
    const host = answering(minted);
    expect((await faultOf(made({ mint: host.call }).issue({ ...envelope, target }, grant()))).code).toBe('forbidden');
    expect(host.asked).toEqual([]);
  });

  test.each(['contents', 'contents:all', 'contents:read,contents:write', ''])(
    'the scope "%s" mints nothing',
    async (scope) => {
      const host = answering(minted);
      expect((await faultOf(made({ mint: host.call }).issue(envelope, grant({ scope })))).message).toContain(
        'is not a list of permissions',
      );
      expect(host.asked).toEqual([]);
    },
  );

  test.each([
    ['of another repository', { repositories: ['other/web'] }, 'not for the one repository'],
    ['of two repositories', { repositories: ['acme/web', 'acme/api'] }, 'not for the one repository'],
    ['of all repositories', { repositories: undefined }, 'not for the one repository'],
    ['with a higher level', { permissions: { contents: 'write' } }, 'more permissions'],
    ['with another permission', { permissions: { issues: 'read' } }, 'more permissions'],
    ['with an unknown level', { permissions: { contents: 'owner' } }, 'more permissions'],
  ])('[credential.no-broader] a token %s is given back', async (_, change, why) => {
    const host = answering({ ...minted, ...change });
    const back = answering(new Error('no answer'));
    const fault = await faultOf(made({ mint: host.call, revoke: back.call }).issue(envelope, grant()));
    expect(fault.message).toContain(why);
    expect(back.asked).toEqual([['https://git.example/api', 'ghs_1']]);
  });

  test('a token with less than was asked for is fine', async () => {
    const host = answering({ ...minted, permissions: { contents: 'none' } });
    expect((await made({ mint: host.call }).issue(envelope, grant())).secret).toBe('ghs_1');
  });

  test('is called back by its value, and a fault of the host is the caller’s error', async () => {
    const back = answering(undefined, new ServiceFault('unavailable', 'nothing'));
    const broker = made({ revoke: back.call });
    await broker.revoke({} as never);
    expect(back.asked).toEqual([]);
    await broker.revoke({} as never, 'ghs_1');
    expect(back.asked).toEqual([['https://git.example/api', 'ghs_1']]);
    expect((await faultOf(broker.revoke({} as never, 'ghs_1'))).code).toBe('service_unavailable');
  });

  test.each([
    ['an address', { api_url: undefined }, { mint: async () => minted }],
    ['a client', {}, undefined],
  ])('without %s it mints nothing, and never the token of the app', async (_, over, host) => {
    const broker = made(host, over);
    expect((await faultOf(broker.issue(envelope, grant()))).code).toBe('service_unavailable');
    expect(await broker.revoke({} as never, 'x')).toBeUndefined();
  });
});

test('the token of an app needs an RSA key, of 2048 bits or more', async () => {
  const { pem, publicKey } = rsaKeys();
  const key = await appKey({ name: 'scm', private_key_env: 'K' }, brokerPorts({ K: pem }));
  expect(createPublicKey(key).equals(publicKey)).toBe(true);
  const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  const issued = Math.floor(now / 1000) - 60;
  expect(claims(await appToken(key, 'a', 'i', now, now + 9_999_000))).toMatchObject({ iat: issued, exp: issued + 600 });
  expect(claims(await appToken(key, 'a', 'i', now, now + 1_000)).exp).toBe(issued + 61);
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
  expect(endingBy(record, record.expires_at)).toBe(record);
  expect(endingBy(record, isoTime(now + 500))).toEqual({ ...record, expires_at: isoTime(now + 500) });
  expect(endingBy(record, isoTime(now + 2_000))).toEqual({ ...record, issuer_expires_at: isoTime(now + 2_000) });
  expect(dueAfterHolder(record)).toBe(record.expires_at);
  expect(dueAfterHolder({ ...record, expires_at: isoTime(now + 7_200_000) })).toBe(isoTime(now + holderSeconds * 1000));
});
