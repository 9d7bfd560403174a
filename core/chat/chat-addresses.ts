/**
 * URLs in a chat that its provider would fetch: images, documents and audio. Fetching a URL can leak data, and can
 * reach a self-hosted provider's own network [chat.addresses].
 */

import type { ChatOperation, DialectName } from '#core/contracts/chat.ts';
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { asText } from '#core/kernel/as-text.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { isEndpoint } from '#core/models/dialects/endpoints.ts';
import { isInnerAddress } from '#core/policy/classification/inner-address.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';

interface ChatBody {
  readonly dialect: DialectName;
  readonly operation?: ChatOperation | undefined;
  readonly body: JsonObject;
}

/**
 * Refuses addresses that are not allowed and cannot be left to a policy decision.
 * @param decidable whether the call can wait for a decision on each address (`tool_use: govern`); batch lines cannot
 * wait.
 * @throws GatewayError `invalid_request` that names the member and the setting that allows it.
 */
export function refuseAddresses(configuration: Configuration, chat: ChatBody, decidable: boolean): void {
  if (configuration.chat_addresses === 'any') return;
  for (const { path, address } of fetchedIn(chat)) {
    const ruling = rulingOf(configuration, chat, address);
    if (ruling === 'passes' || (ruling === 'decide' && decidable)) continue;
    throw refusedAddress(
      path,
      ruling === 'decide'
        ? 'that needs a decision under tool_use: govern, and no decisions are made on lines of a batch'
        : ruling,
    );
  }
}

export const refusedAddress = (path: string, why: string) =>
  invalidRequest(
    `${path} contains an address ${why}. Send the content in base64, or have its host listed in chat_addresses.`,
    { param: path },
  );

/** Returns the addresses that require a tool policy decision. */
export function addressesToDecide(configuration: Configuration, chat: ChatBody): readonly FetchedAddress[] {
  if (configuration.chat_addresses === 'any' || !governs(configuration, chat)) return [];
  return fetchedIn(chat).filter(({ address }) => rulingOf(configuration, chat, address) === 'decide');
}

const governs = ({ messages, chat_completions }: Configuration, { dialect, operation }: ChatBody): boolean =>
  (dialect === 'anthropic' || operation === 'responses' ? messages : chat_completions).tool_use === 'govern';

/** Returns `passes`, `decide`, or the reason for refusing the address. */
function rulingOf(configuration: Configuration, chat: ChatBody, address: string): string {
  const { chat_addresses: allowed } = configuration;
  const isOpen = Array.isArray(allowed) ? isListed(address, allowed) : allowed === 'any';
  if (isOpen) return 'passes';
  if (allowed === 'none') return 'which chat_addresses does not allow';
  const governed = governs(configuration, chat);
  if (Array.isArray(allowed) && !governed) return 'which chat_addresses does not allow';
  if (!isPublic(address, configuration.catalog.networks)) return 'which is not a public http or https address';
  return governed ? 'decide' : 'passes';
}

export interface FetchedAddress {
  /** Path within the request, such as `messages[0].content[1].image_url.url`. */
  readonly path: string;
  readonly address: string;
}

/** Members of other endpoints' requests whose addresses are not fetched. */
const unfetched: ReadonlySet<string> = new Set(['metadata', 'user', 'safety_identifier']);

/** Returns the addresses in the messages and, for an endpoint other than chat, also those in its other members. */
function fetchedIn({ operation, body }: ChatBody): readonly FetchedAddress[] {
  const inMessages = addressesIn(body.messages, 'messages');
  if (operation === undefined || !isEndpoint(operation)) return inMessages;
  const others = Object.entries(body).filter(([name]) => name !== 'messages' && !unfetched.has(name));
  // The walk reads members of objects, so each member is passed with its name.
  return [...inMessages, ...others.flatMap(([name, value]) => addressesIn({ [name]: value }, ''))];
}

/** Returns the addresses that a provider would fetch. Providers do not fetch addresses in tool call arguments. */
function addressesIn(value: Json | undefined, path: string): readonly FetchedAddress[] {
  const found: FetchedAddress[] = [];
  const walk = (value: Json | undefined, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) if (typeof value[at] === 'object') walk(value[at], `${path}[${at}]`);
      return;
    }
    if (value.type === 'tool_use') return;
    for (const name of Object.keys(value)) {
      if (name === 'tool_calls' || name === 'function_call') continue;
      const inner = value[name];
      const texts = isFetched(name, value, path) ? stringList(inner) : undefined;
      const at = path === '' ? name : `${path}.${name}`;
      if (!texts) walk(inner, at);
      else for (const address of texts) if (isAddress(address)) found.push({ path: at, address });
    }
  };
  walk(value, path);
  return found;
}

const stringList = (value: Json | undefined): readonly string[] | undefined =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? value
      : undefined;

/** Returns how providers treat a member with this name, or undefined if it is never fetched. */
const addressKind = rememberedText((name): 'address' | 'medium' | 'url' | undefined => {
  if (/_ur[il]$/i.test(name) || name === 'file_data') return 'address';
  if (/^(?:image|video|audio)$/.test(name)) return 'medium';
  return /^ur[il]$/.test(name) ? 'url' : undefined;
});

/**
 * Checks whether providers fetch the address in a member. They use `image_url`, `source: { type: url, url }` or `{
 * type: video, video }`.
 */
function isFetched(name: string, { type }: JsonObject, path: string): boolean {
  const kind = addressKind(name);
  if (kind === undefined || kind === 'address') return kind === 'address';
  if (kind === 'medium') return typeof type === 'string';
  return /^(?:url|(?:input_)?(?:image|video|audio|document|file))$/.test(asText(type)) || /_ur[il]$/.test(path);
}

/** Checks for an address, as opposed to a `data:` URL, base64 or a file id. */
const isAddress = (text: string): boolean =>
  !/^\s*data:/i.test(text) &&
  (/^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(text) || isInnerAddress(text.slice(0, 2048), true));

/** Maximum length of text that is checked for nested addresses. */
const maxCharacters = 8_192;

const isPublic = (address: string, networks: OwnNetworks): boolean =>
  address.length <= maxCharacters && /^\s*https?:\/\//i.test(address) && !isInnerAddress(address, false, networks);

function isListed(address: string, hosts: readonly string[]): boolean {
  const url = isReadAlike(address) && URL.parse(address.trim());
  return !!url && /^https?:$/.test(url.protocol) && hosts.some((host) => globMatches(host, foldCase(url.hostname)));
}

/** Checks that all programs would read the same host from an address, unlike from `https://a.example\@b.example`. */
export const isReadAlike = (address: string): boolean => !/[\\\s\p{Cc}]/u.test(address.trim());
