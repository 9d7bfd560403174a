/** Whether a text is an address of this machine, of a network that is not public, or of the metadata of a cloud. */
import { networkOfHost } from '#core/catalog/networks.ts';
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';

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
  const network = networkOfHost(host);
  if (network !== undefined) return network !== 'public';
  return named && host !== '' && !host.includes('.');
}
