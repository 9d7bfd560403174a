/** Detects addresses of this machine, of private networks and of cloud metadata services. */
import { networkOfHost } from '#core/catalog/networks.ts';
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';

/** Schemes that can wrap another address. */
const around = '(?:(?:view-source|jar|blob|filesystem|feed|url):)*';
const scheme = new RegExp(String.raw`^\s*${around}(?:https?|wss?|ftps?|sftp|gopher|dict|ldaps?|telnet):[\\/]{2}`, 'i');
/** Beginning of a host, as opposed to a version (`lib@10.1.2`) or a port. */
const plainHost = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|127\.|0x[0-9a-f]{2}|\[|localhost\b|[\w.-]*\.(?:internal|local|localhost)\b)`;
const startsPlainly = new RegExp(`^${plainHost}`, 'i');
/**
 * Matches addresses such as `http:127.0.0.1` and `http:/127.0.0.1`, which browsers parse as if they had two slashes.
 */
const unslashed = new RegExp(String.raw`^\s*${around}(?:https?|wss?|ftp):[\\/]?${plainHost}`, 'i');
/** Text that a fetching tool completes into an address: `localhost:8080/admin`, `//10.0.0.1`. */
const withoutScheme = /^\s*(?:[\\/]{2})?(?=(?:[\w.-]+|\[[0-9a-f:.%]+\])(?::\d{1,5})?(?:[/?#\\]|\s*$))/i;

/**
 * Checks the host as a browser parses it: `http://2130706433` is 127.0.0.1. A name without a dot is on a private
 * network.
 * @param bare whether the text may be an address without a scheme.
 * @param networks networks in the configuration.
 */
export function isInnerAddress(text: string, bare: boolean, networks?: OwnNetworks): boolean {
  if (text.length > 8_192) return false;
  const plain = foldUnicode(text);
  const named = scheme.test(plain);
  const isAddress = named || unslashed.test(plain);
  if (!isAddress && !(bare && withoutScheme.test(plain))) return false;
  const rest = plain.trim().replace(isAddress ? beginning : /^[\\/]*/, '');
  // Programs disagree on where the host begins after `\@`, `#@` and `?@`.
  const behind = rest.split('@').slice(1, 1 + maxSigns);
  const isInner = (host: string, isNamed: boolean) => isInnerHost(host, isNamed, networks);
  return isInner(rest, named) || behind.some((each) => startsPlainly.test(each) && isInner(each, false));
}

const beginning = new RegExp(String.raw`^\s*${around}[^:]+:[\\/]*`, 'i');
const maxSigns = 8;

/** @param named true if a name without a dot is on a private network. */
function isInnerHost(rest: string, named: boolean, networks: OwnNetworks | undefined): boolean {
  // The zone of an address and the `!/` of an archive URL are not part of the host.
  const url = URL.parse(`http://${rest.replace(/^(\[[^\]%]*)%[^\]]*\]/, '$1]').replace('!/', '/')}`);
  if (!url) return false;
  const host = url.hostname.replace(/\.$/, '');
  const network = networkOfHost(host, networks);
  if (network !== undefined) return network !== 'public';
  return named && host !== '' && !host.includes('.');
}
