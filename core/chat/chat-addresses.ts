/**
 * Addresses in a chat that its provider would fetch: pictures, documents and sound by URL. Fetching one carries data out, and leads a
 * self-hosted provider into its own network [chat.addresses].
 */

import type { ChatOperation, DialectName } from '#core/contracts/chat.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { isInnerAddress } from '#core/policy/classification/inner-address.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';

interface Asked {
  readonly dialect: DialectName;
  readonly operation?: Exclude<ChatOperation, 'chat.completions' | 'messages'> | undefined;
  readonly body: JsonObject;
}

/** @throws GatewayError `invalid_request` that names the member and the setting that allows it. */
export function refuseAddresses(configuration: Configuration, { dialect, operation, body }: Asked): void {
  const { chat_addresses: allowed, messages, chat_completions } = configuration;
  if (allowed === 'any') return;
  const ofMessages = dialect === 'anthropic' || operation === 'responses';
  const governs = (ofMessages ? messages : chat_completions).tool_use === 'govern';
  for (const { path, address } of addressesIn(body.messages, 'messages')) {
    if (Array.isArray(allowed) ? isListed(address, allowed) : allowed === 'public' && !governs && isPublic(address))
      continue;
    const why =
      allowed === 'public' && governs
        ? 'which the provider would fetch, while tool_use: govern decides what is fetched'
        : allowed === 'public'
          ? 'which is not a public http or https address'
          : 'which chat_addresses does not allow';
    throw invalidRequest(
      `${path} holds an address ${why}. Send the content in base64, or have its host listed in chat_addresses.`,
      { param: path },
    );
  }
}

interface Found {
  readonly path: string;
  readonly address: string;
}

/** Members that hold what a provider fetches; the arguments of tool calls are not fetched. */
function* addressesIn(value: Json | undefined, path: string): Iterable<Found> {
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* addressesIn(item, `${path}[${at}]`);
  else if (isObject(value) && value.type !== 'tool_use')
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'tool_calls' || name === 'function_call') continue;
      const below = `${path}.${name}`;
      const fetched = name.endsWith('_url') || name === 'file_data' || (name === 'url' && isUrlHolder(value, path));
      if (fetched && typeof inner === 'string') {
        if (isAddress(inner)) yield { path: below, address: inner };
      } else yield* addressesIn(inner, below);
    }
}

const isUrlHolder = ({ type }: JsonObject, path: string): boolean => type === 'url' || path.endsWith('_url');

/** What is not in the text itself: neither a `data:` URL, nor base64, nor the id of a file. */
const isAddress = (text: string): boolean =>
  !/^\s*data:/i.test(text) &&
  (/^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(text) || isInnerAddress(text.slice(0, 2048), true));

const isPublic = (address: string): boolean => /^\s*https?:\/\//i.test(address) && !isInnerAddress(address, false);

function isListed(address: string, hosts: readonly string[]): boolean {
  const url = URL.parse(address.trim());
  return (
    url !== null && /^https?:$/.test(url.protocol) && hosts.some((host) => globMatches(host, foldCase(url.hostname)))
  );
}
