/**
 * Finds the destination of an HTTP action: a configured service and a path below its base URL. Addresses are parsed in
 * the same way as in the policy, so that the address called is the one evaluated.
 */
import type { HttpServiceEntry } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { type Address, readAddress } from '#core/effects/http/address.ts';
import { compileGlob } from '#core/text/matching/glob.ts';
import { callRefused } from '../fault.ts';

interface Destination {
  readonly service: HttpServiceEntry;
  /** Path below the service's base URL; begins with a slash. */
  readonly path: string;
  readonly url: string;
}

/** Returns the service named by a call's tool, target or `url`, or undefined if no configured service matches. */
export function serviceOf(
  { tool, target, parameters }: Pick<ActionEnvelope, 'tool' | 'target' | 'parameters'>,
  services: readonly HttpServiceEntry[],
): HttpServiceEntry | undefined {
  const family = familyOf(tool);
  const byTool = services.find(({ name }) => name.toLowerCase() === family);
  if (byTool || family !== 'http') return byTool;
  const address = readAddress(typeof parameters.url === 'string' ? parameters.url : target);
  return address.scheme === '' ? serviceNamed(address, services) : services.find((each) => isUnder(each, address));
}

/**
 * Returns the destination. @throws ExecutionFault `refused` for an address that is ambiguous or outside the service.
 */
export function destinationOf(
  envelope: Pick<ActionEnvelope, 'target' | 'parameters'>,
  service: HttpServiceEntry,
): Destination {
  const { url } = envelope.parameters;
  if (url === undefined) return readDestination(envelope.target, service);
  if (typeof url !== 'string') throw callRefused('parameter url is not a string');
  const wanted = readDestination(url, service);
  if (isLabelOf(service, envelope.target)) return wanted;
  if (readDestination(envelope.target, service).url !== wanted.url)
    throw callRefused(`target ${envelope.target} and parameter url name different addresses`, 'Name the address once.');
  return wanted;
}

/**
 * Returns a tool's prefix: `billing.get` belongs to the service `billing`, `http.get` to the service at the given
 * address.
 */
const familyOf = (tool: string): string => tool.slice(0, Math.max(0, tool.lastIndexOf('.'))).toLowerCase();

const isLabelOf = ({ name }: HttpServiceEntry, target: string): boolean =>
  target.trim() === '' || target.trim().toLowerCase() === name.toLowerCase();

/** Finds a service by the part before the first slash, as in `billing/invoices`. */
const serviceNamed = ({ host }: Address, services: readonly HttpServiceEntry[]): HttpServiceEntry | undefined =>
  host === '' ? undefined : services.find(({ name }) => name.toLowerCase() === host);

function isUnder({ base_url }: HttpServiceEntry, { scheme, host, port, path }: Address): boolean {
  const base = readAddress(base_url);
  const folder = folderOf(base);
  return scheme === base.scheme && host === base.host && port === base.port && `${path}/`.startsWith(`${folder}/`);
}

const folderOf = ({ path }: Address): string => path.replace(/\/+$/, '');

function readDestination(text: string, service: HttpServiceEntry): Destination {
  const address = readAddress(text);
  const [doubt] = address.doubts;
  if (doubt !== undefined) throw callRefused(doubt, 'Write the address plainly.');
  const base = readAddress(service.base_url);
  const path = pathUnder(service, base, address);
  const odd = oddityOf(path);
  if (odd !== undefined) throw callRefused(`the path ${odd}`, 'Write the path plainly.');
  assertAllowed(service, path);
  const { origin } = new URL(service.base_url);
  const whole = folderOf(base) + path;
  const url = new URL(`${origin}${whole}${address.query}`);
  if (url.origin !== origin || url.pathname !== whole)
    throw callRefused('the address can be read in more than one way');
  return { service, path, url: url.href };
}

function pathUnder(service: HttpServiceEntry, base: Address, address: Address): string {
  if (address.scheme === '' && address.host === '') return address.path;
  if (address.scheme === '') {
    if (address.host === service.name.toLowerCase()) return address.path;
  } else if (isUnder(service, address)) return address.path.slice(folderOf(base).length) || '/';
  throw callRefused(`${address.target} is not under service ${service.name}`, `Its base URL is ${service.base_url}.`);
}

/**
 * Returns why a path is ambiguous. Servers, proxies and frameworks interpret such paths differently, so allowlists
 * would not be reliable.
 */
function oddityOf(path: string): string | undefined {
  if (/%(?:2f|5c|25|00|0a|0d)/i.test(path)) return 'contains an encoded slash, percent sign or control character';
  if (path.includes('//')) return 'contains an empty segment';
  if (path.split('/').some((segment) => /^\.{1,2}(?:;|$)/.test(segment))) return 'climbs';
  return undefined;
}

function assertAllowed({ name, allowed_paths }: HttpServiceEntry, path: string): void {
  const plain = decodeURIComponentSafely(path);
  // The leading slash of a pattern is optional.
  const allowed = allowed_paths.some((pattern) => {
    const { matches } = compileGlob(pattern, 'text');
    return matches(plain) || matches(plain.slice(1));
  });
  if (!allowed) throw callRefused(`path ${path} of service ${name} is not among ${allowed_paths.join(', ')}`);
}

function decodeURIComponentSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw callRefused('the path is not valid UTF-8');
  }
}
