/**
 * Tokens of an issuer, with a manual clock: which are accepted, when keys are fetched, and to whom claims are mapped.
 */
import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import * as z from 'zod';
import { createTokens } from '#core/configuration/identity/federation/tokens.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { configurationSchema } from '#features/configuration.ts';
import { object, readCases, rows, text } from '../../../support/yaml.ts';

const { tokenRows, mappedRows } = readCases(
  'test/unit/configuration/identity/tokens.yaml',
  z.strictObject({ tokenRows: rows(text, object, object, text), mappedRows: rows(text, object, object, object, text) }),
);

const issuer = 'https://issuer.example';
const start = Date.UTC(2026, 0, 1) / 1000;

const configurationOf = (provider: object, caller: object = {}): Configuration =>
  configurationSchema.parse({
    version: 1,
    tenants: ['default', 'acme'].map((id) => ({ id, name: id, api_keys: [] })),
    people: [
      { id: 'alice', role: 'operator', oidc_ids: ['corp/alice@example.com'] },
      { id: 'bob', role: 'admin', tenants: ['acme'] },
    ],
    identity: {
      oidc: [
        {
          name: 'corp',
          issuer,
          audiences: ['gateway'],
          algorithms: ['ES256'],
          jwks_uri: `${issuer}/keys`,
          callers: [{ tenant: 'default', role: 'admin', ...caller }],
          ...provider,
        },
      ],
    },
  }) as unknown as Configuration;

async function world(provider: object = {}, caller: object = {}) {
  const pairs = await Promise.all(['one', 'two'].map(() => generateKeyPair('ES256', { extractable: true })));
  const published = await Promise.all(
    pairs.map(
      async ({ publicKey }, n): Promise<JWK> => ({ ...(await exportJWK(publicKey)), kid: `k${n}`, alg: 'ES256' }),
    ),
  );
  const time = { seconds: start };
  const fetched: string[] = [];
  const documents: { keys: unknown; down: boolean } = { keys: [published[0]], down: false };
  const tokens = createTokens({
    clock: { now: () => time.seconds * 1000 },
    documents: {
      json: async (url) => {
        fetched.push(url);
        if (documents.down) throw new Error('down');
        return url.endsWith('openid-configuration')
          ? { issuer, jwks_uri: `${issuer}/found` }
          : { keys: documents.keys };
      },
    },
  });
  const configuration = configurationOf(provider, caller);
  const token = (claims: object = {}, header: object = {}, key = 0) =>
    new SignJWT({ iss: issuer, aud: 'gateway', sub: 's', iat: time.seconds, exp: time.seconds + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: `k${key}`, ...header })
      .sign(pairs[key]!.privateKey);
  const callerOf = async (text: string | Promise<string>, resource?: string) =>
    tokens.callerOf(await text, { configuration } as Snapshot, resource);
  const why = async (text: string | Promise<string>, resource?: string) =>
    callerOf(text, resource).then(
      (found) => `taken as ${found.role} of ${found.tenant}`,
      (fault: Error) => fault.message,
    );
  return { time, fetched, documents, published, token, callerOf, why };
}

/** Returns a row's members, except those marked as absent. */
const present = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? undefined]));
const taken = 'taken as admin of default';

test.each(tokenRows)('[identity.oidc-token] %s', async (_what, claims, header, expected) => {
  const { why, token } = await world();
  expect(await why(token(present(claims), present(header)))).toMatch(new RegExp(expected));
});

test.each([
  ['no token at all', 'x'],
  ['a payload that is no object', `x.${Buffer.from('[1]').toString('base64url')}.x`],
  ['a payload that is null', `x.${Buffer.from('null').toString('base64url')}.x`],
  ['a payload that is a text', `x.${Buffer.from('"a"').toString('base64url')}.x`],
])('[identity.oidc-token] %s is not a JWT, and no keys are fetched for it', async (_what, text) => {
  const { why, fetched } = await world();
  expect(await why(text)).toMatch(/not a JWT that can be read/);
  expect(fetched).toEqual([]);
});

test('[identity.oidc-token] reads a token of 8192 characters and rejects a longer or modified one', async () => {
  const { why, token } = await world();
  const plain = await token();
  const [head = '', body = '', signature = ''] = plain.split('.');
  expect(await why(plain.padEnd(8_192, 'A'))).not.toMatch(/characters; at most/);
  expect(await why(plain.padEnd(8_193, 'A'))).toMatch(/has 8193 characters; at most 8192 are read/);
  const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'eve' }));
  expect(await why([head, other.toString('base64url'), signature].join('.'))).toMatch(/signature .* is not valid/);
});

test('[identity.oidc-token] a token for a resource must name it as audience', async () => {
  const { why, token } = await world();
  expect(await why(token({ aud: ['gateway', 'https://mcp'] }), 'https://mcp')).toBe(taken);
  expect(await why(token(), 'https://mcp')).toMatch(/not for https:\/\/mcp; ask the issuer/);
});

test('[identity.oidc-token] keys are cached for ten minutes, or for an hour while the issuer is down', async () => {
  const { why, token, fetched, time, documents } = await world();
  expect(await why(token())).toBe(taken);
  time.seconds += 599;
  expect([await why(token()), fetched.length]).toEqual([taken, 1]);
  time.seconds += 1;
  expect([await why(token()), fetched.length]).toEqual([taken, 2]);
  documents.down = true;
  time.seconds += 3_600;
  expect([await why(token()), fetched.length]).toEqual([taken, 3]);
  time.seconds += 1;
  expect(await why(token())).toMatch(/The keys of the issuer corp .* cannot be fetched/);
  // Half a minute after the last attempt.
  expect(fetched.length).toBe(3);
  documents.down = false;
  time.seconds += 28;
  expect([await why(token()), fetched.length]).toEqual([expect.stringMatching(/cannot be fetched/), 3]);
  time.seconds += 1;
  expect([await why(token()), fetched.length]).toEqual([taken, 4]);
});

test.each<[string, unknown, boolean]>([
  ['none', undefined, false],
  ['no list', {}, false],
  ['too many', Array.from({ length: 101 }, () => ({ kty: 'oct', k: 'x' })), false],
])('[identity.oidc-token] rejects a key set with %s keys', async (_what, keys, held) => {
  const { why, token, documents } = await world();
  documents.keys = keys;
  expect((await why(token())) === taken).toBe(held);
});

const shortKey = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });

test.each<[string, object, RegExp]>([
  ['shorter than 2048 bits', { ...shortKey, kid: 'k0' }, /shorter than 2048 bits/],
  ['that is not on its curve', { kty: 'EC', crv: 'P-256', kid: 'k0', x: 'AA', y: 'AA' }, /form that is not valid/],
  ['without its members', { kty: 'EC', crv: 'P-256', kid: 'k0' }, /form that is not valid/],
])('[identity.oidc-token] a published key %s cannot verify a token', async (_what, key, expected) => {
  const { why, token, documents } = await world({ algorithms: ['RS256', 'ES256'] });
  const [header = '', ...signed] = (await token()).split('.');
  const alg = 'n' in key ? 'RS256' : 'ES256';
  const renamed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), alg };
  documents.keys = [key];
  expect(await why([Buffer.from(JSON.stringify(renamed)).toString('base64url'), ...signed].join('.'))).toMatch(
    expected,
  );
});

test('[identity.oidc-token] finds the keys by discovery if no address is configured', async () => {
  const { why, token, fetched } = await world({ jwks_uri: undefined });
  expect(await why(token())).toBe(taken);
  expect(fetched).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/found`]);
});

test.each(mappedRows)('[identity.oidc-mapping] %s', async (_what, provider, caller, claims, expected) => {
  const { why, token } = await world(provider, present(caller));
  expect(await why(token(claims))).toMatch(new RegExp(expected));
});

test('[identity.oidc-mapping] stores only the subject, expiry and relevant claims of a token', async () => {
  const { callerOf, token } = await world(
    { required_claims: { scope: ['gateway'] } },
    { owner_claim: 'email', name_claim: 'label', when: { groups: ['a'] } },
  );
  const claims = {
    scope: 'gateway x',
    groups: ['a', 'b'],
    email: 'alice@example.com',
    label: 'CI <b>',
    other: 'secret',
  };
  const found = await callerOf(token({ ...claims, client_id: 'ci' }));
  expect(found).toMatchObject({ kind: 'agent', owner: 'alice', name: 'CI _b_' });
  expect(found.federated).toEqual({
    provider: 'corp',
    issuer,
    subject: 's',
    client: 'ci',
    expires_at: '2026-01-01T00:01:00.000Z',
    claims: { scope: 'gateway x', groups: ['a', 'b'], email: ['alice@example.com'], label: ['CI <b>'] },
  });
  const another = await callerOf(token(claims));
  expect(another.key_id).not.toBe(found.key_id);
  expect((await callerOf(token({ ...claims, azp: 'ci' }))).key_id).toBe(found.key_id);
});
