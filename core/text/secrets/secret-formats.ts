/**
 * Finds secrets inside text: tokens of known formats, private keys, passwords in URLs and assignments. Runs in linear
 * time, because patterns begin with fixed letters or at the start of a word and have bounded repetitions. Other forms
 * are scanned by hand-written code.
 */
import { secrecyOf } from './secret-names.ts';
import { annotationAt } from './type-annotations.ts';

/** Half-open range of characters. */
export type Range = readonly [start: number, end: number];

/** Tokens with an issuer-specific prefix. */
const issued: readonly RegExp[] = [
  /(?:AKIA|ASIA)[A-Z0-9]{16}/g, // AWS access key id
  /gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}/g,
  /glpat-[A-Za-z0-9_-]{20,}/g,
  /xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}/g, // Slack
  /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g, // Stripe
  /AIza[A-Za-z0-9_-]{35}/g, // Google
  /npm_[A-Za-z0-9]{36}/g,
];

/** Secrets that follow a fixed word or sign, captured in group 1. */
const introduced: readonly RegExp[] = [
  /\bBearer[ \t]{1,8}([A-Za-z0-9._~+/=-]{16,})/gi,
  /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^\s:/?#@"'<>]{0,256}:([^\s/?#@"'<>]{1,512})@/g, // user:password@
];

/** `sk-…` keys, which contain digits. The lookbehind excludes words such as `risk-…` and `task-…`. */
const skKey = /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g;

/**
 * Matches the name and separator in `PASSWORD=…`, `"api_key": "…"`, `password: …`, `--token …`. The value is scanned
 * only if the name is a secret name, and only once, so that the search stays linear.
 */
const assignment =
  /(?<![\w-])(--)?([A-Za-z_][\w-]{0,127})(?:\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}(\\{0,3}["'])|=|(:?[ \t]{1,3})(?=[^\s-]))/g;
const bareValue = /[^\s"'&;,()<>|]*/y;
/** Headers with a secret after a scheme or a cookie name. Any further words on the line are not part of the secret. */
const headerName = /(?:authorization|cookie)$/i;
const headerValue =
  /(?:[A-Za-z][\w-]{0,31}[ \t]{1,4})?[^\s"'`;|&$()<>,]*(?:[,;][ \t]{0,4}[\w.-]{1,64}=[^\s"'`;|&$()<>,]*){0,64}/y;
/** Matches counts, as in `tokens=1679`. */
const count = /^\d{1,9}\W{0,2}$/;
/** Matches references to a secret, which are not secret themselves. */
const reference = /^\$[A-Za-z_{(]/;

/**
 * Matches names, short paths, UUIDs and hex digests, which make up most strings in a call. This is a fast check: such
 * strings have no blank, `=` or `:`, and either are shorter than all tokens or lack the letters of a token prefix.
 */
const harmless = /^(?:\w{0,19}|(?!.*eyJ)[\w./-]{0,14}|[0-9a-f-]*)$/;

/** Returns the ranges of secrets in a text, in order and without overlaps. */
export function secretRanges(text: string): Range[] {
  if (harmless.test(text)) return [];
  const found: Range[] = [];
  findIssued(text, found);
  for (const pattern of introduced) findMatches(text, pattern, found, 1);
  findAssigned(text, found);
  if (found.length < 2) return found;
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const merged: [number, number][] = [];
  for (const [start, end] of found) {
    const last = merged.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Returns the ranges of secrets with an unmistakable format: prefixed tokens, JSON Web Tokens, private keys. */
export function issuedRanges(text: string): Range[] {
  const found: Range[] = [];
  findIssued(text, found);
  return found;
}

function findIssued(text: string, found: Range[]): void {
  for (const pattern of issued) findMatches(text, pattern, found);
  findMatches(text, skKey, found, 0, ([key]) => /\d/.test(key));
  findJwts(text, found);
  findPrivateKeys(text, found);
}

/** Collects matches like `matchAll`, without copying the pattern for each text. */
function findMatches(
  text: string,
  pattern: RegExp,
  found: Range[],
  group = 0,
  counts: (match: RegExpExecArray) => boolean = always,
): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text))
    if (counts(match)) found.push(groupRange(match, group === 0 ? undefined : match[group]));
}

const always = (): boolean => true;

/** Returns the range of a group. Such a group ends no more than one character before its match. */
function groupRange(match: RegExpExecArray, group: string | undefined): Range {
  if (group === undefined) return [match.index, match.index + match[0].length];
  const start = match.index + match[0].lastIndexOf(group);
  return [start, start + group.length];
}

const base64urlRun = /[A-Za-z0-9_-]*/y;

/** Finds JSON Web Tokens: three base64url runs joined by dots. `eyJ` is the start of a JSON object. */
function findJwts(text: string, found: Range[]): void {
  let from = 0;
  for (;;) {
    const start = text.indexOf('eyJ', from);
    if (start < 0) return;
    const header = scanEnd(text, start, base64urlRun);
    const payload = text[header] === '.' ? scanEnd(text, header + 1, base64urlRun) : header;
    if (payload - header > 1 && text[payload] === '.') {
      from = scanEnd(text, payload + 1, base64urlRun);
      found.push([start, from]);
    } else from = header; // every other eyJ in this run ends at the same place and fails in the same way
  }
}

/** Returns the end of a run of characters. `run` is a sticky pattern that can match the empty string. */
function scanEnd(text: string, start: number, run: RegExp): number {
  run.lastIndex = start;
  run.exec(text);
  return run.lastIndex;
}

const pemBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const pemEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Finds PEM private keys. If a key has no end marker, everything up to the end of the text is withheld. */
function findPrivateKeys(text: string, found: Range[]): void {
  let from = 0;
  for (;;) {
    pemBegin.lastIndex = from;
    const begin = pemBegin.exec(text);
    if (!begin) return;
    pemEnd.lastIndex = begin.index;
    const end = pemEnd.exec(text);
    from = end ? pemEnd.lastIndex : text.length;
    found.push([begin.index, from]);
  }
}

function findAssigned(text: string, found: Range[]): void {
  const heads = assignment;
  heads.lastIndex = 0;
  for (let match = heads.exec(text); match; match = heads.exec(text)) {
    const [, dashes, name = '', quote, gap] = match;
    // `--password x` is an option with its value, `password: x` is a line of configuration, and `password x` is prose.
    const line = gap?.startsWith(':') === true;
    if (gap !== undefined && dashes === undefined && !line) continue;
    const header = line && headerName.test(name);
    const secrecy = secrecyOf(name);
    if (secrecy === 'none') continue;
    const type = line && !header ? annotationAt(text, heads.lastIndex) : undefined;
    if (type?.value) {
      const { start, quote: opening } = type.value;
      const end = (opening && quotedEnd(text, start, opening)) || scanEnd(text, start, bareValue);
      if (end > start && !reference.test(text.slice(start, start + 2))) found.push([start, end]);
    }
    if (type?.isKnown) {
      heads.lastIndex = type.end;
      continue;
    }
    if (line && secrecy === 'text' && !header) continue;
    const start = heads.lastIndex;
    const run = header ? headerValue : bareValue;
    const end = (quote && quotedEnd(text, start, quote)) || scanEnd(text, start, run);
    heads.lastIndex = end;
    if (/tokens$/i.test(name) && count.test(text.slice(start, end))) continue;
    if (end > start && !reference.test(text.slice(start, start + 2))) found.push([start, end]);
  }
}

/** Maximum length of a secret with blanks (a passphrase). Longer values are ordinary text. */
const phraseCharacters = 256;

/**
 * Returns the end of a quoted value. Quotes that are escaped more deeply than the opening quote are part of the value.
 * Undefined for text of many words or several lines, of which only the first word counts.
 */
export function quotedEnd(text: string, start: number, opening: string): number | undefined {
  const quote = opening.at(-1)!;
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (end - backslashes > start && text[end - backslashes - 1] === '\\') backslashes++;
    if (backslashes > opening.length - 1) continue;
    return isPhrase(text, start, end - backslashes) ? end - backslashes : undefined;
  }
  // The rest of a stream may still arrive.
  return isPhrase(text, start, text.length) ? text.length : undefined;
}

function isPhrase(text: string, start: number, end: number): boolean {
  const value = text.slice(start, Math.min(end, start + 64 * 1024));
  return !/[\r\n]/.test(value) && (value.length <= phraseCharacters || !/\s/.test(value));
}
