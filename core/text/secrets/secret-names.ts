/** Whether a key's name says that its value is a secret. Word by word, so that `secretary` and `max_tokens` do not. */
import { rememberedText } from '#core/kernel/remembered.ts';

/** A name that ends in one of these words, or word pairs joined by `_`, names a secret. */
const secretEndings = new Set(
  `password passwords passwd passphrase pwd secret secrets token jwt otp passcode authorization cookie cookies credential
  credentials api_key api_keys private_key private_keys access_key secret_key signing_key encryption_key master_key
  account_key session_key auth_key shared_key ssh_key pre_shared_key connection_string auth tokens`.split(/\s+/),
);

/** The same where writers leave out the separator: `dbpassword`, `apikey`. */
const runTogether =
  /(?:password|passwd|passphrase|apikey|accesstoken|authtoken|refreshtoken|idtoken|bearertoken|secretkey|privatekey|accesskey|clientsecret|connectionstring)$/;

/** Words that may follow without making the value harmless: `password_hash`, `new_password_2`, `token_value`. */
const trailing =
  /_(?:value|plain|plaintext|raw|base64|b64|hex|pem|hash|confirmation|confirm|old|new|current|header|\d+)$/;

/** Tokens of another kind: cursors of pages and the vocabulary of language models. */
const otherTokens =
  /(?:^|_)(?:page|next|continuation|sync|stop|pad|eos|bos|unk|mask|max|min|num|total|prompt|completion|input|output|cached|reasoning|used|remaining)_tokens?$/;

/** Names for containers as much as for secrets: their texts are withheld, what has structure is looked into. */
const containers = new Set(['auth', 'credential', 'credentials', 'token', 'tokens', 'cookie', 'cookies', 'jwt']);

/** Lower case, words joined by `_`: `X-API-Key`, `xApiKey` and `x_api_key` are one name. */
export function normalisedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase();
}

/** How far a name reaches: `whole` covers any value, `text` only strings, numbers aside. */
export function secrecyOf(name: string): 'none' | 'text' | 'whole' {
  let normal = normalisedName(name.slice(-nameCharacters));
  while (trailing.test(normal)) normal = normal.replace(trailing, '');
  if (otherTokens.test(normal)) return 'none';
  const ending = endingOf(normal);
  if (ending === undefined) return runTogether.test(normal) ? 'whole' : 'none';
  return containers.has(ending) ? 'text' : 'whole';
}

/** The same for the name of a member. */
export const secrecyOfMember = rememberedText(secrecyOf);

/** What names a secret stands at the end; cutting the rest bounds the work on hostile keys. */
const nameCharacters = 128;

/** The longest known ending of up to three words. */
function endingOf(normal: string): string | undefined {
  const words = normal.split('_');
  for (const count of [3, 2, 1]) {
    const ending = words.slice(-count).join('_');
    if (secretEndings.has(ending)) return ending;
  }
  return undefined;
}
