/** Which requests carry a credential, and whose it is. */
import { authenticate, authenticateAdminToken, type Headers } from '#core/configuration/identity/authenticate.ts';
import { buildIdentities, keyIdOf } from '#core/configuration/identity/identities.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { identitiesOf, key } from './principals.ts';

const identities = identitiesOf(
  [key('key-one'), key('key-two'), key('human-key', { kind: 'human', person: 'alice', priority: 'critical' })],
  'the-token',
);

test.each<[string, Headers]>([
  ['X-API-Key', { 'X-API-Key': 'key-one' }],
  ['x-api-key', { 'x-api-key': ['key-one'] }],
  ['Authorization: Bearer', { Authorization: 'Bearer key-one' }],
  ['authorization: bearer', { authorization: ['bearer key-one'] }],
  ['both, the same', { 'x-api-key': 'key-one', authorization: 'Bearer key-one' }],
])('[auth.header] a key is taken from %s', (_how, headers) => {
  expect(authenticate(headers, identities)).toMatchObject({ name: 'key-one', key_id: keyIdOf(sha256('key-one')) });
});

test.each<[string, Headers, string]>([
  ['no header', {}, 'no key was sent'],
  ['an empty header', { 'x-api-key': '' }, 'no key was sent'],
  ['a blank header', { 'x-api-key': ' ' }, 'not known'],
  ['a cookie', { cookie: 'x-api-key=key-one; api_key=key-one' }, 'no key was sent'],
  ['a query of that name in the path', { ':path': '/admin/v1/whoami?x-api-key=key-one' }, 'no key was sent'],
  ['an unknown key', { 'x-api-key': 'key-three' }, 'not known'],
  ['the digest instead of the key', { 'x-api-key': sha256('key-one') }, 'not known'],
  ['a key in other letters', { 'x-api-key': 'KEY-ONE' }, 'not known'],
  ['the same header twice', { 'x-api-key': ['key-one', 'key-one'] }, 'sent more than once'],
  ['one token twice', { authorization: ['Bearer key-one', 'Bearer key-one'] }, 'sent more than once'],
  ['the header in two spellings', { 'x-api-key': 'key-one', 'X-API-KEY': 'key-one' }, 'sent more than once'],
  [
    'two different credentials',
    { 'x-api-key': 'key-one', authorization: 'Bearer key-two' },
    'two different credentials',
  ],
  ['two headers joined by a comma', { 'x-api-key': 'key-one, key-two' }, 'not known'],
  ['another scheme', { authorization: 'Basic a2V5LW9uZQ==' }, 'not a bearer token'],
  ['another scheme beside a key', { 'x-api-key': 'key-one', authorization: 'Basic a2V5' }, 'not a bearer token'],
  ['an empty bearer', { authorization: 'Bearer ' }, 'not a bearer token'],
])('[auth.missing] [auth.unknown-key] [auth.never-query] %s is 401', (_what, headers, why) => {
  expect(() => authenticate(headers, identities)).toThrow(expect.objectContaining({ code: 'authentication_error' }));
  expect(() => authenticate(headers, identities)).toThrow(why);
  expect(() => authenticate(headers, identities)).toThrow('Send one key as X-API-Key or Authorization: Bearer.');
});

test('[auth.digest-constant-time] identities hold digests, never keys', () => {
  const held = JSON.stringify([...identities.byDigest.values()].map(({ key_sha256 }) => key_sha256));
  expect(held).toContain(sha256('the-token'));
  expect(held).not.toContain('the-token');
  expect([...identities.byDigest.keys()].every((digest) => /^[0-9a-f]{64}$/.test(digest))).toBe(true);
});

test('a human acts in the tenants of the person, other keys in their own', () => {
  expect(authenticate({ 'x-api-key': 'human-key' }, identities).tenants).toEqual(['default', 'other']);
  expect(authenticate({ 'x-api-key': 'key-one' }, identities).tenants).toEqual(['default']);
  expect([...identities.critical]).toEqual([keyIdOf(sha256('human-key'))]);
});

test('a tenant key with the value of the admin token makes neither', () => {
  const { identities: clash, warnings } = buildIdentities({
    keys: [key('the-token')],
    people: [],
    adminTokenSha256: sha256('the-token'),
    firstTenant: 'default',
  });
  expect(clash.byDigest.size).toBe(0);
  expect(warnings).toEqual(['keys the-token and admin-token have the same value: neither is accepted']);
});

describe('the admin token before any configuration', () => {
  const secrets = (value: string | undefined) => ({ get: async () => value });

  const unstored = async () => undefined;

  test('[auth.admin-token-apart] the stored digest counts, and no token that a function could read beside it', async () => {
    const stored = async () => sha256('apart');
    expect(await authenticateAdminToken(['apart'], [], secrets(undefined), stored)).toMatchObject({ platform: true });
    await expect(authenticateAdminToken(['t0ken'], [], secrets('t0ken'), stored)).rejects.toMatchObject({
      code: 'authentication_error',
    });
  });

  test('is the platform administrator', async () => {
    expect(await authenticateAdminToken(['t0ken'], [], secrets('t0ken\n'), unstored)).toMatchObject({
      platform: true,
      person: 'platform-admin',
    });
  });

  test('[auth.no-admin-token] without one no caller is let in, whatever is sent', async () => {
    for (const none of [undefined, '', ' ']) {
      await expect(authenticateAdminToken([''], [], secrets(none), unstored)).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
  });

  test('another key is 401', async () => {
    await expect(authenticateAdminToken([], ['Bearer other'], secrets('t0ken'), unstored)).rejects.toMatchObject({
      code: 'authentication_error',
    });
  });
});
