/** Distinguishes literal secrets from references, placeholders, patterns and file paths. */

/** References that are resolved at run time or filled in before. */
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

/** Checks that a value is literal, not a reference, a placeholder or a pattern. */
export function isLiteral(value: string): boolean {
  const bare = value.trim().replace(scheme, '');
  if (!/[\p{L}\p{N}]/u.test(bare.replace(references, ''))) return false;
  return ![placeholders, patternSigns, pointers, members].some((known) => known.test(bare));
}

/** Checks the same for a single word, which may also be a file path. */
export const isSingleLiteral = (word: string): boolean => isLiteral(word) && !pathLike.test(word);

/** Checks for features that words of prose and names lack: digits among letters, mixed case, signs. */
export function isTokenLike(word: string): boolean {
  if (word.length < 6 || !/[A-Za-z]/.test(word)) return false;
  const mixed = /\d|[!#%^*+=~]/.test(word) || (word.length >= 10 && /[a-z][A-Z]/.test(word));
  return mixed && isSingleLiteral(word);
}
