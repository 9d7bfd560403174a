/** Every way in which `identity` is refused, and what is warned of. */
import { loadConfiguration } from '#core/configuration/load/load.ts';
import { base, packs } from './memory.ts';

const entry = (more = '', callers = '{ tenant: default }') =>
  `{ name: corp, issuer: "https://login.test", audiences: [a], callers: [${callers}] ${more && `, ${more}`} }`;
const file = (oidc: string, more = '') => base(`identity: { oidc: [${oidc}] ${more && `, ${more}`} }`);
const load = (text: string) => loadConfiguration(text, { packs });

test.each([
  ['plain HTTP', entry().replace('https:', 'http:'), 'identity.oidc[0].issuer'],
  ['keys over plain HTTP', entry('jwks_uri: "http://login.test/keys"'), 'identity.oidc[0].jwks_uri'],
  ['keys on this machine', entry('jwks_uri: "http://127.0.0.1/keys"'), 'identity.oidc[0].jwks_uri'],
  ['a query in the issuer', entry().replace('login.test', 'login.test/?a=b'), 'identity.oidc[0].issuer'],
  ['a shared secret', entry('algorithms: [HS256]'), 'identity.oidc[0].algorithms[0]'],
  ['no signature', entry('algorithms: [none]'), 'identity.oidc[0].algorithms[0]'],
  ['no audience', entry().replace('[a]', '[]'), 'at least one audience'],
  ['a name twice', `${entry()}, ${entry().replace('[a]', '[b]')}`, 'identity.oidc[1].name'],
  ['an audience twice', `${entry()}, ${entry().replace('corp', 'other')}`, 'one entry for an issuer and an audience'],
  ['an unknown tenant', entry('', '{ tenant: nowhere }'), 'one of the tenants default'],
  ['no tenant', entry('', '{ role: viewer }'), 'exactly one of tenant, tenant_claim'],
  ['any tenant of a claim', entry('', '{ tenant_claim: t }'), 'the tenants that tenant_claim may name'],
  ['a human without a person', entry('', '{ tenant: default, kind: human }'), 'exactly one of person, person_claim'],
  ['an agent with a person', entry('', '{ tenant: default, person: alice }'), 'person and person_claim for kind human'],
  ['a human with an owner', entry('', '{ tenant: default, kind: human, person: alice, owner: alice }'), 'kind human'],
  ['an unknown owner', entry('', '{ tenant: default, owner: carol }'), 'one of the people alice'],
  ['two owners', entry('', '{ tenant: default, owner: alice, owner_claim: e }'), 'exactly one of owner, owner_claim'],
])('[identity.oidc-configuration] refuses %s', async (_, oidc, expected) => {
  await expect(load(file(oidc))).rejects.toThrow(expected);
});

test('[identity.oidc-configuration] refuses accounts of unknown issuers, and one account of two people', async () => {
  const people = (ids: string) =>
    file(entry()).replace('id: alice,', `id: bob, oidc_ids: ["corp/x"] }\n  - { id: alice, oidc_ids: ${ids},`);
  await expect(load(people('["other/x"]'))).rejects.toThrow('one of the issuers corp');
  await expect(load(people('["corp/x"]'))).rejects.toThrow('one person (bob has it)');
  expect((await load(people('["corp/y"]'))).configuration.people[1]).toMatchObject({ oidc_ids: ['corp/y'] });
});

test('[identity.oidc-configuration] the resource of MCP clients must be an audience', async () => {
  await expect(load(file(entry(), 'mcp_resource: "https://mcp.test/mcp"'))).rejects.toThrow('one of their audiences');
  const good = entry().replace('[a]', '["https://mcp.test/mcp"]');
  expect((await load(file(good, 'mcp_resource: "https://mcp.test/mcp"'))).configuration.identity.oidc).toHaveLength(1);
});

test('[identity.oidc-configuration] ID tokens as access tokens are warned of; plain HTTP on this machine is allowed', async () => {
  const about = async (oidc: string) =>
    (await load(file(oidc))).warnings.filter((text) => text.includes('identity.oidc'));
  expect(await about(entry('token_types: [at+jwt, JWT]'))).toEqual([expect.stringContaining('ID tokens')]);
  expect(await about(entry().replace('https://login.test', 'http://127.0.0.1:9000'))).toEqual([]);
});
