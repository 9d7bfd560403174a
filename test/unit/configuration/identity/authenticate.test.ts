/** Which requests carry a credential, and which principal it identifies. */

import * as z from 'zod';
import { authenticate, authenticateAdminToken, type Headers } from '#core/configuration/identity/authenticate.ts';
import { buildIdentities, keyIdOf } from '#core/configuration/identity/identities.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { readCases } from '../../../support/yaml.ts';
import { identitiesOf, key } from './principals.ts';

const cases = readCases(
  'test/unit/configuration/identity/authenticate.yaml',
  z.strictObject({
    taken: z.array(z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())]))])),
    refused: z.array(
      z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())])), z.string()]),
    ),
  }),
);

const identities = identitiesOf(
  [key('key-one'), key('key-two'), key('human-key', { kind: 'human', person: 'alice', priority: 'critical' })],
  'the-token',
);

test.each<[string, Headers]>(cases.taken)('[auth.header] reads the key from %s', (_how, headers) => {
  expect(authenticate(headers, identities)).toMatchObject({ name: 'key-one', key_id: keyIdOf(sha256('key-one')) });
});

test.each<[string, Headers, string]>([
  ...cases.refused,
  ['the digest instead of the key', { 'x-api-key': sha256('key-one') }, 'not known'],
])('[auth.header] %s is 401', (_what, headers, why) => {
  expect(() => authenticate(headers, identities)).toThrow(expect.objectContaining({ code: 'authentication_error' }));
  expect(() => authenticate(headers, identities)).toThrow(why);
  expect(() => authenticate(headers, identities)).toThrow('Send one key as X-API-Key or Authorization: Bearer.');
});

test('[auth.header] identities contain digests, never keys', () => {
  const held = JSON.stringify([...identities.byDigest.values()].map(({ key_sha256 }) => key_sha256));
  expect(held).toContain(sha256('the-token'));
  expect(held).not.toContain('the-token');
  expect([...identities.byDigest.keys()].every((digest) => /^[0-9a-f]{64}$/.test(digest))).toBe(true);
});

test('a human key can act in all of its person’s tenants, other keys only in their own tenant', () => {
  expect(authenticate({ 'x-api-key': 'human-key' }, identities).tenants).toEqual(['default', 'other']);
  expect(authenticate({ 'x-api-key': 'key-one' }, identities).tenants).toEqual(['default']);
  expect([...identities.critical]).toEqual([keyIdOf(sha256('human-key'))]);
});

test('if a tenant key has the same value as the admin token, neither is accepted', () => {
  const { identities: clash, warnings } = buildIdentities({
    keys: [key('the-token')],
    people: [],
    adminTokenSha256: sha256('the-token'),
    firstTenant: 'default',
  });
  expect(clash.byDigest.size).toBe(0);
  expect(warnings).toEqual(['keys the-token and admin-token have the same value: neither is accepted']);
});

describe('the admin token before a configuration exists', () => {
  const secrets = (value: string | undefined) => ({ get: async () => value });

  const unstored = async () => undefined;

  test('[auth.keys-by-digest] is checked against the stored digest, not against a token that a function could read', async () => {
    const stored = async () => sha256('apart');
    expect(await authenticateAdminToken(['apart'], [], secrets(undefined), stored)).toMatchObject({ platform: true });
    await expect(authenticateAdminToken(['t0ken'], [], secrets('t0ken'), stored)).rejects.toMatchObject({
      code: 'authentication_error',
    });
  });

  test('authenticates the platform administrator', async () => {
    expect(await authenticateAdminToken(['t0ken'], [], secrets('t0ken\n'), unstored)).toMatchObject({
      platform: true,
      person: 'platform-admin',
    });
  });

  test('[auth.health-open] without an admin token no caller is accepted, whatever is sent', async () => {
    for (const none of [undefined, '', ' ']) {
      await expect(authenticateAdminToken([''], [], secrets(none), unstored)).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
  });

  test('a different key returns 401', async () => {
    await expect(authenticateAdminToken([], ['Bearer other'], secrets('t0ken'), unstored)).rejects.toMatchObject({
      code: 'authentication_error',
    });
  });
});
