/** Rewrites headers that the edge forwards: removes hop-by-hop headers, and sets the client's true address. */

/** Hop-by-hop fields (RFC 9110, section 7.6.1), and fields that clients may not set. */
const dropped = new Set([
  'connection',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-gateway-edge',
  'x-gateway-http3',
  'x-real-ip',
]);

const isDropped = (name: string, named: ReadonlySet<string>): boolean =>
  name.startsWith(':') || name.startsWith('x-forwarded-') || dropped.has(name) || named.has(name);

interface Client {
  readonly address: string;
  /** Host that the client requested. */
  readonly host: string;
  readonly scheme: 'https' | 'http';
}

interface ForwardContext {
  /** Host of the upstream. */
  readonly host: string;
  readonly client: Client;
  /** `traceparent` and `tracestate` of the edge's own span. They replace the client's. */
  readonly trace: Readonly<Record<string, string>>;
}

/**
 * Returns the headers for the upstream.
 * @param raw alternating names and values, with all occurrences.
 * @returns headers in the same format.
 */
export function forwardedHeaders(raw: readonly string[], { host, client, trace }: ForwardContext): string[] {
  const named = connectionFields(raw);
  const kept: string[] = ['host', host];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (!isDropped(name, named) && !(name in trace)) kept.push(name, raw[at + 1]!);
  }
  for (const [name, value] of Object.entries(trace)) kept.push(name, value);
  kept.push('x-forwarded-for', client.address, 'x-forwarded-host', client.host, 'x-forwarded-proto', client.scheme);
  return kept;
}

/** Returns a reply's headers without hop-by-hop headers, which HTTP/2 forbids. */
export function returnedHeaders(raw: readonly string[]): string[] {
  const named = connectionFields(raw);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (name.startsWith(':') || dropped.has(name) || named.has(name)) continue;
    kept.push(name, raw[at + 1]!);
  }
  return kept;
}

/** Returns the fields listed in `Connection`, which only apply to this connection. */
function connectionFields(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]!.toLowerCase() !== 'connection') continue;
    for (const name of raw[at + 1]!.split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}
