/** The Git-host app broker with an installation: a token for one repository, and none that opens more. */
import { createPublicKey } from 'node:crypto';
import { appKey, appToken } from '#core/execution/credentials/app-token.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { InstallationToken } from '#core/execution/credentials/ports.ts';
import { scmAppBroker } from '#core/execution/credentials/scm-app-broker.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { answering, brokerPorts, envelope, faultOf, grant, now, portsWith, rsaKeys } from './sample.ts';

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
