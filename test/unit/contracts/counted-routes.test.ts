/** Which requests to the gateway and MCP endpoints count against rate limits: each route is of a known kind. */
import { routes } from '#features/routes.ts';

/** Chat calls, counted with their tokens by the flow that handles them. */
const flows = new Set(['chat-completions', 'messages']);
const isChat = ({ method, path, handledBy }: (typeof routes)[number]) =>
  method === 'POST' && !path.includes('{') && flows.has(handledBy);
const byMessage = ['POST /mcp', 'GET /mcp', 'GET /sse', 'POST /mcp/session/{id}'];
/** Routes that have no caller, or that end a call or a session. */
const free = [
  ...['GET /health', 'GET /', 'GET /.well-known/oauth-protected-resource'],
  ...['GET /.well-known/oauth-protected-resource/mcp', 'POST /v1/requests/{id}/cancel', 'DELETE /mcp'],
];

test('[limit.rate] each gateway and MCP route is either counted or listed as free', () => {
  const served = routes.filter(({ surface }) => surface === 'gateway' || surface === 'mcp');
  const named = (route: (typeof routes)[number]) => `${route.method} ${route.path}`;
  const unknown = served.filter(
    (route) => !route.counts && !isChat(route) && !byMessage.includes(named(route)) && !free.includes(named(route)),
  );
  expect(unknown.map(named)).toEqual([]);
  expect(routes.filter((route) => route.counts && free.includes(named(route))).map(named)).toEqual([]);
  expect(routes.filter(({ counts, surface }) => counts && surface !== 'gateway')).toEqual([]);
});
