/**
 * Finds a call's recipients in its arguments: mail addresses, accounts, channels and similar values
 * [manifest.recipients].
 */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { asText } from '#core/kernel/as-text.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { addressesIn } from '#core/text/decode/addresses.ts';

/** Words that mark an argument as a recipient anywhere in its name. */
const anywhere = wordSet(`
  account accounts attendee attendees bcc beneficiary cc channel channels collaborator collaborators email emails grantee
  iban invitee invitees mailto participant participants payee phone receiver receivers recipient recipients`);

/** Words that mark an argument as a recipient at the end of its name: `to`, `send_to`, `share_with`. */
const last = wordSet('to with whom');

/** Member names in a recipient written as an object. They do not count as recipients themselves. */
const structure = wordSet(`
  address addr email mail emailaddress email_address mailaddress mail_address name displayname display_name fullname full_name
  firstname first_name lastname last_name id userid user_id accountid account_id username user_name user handle login type kind role value values
  recipient recipients contact contacts person people member members items list entries data details smtp iban bic swift number bank bankname
  bank_name currency country phone label status to cc bcc`);

const oneAddress = /^(?:mailto:)?[^\s<>@,;:"'()[\]{}]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{2,24}$/i;
const maxLevels = 32;
const maxValues = 512;

interface Recipients {
  readonly found: readonly string[];
  /** True if there were too many arguments to read them all. */
  readonly unread: boolean;
}

export function recipientsOf(calls: readonly ToolCall[]): Recipients {
  const found = new Set<string>();
  let values = 0;
  let unread = false;
  const walk = (value: unknown, named: boolean, level: number): void => {
    if (value === null || value === undefined || typeof value === 'boolean' || value === '') return;
    if (level > maxLevels || ++values > maxValues) {
      unread = true;
      return;
    }
    if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        // The keys of a map may be addresses.
        if (!Array.isArray(value) && (oneAddress.test(key.trim()) || (named && !structure.has(key.toLowerCase()))))
          note(key, found);
        walk(item, named || (!Array.isArray(value) && isRecipientName(key)), level + 1);
      }
      return;
    }
    const text = asText(value);
    if (named || oneAddress.test(text.trim())) note(text, found);
  };
  for (const { target, parameters, sent_with } of calls) {
    walk(target, false, 0);
    walk(parameters, false, 0);
    walk(sent_with, false, 0);
  }
  return { found: [...found], unread };
}

function isRecipientName(name: string): boolean {
  const words = wordsIn(name);
  return last.has(words.at(-1) ?? '') || words.some((word) => anywhere.has(word));
}

/**
 * Adds the recipients found in a string. `Bob <bob@example.com>, eve@example.com` contains two; a part without an
 * address counts as a recipient by itself.
 */
function note(text: string, found: Set<string>): void {
  for (const part of text.split(/[,;\n\r]+/)) {
    const said = part.trim().replace(/^mailto:/i, '');
    const bare = /^[^<>@]*<([^<>\s]+)>$/.exec(said)?.[1] ?? said;
    if (bare === '') continue;
    const addresses = addressesIn(bare).filter((address) => address.includes('@') && !address.includes('/'));
    // The server may interpret text around an address as another address, so the whole text counts.
    if (addresses.length === 1 && addresses[0] === bare) found.add(bare.toLowerCase());
    else found.add(bare.normalize('NFC'));
  }
}
