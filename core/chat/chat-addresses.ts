/**
 * Addresses in a chat that its provider would fetch: pictures, documents and sound by URL. Fetching one can leak data,
 * and can reach a self-hosted provider's own network [chat.addresses].
 */

import type { ChatOperation, DialectName } from '#core/contracts/chat.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { asText } from '#core/kernel/as-text.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { isInnerAddress } from '#core/policy/classification/inner-address.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';

interface ChatBody {
  readonly dialect: DialectName;
  readonly operation?: ChatOperation | undefined;
  readonly body: JsonObject;
}

/**
 * Refuses addresses that are neither allowed nor decidable.
 * @param decidable whether the call can wait for a decision on each address (`tool_use: govern`); lines of batches
 * cannot.
 * @throws GatewayError `invalid_request` that names the member and the setting that allows it.
 */
export function refuseAddresses(configuration: Configuration, chat: ChatBody, decidable: boolean): void {
  if (configuration.chat_addresses === 'any') return;
  for (const { path, address } of addressesIn(chat.body.messages, 'messages')) {
    const ruling = rulingOf(configuration, chat, address);
    if (ruling === 'passes' || (ruling === 'decide' && decidable)) continue;
    throw refusedAddress(
      path,
      ruling === 'decide'
        ? 'which tool_use: govern would have to decide, and lines of a batch are not decided'
        : ruling,
    );
  }
}

export const refusedAddress = (path: string, why: string) =>
  invalidRequest(
    `${path} holds an address ${why}. Send the content in base64, or have its host listed in chat_addresses.`,
    { param: path },
  );

/** Returns the addresses that the tool policy must decide. */
export function addressesToDecide(configuration: Configuration, chat: ChatBody): readonly FetchedAddress[] {
  if (configuration.chat_addresses === 'any' || !governs(configuration, chat)) return [];
  return [...addressesIn(chat.body.messages, 'messages')].filter(
    ({ address }) => rulingOf(configuration, chat, address) === 'decide',
  );
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
  if (!isPublic(address)) return 'which is not a public http or https address';
  return governed ? 'decide' : 'passes';
}

export interface FetchedAddress {
  /** Path within the request, such as `messages[0].content[1].image_url.url`. */
  readonly path: string;
  readonly address: string;
}

/** Yields the addresses that a provider would fetch. It does not fetch those in arguments of tool calls. */
function* addressesIn(value: Json | undefined, path: string): Iterable<FetchedAddress> {
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* addressesIn(item, `${path}[${at}]`);
  else if (isObject(value) && value.type !== 'tool_use')
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'tool_calls' || name === 'function_call') continue;
      const below = `${path}.${name}`;
      const texts = isFetched(name, value, path) ? textsOf(inner) : undefined;
      if (!texts) yield* addressesIn(inner, below);
      else for (const address of texts) if (isAddress(address)) yield { path: below, address };
    }
}

const textsOf = (value: Json | undefined): readonly string[] | undefined =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? value
      : undefined;

/**
 * Checks whether a member is fetched. Providers name it `image_url`, `source: { type: url, url }` or `{ type: video,
 * video }`.
 */
const isFetched = (name: string, { type }: JsonObject, path: string): boolean =>
  /_ur[il]$/i.test(name) ||
  name === 'file_data' ||
  (/^(?:image|video|audio)$/.test(name) && typeof type === 'string') ||
  (/^ur[il]$/.test(name) &&
    (/^(?:url|(?:input_)?(?:image|video|audio|document|file))$/.test(asText(type)) || /_ur[il]$/.test(path)));

/** Checks for an address: not a `data:` URL, base64 or the id of a file. */
const isAddress = (text: string): boolean =>
  !/^\s*data:/i.test(text) &&
  (/^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(text) || isInnerAddress(text.slice(0, 2048), true));

/** Maximum length of texts that are checked for inner addresses. */
const maxCharacters = 8_192;

const isPublic = (address: string): boolean =>
  address.length <= maxCharacters && /^\s*https?:\/\//i.test(address) && !isInnerAddress(address, false);

function isListed(address: string, hosts: readonly string[]): boolean {
  const url = isReadAlike(address) && URL.parse(address.trim());
  return !!url && /^https?:$/.test(url.protocol) && hosts.some((host) => globMatches(host, foldCase(url.hostname)));
}

/** Checks that all programs read the same host, unlike in `https://a.example\@b.example`. */
export const isReadAlike = (address: string): boolean => !/[\\\s\p{Cc}]/u.test(address.trim());
