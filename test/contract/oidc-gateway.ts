/** A gateway that accepts tokens from a real issuer. */
import type { JWK } from 'jose';
import { issuerDocuments } from '#adapters/http/issuer-documents.ts';
import { lazyTokens } from '#core/configuration/identity/federation/lazy-tokens.ts';
import { caller } from '../support/call-endpoint.ts';
import { type OidcServer, signingKey, startOidc } from '../support/oidc.ts';
import { configuration, type TestPorts, testPorts } from '../support/ports.ts';

export const audience = 'https://gateway.test';
const clients = ['writer-bot', 'alice-console', 'bob-console', 'stranger', 'tenant-bot'];
const claims = {
  'writer-bot': { groups: ['agents'], email: 'bob@example.com' },
  'alice-console': { groups: ['people'], email: 'alice@example.com' },
  'bob-console': { groups: ['people'], email: 'bob@example.com' },
  'tenant-bot': { groups: ['by-tenant'], tenant: 'elsewhere' },
};

export const settings = (issuer: string, more = '') => `
identity:
  oidc:
    - name: corp
      issuer: ${issuer}
      audiences: ["${audience}"]
      algorithms: [RS256]
      max_lifetime_seconds: 3600
      required_claims: { scope: [gateway] }
${more}
      callers:
        - { when: { groups: [agents] }, tenant: default, role: operator, kind: agent, owner_claim: email }
        - { when: { groups: [people] }, tenant: default, role: admin, kind: human, person_claim: email, name_claim: email }
        - { when: { groups: [by-tenant] }, tenant_claim: tenant, tenants: [elsewhere], kind: agent, role_claim: gateway_role, role: operator }
`;
/** Adds accounts at the issuer to the people in the test configuration. */
export const withIds = (text: string) =>
  text
    .replace('{ id: alice,', '{ id: alice, oidc_ids: ["corp/alice@example.com"],')
    .replace('{ id: bob,', '{ id: bob, oidc_ids: ["corp/bob@example.com"],');

export let first: JWK;
export let second: JWK;
/** Key the server signs with. */
let served: JWK;
export let server: OidcServer;
export let gateway: TestPorts;
export let fetched: string[];
export let call: ReturnType<typeof caller>;

export const now = () => Math.floor(gateway.ports.clock.now() / 1000);
/**
 * Requests a token. The gateway's clock is set to the server's current time, so that no token is dated in its future,
 * however long a test takes.
 */
export async function tokenOf(client: string, resource: string): Promise<string> {
  const token = await server.token(client, resource);
  windToNow();
  return token;
}
const windToNow = () => gateway.pass(Math.max(0, Date.now() - gateway.ports.clock.now()) / 1000);
export const whoami = (token: string, headers: Record<string, string> = {}) =>
  call('GET', '/admin/v1/whoami', { headers: { authorization: `Bearer ${token}`, ...headers } });
export const put = async (text: string) => {
  const stored = await call('PUT', '/admin/v1/config', {
    key: 'admin-token-1',
    raw: text,
    headers: { 'content-type': 'application/yaml' },
  });
  expect(stored).toMatchObject({ status: 201 });
  await gateway.ports.snapshots.refresh();
};
export const wellFormed = () => ({
  iss: server.issuer,
  aud: audience,
  sub: 'writer-bot',
  client_id: 'writer-bot',
  scope: 'gateway',
  groups: ['agents'],
  email: 'bob@example.com',
  iat: now(),
  exp: now() + 600,
});

/** Restarts the stopped server at the same address. */
export async function startAgain(): Promise<void> {
  server = await startOidc({ port: server.port, keys: [served], clients, claims });
}

export async function rotateTo(key: JWK): Promise<void> {
  served = key;
  await server.stop();
  await startAgain();
}

export function useOidcGateway(): void {
  beforeAll(async () => {
    [first, second] = await Promise.all([signingKey('key-1'), signingKey('key-2')]);
    served = first;
    server = await startOidc({ keys: [served], clients, claims });
    gateway = await testPorts();
  });
  beforeEach(async () => {
    if (served !== first) await rotateTo(first);
    gateway.pass((Date.now() - gateway.ports.clock.now()) / 1000);
    fetched = [];
    const documents = {
      json: (url: string) => {
        fetched.push(new URL(url).pathname);
        return issuerDocuments.json(url);
      },
    };
    call = caller({ ...gateway.ports, tokens: lazyTokens({ clock: gateway.ports.clock, documents }) });
    await put(withIds(configuration(settings(server.issuer))));
  });
  afterAll(async () => {
    await server?.stop();
    await gateway?.stop();
  });
}
