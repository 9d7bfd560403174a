/** Paths of the local listener: as in the routes table, and the MCP endpoint with a slash behind it as well. */
import { routes } from '#core/contracts/routes.ts';
import { createRouter } from '../../../bin/local/http-router.ts';

const router = createRouter(routes);

test('[mcp.json-rpc] /mcp/ is the MCP endpoint, and no other path has a second spelling', () => {
  expect(router('POST', '/mcp/')).toEqual(router('POST', '/mcp'));
  for (const path of ['/mcp//', '//mcp', '/v1/models/', '/admin/v1/approvals/'])
    expect(() => router('POST', path)).toThrow(/There is nothing at/);
});
