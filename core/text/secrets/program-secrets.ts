/**
 * Finds literal secrets in executable text: commands, SQL, scripts. References (`$TOKEN`, `$(…)`, `{{ … }}`) and prose
 * about secrets do not count. If there is a match, the call is refused, because executable text is never hidden in part
 * [approval.secret-in-program]. Runs in linear time, because repetitions are bounded.
 */
import { encodedParts } from '#core/text/decode/encoded-parts.ts';
import { issuedRanges, quotedEnd, type Range } from './secret-formats.ts';
import { secrecyOf } from './secret-names.ts';
import { type Annotation, annotationAt } from './type-annotations.ts';

/** Matches references that are resolved at run time or filled in earlier. */
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

/** Checks that a value is a literal rather than a reference, a placeholder or a pattern. */
function isLiteral(value: string): boolean {
  const bare = value.trim().replace(scheme, '');
  if (!/[\p{L}\p{N}]/u.test(bare.replace(references, ''))) return false;
  return ![placeholders, patternSigns, pointers, members].some((known) => known.test(bare));
}

/** Checks that a single word, which may also be a file path, is a literal. */
const isSingleLiteral = (word: string): boolean => isLiteral(word) && !pathLike.test(word);

/** Checks for features that ordinary words and names lack: digits among letters, mixed case, symbols. */
function isTokenLike(word: string): boolean {
  if (word.length < 6 || !/[A-Za-z]/.test(word)) return false;
  const mixed = /\d|[!#%^*+=~]/.test(word) || (word.length >= 10 && /[a-z][A-Z]/.test(word));
  return mixed && isSingleLiteral(word);
}

/** Checks whether program text contains a secret. */
export function hasProgramSecret(text: string): boolean {
  for (const _ of programSecrets(text)) return true;
  return false;
}

/** Yields the ranges of secrets in program text. Ranges may overlap. */
export function* programSecrets(text: string): Iterable<Range> {
  yield* textRanges(text);
  yield* encodedRanges(text);
}

function* textRanges(text: string): Iterable<Range> {
  yield* issuedRanges(text);
  yield* patterned(text);
  yield* assignmentRanges(text);
  yield* optionValues(text);
}

/** Patterns whose first group must be a literal. */
const patterns: readonly RegExp[] = [
  /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^\s:/?#@"'<>]{0,256}:([^\s/?#@"'<>]{1,512})@/g, // user:password@
  /\blogin[ \t]{1,4}\S{1,128}[ \t]{1,4}password[ \t]{1,4}(\S{1,256})/g, // .netrc
  /\bpass:([^\s"']{1,256})/g, // openssl
  /\b(?:password|passwd|identified[ \t]{1,4}by|secret(?:_key|_access_key)?)[ \t\r\n]{1,4}'((?:[^']|''){1,512})'/gi, // SQL
];
/** Patterns whose first group must also look like a token, because the words before it also occur in prose. */
const tokenPatterns: readonly RegExp[] = [
  /\bBearer[ \t]{1,8}([A-Za-z0-9._~+/=-]{8,})/gi,
  /:\/\/([A-Za-z0-9_-]{20,512})@/g, // a token in place of a user name and password
];

function* patterned(text: string): Iterable<Range> {
  const found = (match: RegExpExecArray): Range => [match.index, match.index + match[0].length];
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern)) if (isLiteral(match[1]!)) yield found(match);
  for (const pattern of tokenPatterns)
    for (const match of text.matchAll(pattern)) if (isTokenLike(match[1]!)) yield found(match);
}

/** `NAME=value`, `"name": "value"`, `--name value`, `Name: value`: name, separator and opening quote. */
const assignment =
  /(?<![\w-])(--?)?([A-Za-z_][\w.-]{0,127})(\\{0,3}["'])?([ \t]{0,3}(?::=|=>|[:=])(?!=)[ \t]{0,3}|[ \t]{1,3})(\\{0,3}["'])?/g;
/** Unquoted value. The start of a long word is enough to classify it. */
const bareValue = /[^\s"'`&;,()<>|]{0,512}/y;
/** Fast check for a secret's name, which always contains one of these stems. */
const secretStem = /pass|pwd|secret|token|jwt|otp|auth|cookie|cred|key|conn/i;
const headerName = /(?:authorization|cookie)$/i;

function* assignmentRanges(text: string): Iterable<Range> {
  const heads = new RegExp(assignment);
  for (let match = heads.exec(text); match; match = heads.exec(text)) {
    const start = heads.lastIndex;
    const [, dashes, name = '', nameQuote, gap = '', quote] = match;
    const secrecy = secretStem.test(name) ? secrecyOf(name) : 'none';
    if (secrecy === 'none') continue;
    const separator = gap.trim();
    // `password x` is prose, whereas `--password x` is an option with its value.
    if (separator === '' && dashes === undefined) continue;
    // In `'Name: '"$VALUE"`, the quote after the name closes an earlier quote.
    const closes = nameQuote === undefined && quote !== undefined && text[match.index - 1] === quote.at(-1);
    const closed = quote === undefined || closes ? undefined : quotedEnd(text, start, quote);
    if (separator === ':' && headerName.test(name)) {
      if (headerHoldsSecret(text, match.index, start, closed)) yield [match.index, closed ?? start];
      continue;
    }
    const type = separator === ':' && quote === undefined ? annotationAt(text, start) : undefined;
    if (type?.value && isAssignedSecret(text, type.value)) yield [match.index, type.value.start];
    if (type?.isKnown) continue;
    const from = closes && /["']/.test(text[start] ?? '') ? start + 1 : start;
    const end = closed ?? bareEnd(text, from);
    const value = text.slice(from, end);
    const found = {
      value,
      next: text[end] ?? '',
      quoted: closed !== undefined,
      mentionsOnly: secrecy === 'text' && /^(?:auth|credentials?)$/i.test(name),
    };
    if (
      holdsSecret(
        found,
        dashes !== undefined && /^secrets?$/i.test(name),
        separator,
        gap,
        atLineStart(text, match.index),
      )
    )
      yield [match.index, end];
  }
}

/** Checks the value in a declaration: `password: string = 'hunter2'`. */
function isAssignedSecret(text: string, { start, quote }: NonNullable<Annotation['value']>): boolean {
  const closed = quote === undefined ? undefined : quotedEnd(text, start, quote);
  const end = closed ?? bareEnd(text, start);
  const found = {
    value: text.slice(start, end),
    next: text[end] ?? '',
    quoted: closed !== undefined,
    mentionsOnly: false,
  };
  return holdsSecret(found, false, '=', ' = ', false);
}

interface SecretCandidate {
  readonly value: string;
  readonly next: string;
  readonly quoted: boolean;
  /** True if the name may also introduce a kind of authentication: `--auth basic`. */
  readonly mentionsOnly: boolean;
}

function holdsSecret(
  { value, next, quoted, mentionsOnly }: SecretCandidate,
  namesSecret: boolean,
  separator: string,
  gap: string,
  lineStart: boolean,
): boolean {
  if (quoted) return !/^\s/.test(value) && isLiteral(value);
  // A function result, an element or a variable passed as an argument: `f(token=token)`, `token=read(…)`.
  if (/[([]/.test(next) && /^[A-Za-z_][\w.]*$/.test(value)) return false;
  if (/[,)]/.test(next) && /^[A-Za-z_][A-Za-z_.]*$/.test(value)) return false;
  if (mentionsOnly || namesSecret) return isTokenLike(value);
  const prose = separator === ':' ? !(lineStart && /^[\r\n]?$/.test(next)) : /\s/.test(gap) && separator !== '';
  return prose ? isTokenLike(value) : isSingleLiteral(value);
}

const bareEnd = (text: string, start: number): number => {
  bareValue.lastIndex = start;
  bareValue.exec(text);
  return bareValue.lastIndex;
};

const atLineStart = (text: string, at: number): boolean => /\n[ \t-]{0,40}$/.test(text.slice(Math.max(0, at - 41), at));

const schemes = /^(?:bearer|basic|token|digest|negotiate|apikey|api-key|key|hmac|aws4-hmac-sha256|ntlm|hawk|jwt)$/i;
const spokenOf = /^(?:tokens?|auth|headers?|authentication|authorization|schemes?|prefix|is|and|or|for)$/i;

/** Checks the token on an `Authorization` line or the values on a `Cookie` line. In prose, only tokens count. */
function headerHoldsSecret(text: string, nameAt: number, start: number, closed: number | undefined): boolean {
  const value = text.slice(start, closed ?? Math.min(text.length, start + 256));
  const line = closed === undefined ? (/^[^"'`\r\n;|&<>()]*/.exec(value)?.[0] ?? '') : value;
  const end = text[start + line.length] ?? '';
  const words = line.trim().split(/\s+/);
  if (line.includes('=') && /cookie/i.test(text.slice(nameAt, start)))
    return line.split(';').some((pair) => isLiteral(pair.slice(pair.indexOf('=') + 1).trim()));
  const [first = '', second] = words;
  const prose = /[A-Za-z][ \t]$/.test(text.slice(Math.max(0, nameAt - 2), nameAt)) && !/[;|&<>]/.test(end);
  const looks = prose || words.length > 2 ? isTokenLike : isSingleLiteral;
  if (schemes.test(first)) return second !== undefined && !spokenOf.test(second) && looks(second);
  if (second === undefined) return looks(first);
  return isTokenLike(first) || isTokenLike(second);
}

/** Options that take a password, each with the programs that support it. */
const options: readonly { readonly option: RegExp; readonly program: RegExp; readonly attached?: boolean }[] = [
  {
    option: /(?<=\s)(?:-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user)(?:[ \t]{1,4}|=)["']?[^\s"':]{0,128}:([^\s"']{1,256})/g,
    program: /\b(?:curl|wget|https?|xh)\s/,
  },
  {
    option: /(?<=\s)(?:-[A-Za-z]{0,8}b|--cookie)(?:[ \t]{1,4}|=)["']?[\w.-]{1,64}=([^\s"';]{1,512})/g,
    program: /\bcurl\s/,
  },
  { option: /(?<=\s)-p["']?([^\s"']{1,256})/g, program: /\b(?:mysql\w*|mariadb\w*)\s/ },
  {
    option: /(?<=\s)-p[ \t]{1,4}["']?([^\s"']{1,256})/g,
    program: /\b(?:sshpass|(?:docker|podman|nerdctl|helm|oras|crane)(?:\s+registry)?\s+login)\s/,
  },
  { option: /(?<=\bsshpass[ \t]{1,4})-p["']?([^\s"']{1,256})/g, program: /\bsshpass\s/ },
  { option: /(?<=\s)-a[ \t]{1,4}["']?([^\s"']{1,256})/g, program: /\bredis-cli\s/ },
  { option: /(?<=\s)-w[ \t]{1,4}["']?([^\s"']{1,256})/g, program: /\bldap\w+\s/ },
];

/** Number of characters before an option in which to search for the program name. */
const commandCharacters = 4_096;

function* optionValues(text: string): Iterable<Range> {
  for (const { option, program } of options) {
    if (!program.test(text)) continue;
    for (const match of text.matchAll(option)) {
      const before = text.slice(Math.max(0, match.index - commandCharacters), match.index);
      const command = before.slice(before.search(/[^;|&\n]*$/));
      if (program.test(`${command} `) && isSingleLiteral(match[1]!)) yield [match.index, match.index + match[0].length];
    }
  }
}

/** Maximum number of decoded characters per text. */
const decodedCharacters = 64 * 1024;
/** Matches runs of digits and letters. Other parts are read as written. */
const unbroken = /^[\w+/=\s-]+$/;

/** Finds encoded text that contains a secret. Other encoded text is shown unchanged. */
function* encodedRanges(text: string): Iterable<Range> {
  let left = decodedCharacters;
  for (const { start, end, text: decoded } of encodedParts(text)) {
    if (!unbroken.test(text.slice(start, end))) continue;
    left -= decoded.length;
    if (left <= 0) return;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: binary content holds them
    if (/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(decoded)) continue;
    if (!textRanges(decoded)[Symbol.iterator]().next().done) yield [start, end];
  }
}
