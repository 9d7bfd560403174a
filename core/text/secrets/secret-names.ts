/** Recognises names of secrets, word by word, so that `secretary` and `max_tokens` do not match. */
import { rememberedText } from '#core/kernel/remembered.ts';

/** Words, or groups of words joined by `_`, at the end of a secret's name. */
const secretEndings = new Set(
  `password passwords passwd passphrase pwd secret secrets token jwt otp passcode authorization cookie cookies credential
  credentials api_key api_keys private_key private_keys access_key secret_key signing_key encryption_key master_key
  account_key session_key auth_key shared_key ssh_key pre_shared_key connection_string auth tokens`.split(/\s+/),
);

/** The same endings without separators: `dbpassword`, `apikey`. */
const runTogether =
  /(?:password|passwd|passphrase|apikey|accesstoken|authtoken|refreshtoken|idtoken|bearertoken|secretkey|privatekey|accesskey|clientsecret|connectionstring)$/;

/** Suffixes that leave the value secret: `password_hash`, `new_password_2`, `token_value`. */
const trailing =
  /_(?:value|plain|plaintext|raw|base64|b64|hex|pem|hash|confirmation|confirm|old|new|current|header|\d+)$/;

/** Tokens of other kinds: page cursors and language model tokens. */
const otherTokens =
  /(?:^|_)(?:page|next|continuation|sync|stop|pad|eos|bos|unk|mask|max|min|num|total|prompt|completion|input|output|cached|reasoning|used|remaining)_tokens?$/;

/** Names of secrets or of containers. Strings under these names are withheld, while objects are searched. */
const containers = new Set(['auth', 'credential', 'credentials', 'token', 'tokens', 'cookie', 'cookies', 'jwt']);

/**
 * Converts a name to lower case, with its words joined by `_`, so that `X-API-Key`, `xApiKey` and `x_api_key` become
 * equal.
 */
export function normalisedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase();
}

/** Returns which values under a name are secret: `whole` for all values, `text` only for strings. */
export function secrecyOf(name: string): 'none' | 'text' | 'whole' {
  let normal = normalisedName(name.slice(-nameCharacters));
  while (trailing.test(normal)) normal = normal.replace(trailing, '');
  if (otherTokens.test(normal)) return 'none';
  const ending = endingOf(normal);
  if (ending === undefined) return runTogether.test(normal) ? 'whole' : 'none';
  return containers.has(ending) ? 'text' : 'whole';
}

/** Memoized `secrecyOf` for member names. */
export const secrecyOfMember = rememberedText(secrecyOf);

/** Number of characters checked at the end of a name, which bounds the work on hostile keys. */
const nameCharacters = 128;

/** Returns the longest known ending made up of one to three words. */
function endingOf(normal: string): string | undefined {
  const words = normal.split('_');
  for (const count of [3, 2, 1]) {
    const ending = words.slice(-count).join('_');
    if (secretEndings.has(ending)) return ending;
  }
  return undefined;
}
