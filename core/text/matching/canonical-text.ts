/**
 * Normalises targets and text parameters. Hostile text has several readings (is `\` a separator or an escape? is `%2e`
 * a dot or three letters?), so callers check each reading and the most severe decision wins.
 */
import { type ParentFolders, resolvePath } from './canonical-path.ts';
import { foldUnicode } from './fold-unicode.ts';

export interface Reading {
  /**
   * `fold`: look-alikes become ASCII. `asis`: characters stay as the tool receives them, except for canonical
   * composition.
   */
  readonly unicode: 'fold' | 'asis';
  readonly backslash: '/' | '';
  readonly percent: 'decode' | 'drop';
  /** `whole`: one path that may contain blanks. `words`: a command line in which each word may be a path. */
  readonly blanks: 'words' | 'whole';
  readonly dotDot: ParentFolders;
}

export const plainReading: Reading = {
  unicode: 'fold',
  backslash: '/',
  percent: 'decode',
  blanks: 'words',
  dotDot: 'resolve',
};

const escapes = /\\|%[0-9a-f]{2}/i;
const percentEncoded = /(?:%[0-9a-f]{2})+/gi;
/** Overlong two-byte forms of ASCII, which legacy decoders accept: `%c0%ae` is a dot. */
const overlong = /%c([01])%([89ab][0-9a-f])/gi;
const unsettled = /\/[./\s]|^\.|\s[.\s]|^\s|[\s/]$|[\t\r\n\v\f\u0080-\uffff]|[:@]/;
const maxRounds = 8;

/**
 * Returns the normal form of a text in one reading.
 * @throws Error if the text is escaped more than eight times. Legitimate text never is, so the caller fails closed.
 */
export function canonicalText(text: string, reading: Reading): string {
  const plain = unescapeText(fold(text, reading), reading);
  if (!unsettled.test(plain)) return plain;
  const whole = reading.blanks === 'whole' ? resolvePath(plain, reading.dotDot) : plain;
  // Resolving may reveal a URL (`./https://host`), so this is repeated until the text is stable.
  let settled = canonicalWords(whole, reading.dotDot);
  for (let before = whole, round = 0; settled !== before && round < maxRounds; round++) {
    before = settled;
    settled = canonicalWords(before, reading.dotDot);
  }
  return settled;
}

/** Normalises a path. Text with too many levels of escaping is returned unchanged. */
export function plainPath(path: string): string {
  try {
    return canonicalText(path, plainReading);
  } catch {
    return path;
  }
}

const fold = (text: string, { unicode }: Reading): string =>
  unicode === 'fold' ? foldUnicode(text) : text.normalize('NFC');

function unescapeText(text: string, reading: Reading): string {
  let plain = text;
  for (let round = 0; escapes.test(plain); round++) {
    if (round === maxRounds) throw new Error(`the text is escaped more than ${maxRounds} times over`);
    plain = fold(
      reading.percent === 'decode' ? decodePercent(plain) : plain.replace(percentEncoded, dropPercent),
      reading,
    );
    plain = plain.replaceAll('\\', reading.backslash);
  }
  return plain;
}

const dropPercent = (run: string): string => run.replaceAll('%', '');

export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(overlong, asciiOfOverlong).replace(percentEncoded, (run) => {
    const bytes = run
      .slice(1)
      .split('%')
      .map((hex) => Number.parseInt(hex, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}

const asciiOfOverlong = (_: string, high: string, low: string): string =>
  String.fromCharCode(Number(high) * 64 + (Number.parseInt(low, 16) & 0x3f));

/** Collapses blanks between words. Line breaks stay, because they end a shell command. */
function canonicalWords(text: string, dotDot: ParentFolders): string {
  const words = text.trim().split(/(\s+)/u);
  return words.map((word, i) => (i % 2 === 0 ? canonicalWord(word, dotDot) : blankOf(word))).join('');
}

const blankOf = (blank: string): string => (/[\n\r\v\f\u0085\u2028\u2029]/.test(blank) ? '\n' : ' ');

/** Matches an option before a URL, as in `--url=https://HOST/`. */
const beforeUrl = /^[^:/]*[=,'"(](?=[a-z][a-z0-9+.-]*:\/)/i;

function canonicalWord(word: string, dotDot: ParentFolders): string {
  const option = beforeUrl.exec(word)?.[0] ?? '';
  const url = canonicalUrl(word.slice(option.length), dotDot);
  return url === undefined ? resolvePath(word, dotDot) : option + url;
}

const shape = /^([a-z][a-z0-9+.-]*):(\/*)([^/?#]*)([^?#]*)(.*)$/is;
/** Schemes for which WHATWG accepts any number of slashes: `https:host` means `https://host/`. */
const special = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
const scpLike = /^([\w.-]+@)([\w.-]+):(?!\/\/)(.*)$/s;

/**
 * Returns the normal form of a URL or `user@host:path`. Undefined for other words.
 * @param dotDot used for schemes whose servers may treat `..` as a name (`s3://bucket/a/../b`). Web clients resolve it.
 */
function canonicalUrl(word: string, dotDot: ParentFolders = 'resolve'): string | undefined {
  const parts = shape.exec(word);
  if (!parts) return canonicalScp(word);
  const [, rawScheme = '', slashes = '', authority = '', path = '', rest = ''] = parts;
  const scheme = rawScheme.toLowerCase();
  if (special.has(scheme) ? authority === '' : slashes.length < 2) return undefined;
  // `file:///etc/passwd` has no authority, so the third slash belongs to the path.
  if (!special.has(scheme) && slashes.length > 2)
    return `${scheme}://${resolveTail(`/${authority}${path}`, dotDot)}${rest}`;
  return `${scheme}://${canonicalHost(scheme, authority)}${resolveTail(path, special.has(scheme) ? 'resolve' : dotDot)}${rest}`;
}

function canonicalHost(scheme: string, authority: string): string {
  // The user part is not the host: in `https://good.example@evil.example`, the host is evil.example.
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  if (!special.has(scheme)) return hostAndPort;
  try {
    const { hostname, port } = new URL(`${scheme}://${hostAndPort}`);
    return hostname.replace(/(?<=[^.])\.+$/, '') + (port === '' ? '' : `:${port}`);
  } catch {
    return hostAndPort;
  }
}

/** Resolves the path of a URL. The result always begins with a slash and keeps a trailing one. */
function resolveTail(path: string, dotDot: ParentFolders): string {
  const resolved = resolvePath(`/${path}`, dotDot);
  return path.length > 1 && path.endsWith('/') && resolved !== '/' ? `${resolved}/` : resolved;
}

function canonicalScp(word: string): string | undefined {
  const parts = scpLike.exec(word);
  return parts ? `${parts[1]}${parts[2]!.toLowerCase()}:${resolvePath(parts[3]!, 'resolve')}` : undefined;
}
