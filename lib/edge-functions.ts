/**
 * Code for the functions that CloudFront runs before each request: ECMAScript 5.1 without modules, at most 10 kB.
 * Tested with the vectors in `test/unit/edge/paths.yaml` [edge.listeners].
 */
import { edgeHeaders } from '#core/contracts/edge.ts';
import { errorKinds } from '#core/kernel/errors.ts';

/** CloudFront overwrites the caller's headers that have these names. */
const caller = `  request.headers['${edgeHeaders.host}'] = { value: request.headers.host.value };
  request.headers['${edgeHeaders.client}'] = { value: event.viewer.ip };
`;

const setUri = (uri?: string): string => (uri === undefined ? '' : `  request.uri = '${uri}';\n`);

/**
 * Returns the code for a single surface's host. The WebSocket API has no paths and is reached at its stage.
 * @param uri replaces the caller's path at the origin.
 */
export const edgeFunctionCode = (uri?: string): string => `function handler(event) {
  var request = event.request;
${caller}${setUri(uri)}  return request;
}
`;

const notFoundFunction = (message: string): string => {
  const { status } = errorKinds.not_found;
  const body = JSON.stringify({ error: { code: status, type: 'not_found', message } });
  return `function nothing() {
  return {
    statusCode: ${status},
    statusDescription: 'Not Found',
    headers: { 'content-type': { value: 'application/json' }, 'cache-control': { value: 'no-store' } },
    body: { encoding: 'text', data: ${JSON.stringify(body)} }
  };
}
`;
};

/**
 * Matches a `.` or `..` segment, plain or encoded. CloudFront resolves it to choose a behavior, but passes on the
 * original path.
 */
const dots = String.raw`/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(request.uri)`;

/**
 * Returns the code for the host that serves all surfaces: `/api` is removed; `/admin`, `/mcp` and the metadata of
 * `/mcp` are kept. A path that belongs to another upstream gets 404, regardless of which behavior CloudFront chose for
 * it.
 * @param upstream undefined: every path gets 404.
 * @param uri see `edgeFunctionCode`.
 */
export const routingFunctionCode = (
  upstream: 'gateway' | 'admin' | 'mcp' | undefined,
  uri?: string,
): string => `${notFoundFunction('There is nothing at this path; the edge serves /api/*, /admin/*, /mcp and /.well-known/oauth-protected-resource.')}
var upstreams = { api: 'gateway', admin: 'admin', mcp: 'mcp', '.well-known/oauth-protected-resource': 'mcp' };

function handler(event) {
  var request = event.request;
  var found = /^\\/(api(?=\\/)|admin(?=\\/|$)|mcp(?=\\/|$)|\\.well-known\\/oauth-protected-resource(?=\\/mcp$|$))/.exec(request.uri);
  if (!found || ${dots}) return nothing();
  if (upstreams[found[1]] !== '${upstream ?? 'none'}') return nothing();
  if (found[1] === 'api') request.uri = request.uri.slice(4);
${caller}${setUri(uri)}  return request;
}
`;

/** Returns the console's code: `/console/` serves its page, and its files have plain names. */
export const consoleFunctionCode = (): string => `${notFoundFunction('This file of the console was not found.')}
function handler(event) {
  var request = event.request;
  if (request.uri === '/console')
    return { statusCode: 308, statusDescription: 'Permanent Redirect', headers: { location: { value: '/console/' } } };
  var found = /^\\/console\\/([\\w-]+\\.(?:html|js|css|svg))?$/.exec(request.uri);
  if (!found) return nothing();
  request.uri = '/' + (found[1] || 'index.html');
  return request;
}
`;
