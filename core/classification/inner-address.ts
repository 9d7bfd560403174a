/** Whether a text is an address of this machine, of a network that is not public, or of the metadata of a cloud. */
import { foldUnicode } from '#core/matching/fold-unicode.ts';

/** Addresses of schemes that stand around another one. */
const around = '(?:(?:view-source|jar|blob|filesystem|feed|url):)*';
const scheme = new RegExp(String.raw`^\s*${around}(?:https?|wss?|ftps?|sftp|gopher|dict|ldaps?|telnet):[\\/]{2}`, 'i');
/** The beginning of a host, as against a version (`lib@10.1.2`) or a port. */
const plainHost = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|127\.|0x[0-9a-f]{2}|\[|localhost\b|[\w.-]*\.(?:internal|local|localhost)\b)`;
const startsPlainly = new RegExp(`^${plainHost}`, 'i');
/** Browsers read `http:127.0.0.1` and `http:/127.0.0.1` as they read it with two slashes. */
const unslashed = new RegExp(String.raw`^\s*${around}(?:https?|wss?|ftp):[\\/]?${plainHost}`, 'i');
/** What a fetching tool turns into an address: `localhost:8080/admin`, `//10.0.0.1`. */
const withoutScheme = /^\s*(?:[\\/]{2})?(?=(?:[\w.-]+|\[[0-9a-f:.%]+\])(?::\d{1,5})?(?:[/?#\\]|\s*$))/i;

/**
 * The host decides, as a browser reads it: `http://2130706433` is 127.0.0.1. A name without a dot is of a network of its own.
 * @param bare whether the text may be an address without a scheme.
 */
export function isInnerAddress(text: string, bare: boolean): boolean {
  if (text.length > 8_192) return false;
  const plain = foldUnicode(text);
  const named = scheme.test(plain);
  const isAddress = named || unslashed.test(plain);
  if (!isAddress && !(bare && withoutScheme.test(plain))) return false;
  const rest = plain.trim().replace(isAddress ? beginning : /^[\\/]*/, '');
  // Programs differ in where the host begins behind `\@`, `#@` and `?@`.
  const behind = rest.split('@').slice(1, 1 + maxSigns);
  return isInnerHost(rest, named) || behind.some((each) => startsPlainly.test(each) && isInnerHost(each, false));
}

const beginning = new RegExp(String.raw`^\s*${around}[^:]+:[\\/]*`, 'i');
const maxSigns = 8;

/** @param named whether a name without a dot is one of its own network. */
function isInnerHost(rest: string, named: boolean): boolean {
  // The zone of an address and the end of an archive do not belong to the host.
  const url = URL.parse(`http://${rest.replace(/^(\[[^\]%]*)%[^\]]*\]/, '$1]').replace('!/', '/')}`);
  if (!url) return false;
  const host = url.hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return innerV6.test(host) || innerV4(mappedV4(host) ?? '');
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return innerV4(host);
  if (innerNames.test(host)) return true;
  const within = embeddedV4.exec(host)?.[1];
  if (within !== undefined && innerV4(within.replaceAll('-', '.'))) return true;
  const hex = embeddedHex.exec(host)?.[1];
  if (hex !== undefined && innerV4([...hex.matchAll(/../g)].map(([byte]) => Number.parseInt(byte, 16)).join('.')))
    return true;
  return named && host !== '' && !host.includes('.');
}

const innerV6 = /^\[(?:::1?|f[cd][0-9a-f]{0,2}:.*|fe[89a-f][0-9a-f]?:.*)\]$/i;
const innerNames =
  /^(?:localhost|ip6-localhost|broadcasthost|instance-data)$|\.(?:localhost|localdomain|local|internal|intranet|corp|home|lan|private|svc|arpa|test)$|^metadata\.|(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com)$/i;
/** Names whose server answers with the address that they hold: `10.0.0.1.nip.io`. */
const embeddedV4 =
  /(?:^|[.-])(\d{1,3}([.-])\d{1,3}\2\d{1,3}\2\d{1,3})\.(?:nip\.io|sslip\.io|xip\.io|traefik\.me|localtls\.com)$/i;

const embeddedHex = /(?:^|[.-])([0-9a-f]{8})\.(?:nip\.io|sslip\.io)$/i;

/** `[::ffff:7f00:1]` and `[64:ff9b::7f00:1]` are written with the last two groups of a URL's host. */
function mappedV4(host: string): string | undefined {
  const groups = /^\[(?:::ffff:|::ffff:0:|::|64:ff9b::|2002:)([0-9a-f]{1,4}):([0-9a-f]{1,4})(?:::.*)?\]$/i.exec(host);
  if (!groups) return undefined;
  const [high, low] = [groups[1]!, groups[2]!].map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function innerV4(address: string): boolean {
  if (address === '') return false;
  const [a = -1, b = -1] = address.split('.').map(Number);
  return (
    [0, 10, 127].includes(a) ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 198 && (b === 18 || b === 19)) ||
    a >= 224 ||
    address === '192.0.0.192' ||
    address === '168.63.129.16'
  );
}
