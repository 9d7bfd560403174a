/** Whether a value is a secret itself, or only stands for one: a reference, a placeholder, a pattern, the path of a file. */

/** What is worked out where the text runs, or filled in before. */
const references =
  /\$\{\{[^}]*\}\}|\$\{[^}]*\}|\$\([\s\S]*\)|\$[A-Za-z_]\w*|\$[\d@*#?$!]|`[^`]*`?|\{\{[^}]*\}\}|%[A-Za-z_]\w*%|<[A-Za-z_][\w -]*>/g;
const scheme = /^(?:bearer|basic|token)\s+/i;
const placeholders =
  /^(?:true|false|null|none|nil|undefined|yes|no|on|off|required|optional|prompt|stdin|string|str|text|bool|boolean|int|number|any|env|auto|default|never|always|disabled?|enabled?|redacted|hidden|masked|placeholder|example|x{3,}|\*+|\.{3}|…|your[-_\w]*|change[-_]?me)$/i;
const patternSigns = /\.[*+]|\[\^|\\[wsdS]|\[[A-Za-z0-9]-|\(\?/;
const pathLike =
  /^(?:~|\.{1,2})?\/[\w.@/-]+$|^[\w./-]+\.(?:json|ya?ml|txt|pem|key|env|conf|cfg|toml|ini|jar|jks|p12|pfx)$/;
const pointers = /^(?:@\S+|(?:env|file|vault|ssm|secret|op):\S+|(?:id|src|source|type|env)=\S*|:\w+|\?)$/;
const members =
  /^(?:process|os|args|self|this|config|settings|env|ctx|context|req|request|options|opts|params|user|data)\./;

/** Whether a value holds characters of a secret, rather than a reference, a placeholder or a pattern. */
export function isLiteral(value: string): boolean {
  const bare = value.trim().replace(scheme, '');
  if (!/[\p{L}\p{N}]/u.test(bare.replace(references, ''))) return false;
  return ![placeholders, patternSigns, pointers, members].some((known) => known.test(bare));
}

/** The same of one word, which may also be the path of a file. */
export const isSingleLiteral = (word: string): boolean => isLiteral(word) && !pathLike.test(word);

/** Digits among letters, both cases inside a word, signs: what words of prose and names do not have. */
export function isTokenLike(word: string): boolean {
  if (word.length < 6 || !/[A-Za-z]/.test(word)) return false;
  const mixed = /\d|[!#%^*+=~]/.test(word) || (word.length >= 10 && /[a-z][A-Z]/.test(word));
  return mixed && isSingleLiteral(word);
}
