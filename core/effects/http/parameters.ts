/**
 * Known parameters of a request. A name that a client may interpret as another address, another method or a proxy makes
 * the request unclear.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';

/** Parameters that contain an address. */
export const urlKeys = ['url', 'uri', 'href', 'endpoint', 'address', 'link'];

const understood: ReadonlySet<string> = new Set([
  ...urlKeys,
  // Query string and body.
  ...'method headers params query query_params queryparams searchparams body json data form'.split(' '),
  // These do not affect the destination.
  ...`timeout timeout_ms timeoutms timeout_seconds max_length maxlength max_bytes max_size max_chars start_index raw format
  formats prompt question reason note purpose description title label encoding charset accept content_type contenttype
  user_agent useragent retries retry_count idempotency_key output_format response_format response_type responsetype cache
  wait wait_for wait_ms delay screenshot onlymaincontent only_main_content include_links selector limit page per_page
  follow_redirects redirect max_redirects allow_redirects verbose credentials decompress`
    .trim()
    .split(/\s+/),
]);

/** Names that change the destination or method, compared without regard to case or separators. */
const steering: ReadonlySet<string> = new Set(
  `proxy proxies proxyurl proxyhost proxyport httpproxy httpsproxy hostname host hosts port baseurl baseuri basepath
  origin verb httpverb httpmethod requestmethod methodoverride socketpath unixsocket connectto localaddress dispatcher
  tunnel forwardto redirectto targeturl upstreamurl servername`
    .trim()
    .split(/\s+/),
);

const maxDepth = 3;

/** Returns reasons why the parameters may change the request in unknown ways. */
export function parameterDoubts({ protocol, parameters }: ToolCall): string[] {
  const names = Object.keys(parameters).filter((name) => parameters[name] !== undefined && parameters[name] !== null);
  const unknown =
    foldCase(protocol).trim() === 'http' ? names.filter((name) => !understood.has(name.toLowerCase())) : [];
  const found = names
    .filter((name) => !unknown.includes(name))
    .flatMap((name) => steeringIn(name, parameters[name], 0));
  const { redirect } = parameters;
  const leads = typeof redirect === 'string' && !/^(?:follow|error|manual|true|false|yes|no)?$/i.test(redirect.trim());
  return [
    ...(leads ? ['the parameter "redirect" names a destination for the request'] : []),
    ...unknown.map((name) => `the effect of the parameter ${quoteName(name)} on the request is not known`),
    ...found.map((name) => `the parameter ${quoteName(name)} may send the request elsewhere or change its method`),
  ].slice(0, 5);
}

/** Parameters with content to send or search for. The names of their members do not matter. */
const content: ReadonlySet<string> = new Set(
  'headers body json data form params query query_params queryparams searchparams variables'.split(' '),
);

function steeringIn(name: string, value: unknown, depth: number): string[] {
  if (steering.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))) return [name];
  if (content.has(name.toLowerCase()) || typeof value !== 'object' || value === null || depth >= maxDepth) return [];
  return Object.entries(value).flatMap(([inner, below]) => steeringIn(inner, below, depth + 1));
}

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 64));

/** Returns the query string that the parameters add to the address. Undefined if they cannot be parsed. */
export function addedQuery(parameters: ToolCall['parameters']): string | undefined {
  const added = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (!queryKeys.has(key.toLowerCase())) continue;
    if (typeof value === 'string') {
      // Any other query, such as GraphQL, counts as content.
      if (/^\??[^\s{}]*=[^\s{}]*$/.test(value))
        for (const [name, text] of new URLSearchParams(value)) added.append(name, text);
      continue;
    }
    if (value === null || value === undefined) continue;
    if (typeof value !== 'object' || Array.isArray(value)) return undefined;
    for (const [name, item] of Object.entries(value)) {
      for (const text of [item].flat()) {
        if (typeof text === 'object' && text !== null) return undefined;
        added.append(name, String(text));
      }
    }
  }
  return added.toString();
}

const queryKeys: ReadonlySet<string> = new Set(['params', 'query', 'query_params', 'queryparams', 'searchparams']);
