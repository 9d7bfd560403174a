/** Headers of a request as the edge hands it on: without what belongs to one connection, and with the client's true address. */

/** Fields of one connection (RFC 9110, section 7.6.1) and what a client has no say in. */
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
  /** The host that the client asked for. */
  readonly host: string;
  readonly scheme: 'https' | 'http';
}

interface ForwardedBy {
  /** Host of the upstream. */
  readonly host: string;
  readonly client: Client;
  /** `traceparent` and `tracestate` of the edge's own span; they replace the client's. */
  readonly trace: Readonly<Record<string, string>>;
}

/** @param raw names and values in turn, every occurrence kept. @returns the same form. */
export function forwardedHeaders(raw: readonly string[], { host, client, trace }: ForwardedBy): string[] {
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

/** Headers of a reply: HTTP/2 forbids those of a connection, and the next connection has its own. */
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

/** Fields that `Connection` names are of this connection only. */
function connectionFields(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]!.toLowerCase() !== 'connection') continue;
    for (const name of raw[at + 1]!.split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}
