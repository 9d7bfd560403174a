/** A normalised address: the actual destination of a request, in the form that rules match against. */
import { isAscii } from '#core/text/matching/fold-unicode.ts';

export interface Address {
  /** `https://host/path?query`, or without a scheme if the call has none. */
  readonly target: string;
  readonly scheme: string;
  /** Host in lower case and punycode, without a final dot. IPv4 is in dotted form, even if mapped to IPv6. */
  readonly host: string;
  /** Port as a string, including the scheme's default port. */
  readonly port: string;
  readonly path: string;
  readonly query: string;
  /** Reasons why a client may parse the address differently. */
  readonly doubts: readonly string[];
}

const ports: Readonly<Record<string, string>> = { http: '80', https: '443' };
/** Maximum length of an address, roughly the limit that servers apply. */
const maxLength = 16 * 1024;
const hostWithoutScheme = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?(?::\d+)?(?:[/?#]|$)/i;

/** Parses a URL, or a host or service with a path (`api.example.com/v1`, `billing/invoices`). */
export function readAddress(text: string): Address {
  if (text.length > maxLength) return unreadableAddress('', [`the address is longer than ${maxLength} characters`]);
  const doubts = doubtsOf(text);
  const hasScheme = /^\s*[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text);
  if (hasScheme) return fromUrl(URL.parse(text), text, doubts, false);
  if (/^\s*[/\\]{2}/.test(text)) {
    doubts.push('the address has no scheme');
    return fromUrl(URL.parse(text, 'https://base.invalid'), text, doubts, false);
  }
  if (hostWithoutScheme.test(text)) return fromUrl(URL.parse(`https://${text}`), text, doubts, true);
  // The address is only a path, so the executor determines the host.
  const path = URL.parse(text, 'https://base.invalid/');
  if (!text.startsWith('/') || path === null || path.host !== 'base.invalid') return unreadableAddress(text, doubts);
  const resolved = normalPath(path.pathname);
  return { target: resolved + path.search, scheme: '', host: '', port: '', path: resolved, query: path.search, doubts };
}

function fromUrl(url: URL | null, text: string, doubts: string[], withoutScheme: boolean): Address {
  if (url === null) return unreadableAddress(text, doubts);
  const scheme = url.protocol.slice(0, -1);
  const path = normalPath(url.pathname);
  const query = normalEscapes(url.search);
  if (!Object.hasOwn(ports, scheme)) {
    doubts.push(`the scheme is ${scheme}, not http or https`);
    url.username = '';
    url.password = '';
    return { target: url.href, scheme, host: url.hostname, port: url.port, path, query, doubts };
  }
  if (url.username !== '' || url.password !== '') doubts.push('the address carries a user name or password');
  const host = normalHost(url.hostname);
  doubts.push(...hostDoubts(url, host, text));
  const authority = url.port === '' ? host : `${host}:${url.port}`;
  return {
    target: `${withoutScheme ? '' : `${scheme}://`}${authority}${path}${query}`,
    scheme: withoutScheme ? '' : scheme,
    host,
    port: url.port === '' ? ports[scheme]! : url.port,
    path,
    query,
    doubts,
  };
}

const unreadableAddress = (text: string, doubts: readonly string[]): Address => ({
  target: text,
  scheme: '',
  host: '',
  port: '',
  path: '',
  query: '',
  doubts: [...doubts, 'the address is not a URL'],
});

const encodedDots = /^\.?%2e(?:\.|%2e)?$/i;

/** Returns reasons to doubt a URL: errors that each URL parser corrects in its own way. */
function doubtsOf(text: string): string[] {
  const doubts: string[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) doubts.push('the address contains control characters');
  if (/%0[0ad]/i.test(text)) doubts.push('the address contains an encoded line break or NUL');
  if (text.includes('\\')) doubts.push('the address contains a backslash');
  if (/\s/.test(text)) doubts.push('the address contains whitespace');
  if (/^\s*https?:(?!\/\/[^/\\])/i.test(text)) doubts.push('the scheme is not followed by two slashes');
  if (/%25(?:2[ef]|5c)/i.test(text)) doubts.push('the address is encoded twice');
  if (/(?:^|[/\\]|%2f|%5c)\.{1,2}(?:%2f|%5c|;)|(?:%2f|%5c)\.{1,2}(?:[/\\?#;]|$)/i.test(text))
    doubts.push('the address contains dots that some servers resolve and others do not');
  if (/%2e/i.test(text) && text.split(/[/\\?#]|%2f|%5c/i).some((segment) => encodedDots.test(segment)))
    doubts.push('the address contains encoded dots');
  return doubts;
}

function hostDoubts(url: URL, host: string, text: string): string[] {
  const doubts: string[] = [];
  const written = writtenHost(text);
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(host);
  if (isAddress && written !== host) doubts.push(`the host is the address ${host} in an unusual notation`);
  if (written.includes('%')) doubts.push('the host is percent-encoded');
  if (!isAscii(written)) doubts.push(`the host is ${host} written with non-ASCII characters`);
  if (url.hostname.startsWith('[') && !isAddress && embedsIpv4.test(url.hostname))
    doubts.push('the host is an IPv6 address that contains an IPv4 address');
  return doubts;
}

/** NAT64, 6to4, IPv4-compatible and Teredo addresses reach an IPv4 address through a translating gateway. */
const embedsIpv4 = /^\[(?:64:ff9b:|2002:|2001:0?:|::[0-9a-f]{1,4}:[0-9a-f]{1,4}\])/i;

const writtenHost = (text: string): string => {
  const authority = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*([^/\\?#]*)/i.exec(text)?.[1] ?? '';
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*\s*$/, '')
    .toLowerCase()
    .trim();
};

function normalHost(hostname: string): string {
  const host = hostname.toLowerCase().replace(/(?<=[^.])\.+$/, '');
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!mapped) return host;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Normalises a path: `%41` becomes `A`, `%2f` becomes `%2F`. Runs of slashes are kept, because servers treat them
 * differently.
 */
const normalPath = (path: string): string => normalEscapes(path === '' ? '/' : path);

const normalEscapes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (coded) => {
    const char = String.fromCharCode(Number.parseInt(coded.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(char) ? char : coded.toUpperCase();
  });
