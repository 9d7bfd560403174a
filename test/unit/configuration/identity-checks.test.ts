/** Errors and warnings for the section `identity`. */
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, packs } from './memory.ts';

const entry = (more = '', callers = '{ tenant: default }') =>
  `{ name: corp, issuer: "https://login.test", audiences: [a], callers: [${callers}] ${more && `, ${more}`} }`;
const file = (oidc: string, more = '') => base(`identity: { oidc: [${oidc}] ${more && `, ${more}`} }`);
const load = (text: string) => loadConfiguration(text, { packs });

test('[identity.oidc-mapping] rejects accounts from unknown issuers, and an account assigned to two people', async () => {
  const people = (ids: string) =>
    file(entry()).replace('id: alice,', `id: bob, oidc_ids: ["corp/x"] }\n  - { id: alice, oidc_ids: ${ids},`);
  await expect(load(people('["other/x"]'))).rejects.toThrow('one of the issuers corp');
  await expect(load(people('["corp/x"]'))).rejects.toThrow('one person per value (bob already has it)');
  expect((await load(people('["corp/y"]'))).configuration.people[1]).toMatchObject({ oidc_ids: ['corp/y'] });
});

test('[identity.oidc-mapping] the resource for MCP clients must be one of the audiences', async () => {
  await expect(load(file(entry(), 'mcp_resource: "https://mcp.test/mcp"'))).rejects.toThrow(
    'an audience of one of the entries',
  );
  const good = entry().replace('[a]', '["https://mcp.test/mcp"]');
  expect((await load(file(good, 'mcp_resource: "https://mcp.test/mcp"'))).configuration.identity.oidc).toHaveLength(1);
});

test('[identity.oidc-mapping] using ID tokens as access tokens causes a warning; plain HTTP on localhost is allowed', async () => {
  const about = async (oidc: string) =>
    (await load(file(oidc))).warnings.filter((text) => text.includes('identity.oidc'));
  expect(await about(entry('token_types: [at+jwt, JWT]'))).toEqual([expect.stringContaining('ID tokens')]);
  expect(await about(entry().replace('https://login.test', 'http://127.0.0.1:9000'))).toEqual([]);
});
