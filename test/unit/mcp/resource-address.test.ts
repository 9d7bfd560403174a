/** The endpoint's address, from the configuration. */
import { resourceBase, resourceHosts } from '#core/mcp/resource-address.ts';

test.each([
  [undefined, undefined, []],
  ['https://gw.example/mcp', 'https://gw.example', ['gw.example']],
  ['https://gw.example:8443/prod/mcp/', 'https://gw.example:8443/prod', ['gw.example']],
  ['https://gw.example', 'https://gw.example', ['gw.example']],
  ['http://[::1]:9000/mcp', 'http://[::1]:9000', ['::1']],
])('[identity.oidc-mcp] %s', (mcp_resource, base, hosts) => {
  const identity = { oidc: [], aws: { callers: [] }, mcp_resource };
  expect(resourceBase(identity)).toBe(base);
  expect(resourceHosts(identity)).toEqual(hosts);
});
