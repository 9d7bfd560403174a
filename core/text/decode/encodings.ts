/** What a text is in another form: percent signs, base64, hexadecimal, JSON, spelled-out addresses [provenance.forms]. */

import { isUtf8 } from 'node:buffer';

const maxCharacters = 16_384;
const base64Runs = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{8,16384}={0,2}(?![A-Za-z0-9+/_=-])/g;
const hexRuns = /(?<![0-9a-zA-Z])(?:[0-9a-f]{2}){5,8192}(?![0-9a-zA-Z])/gi;
const percentRuns = /[^\s"'<>%]{0,128}%[0-9a-f]{2}[^\s"'<>]{0,512}/gi;

/** The texts that parts of a text are when they are decoded, one level deep. Bounded. */
export function decodedParts(text: string): string[] {
  const found: string[] = [];
  const add = (decoded: string | undefined): void => {
    if (decoded !== undefined && found.length < 64) found.push(decoded);
  };
  if (text.includes('%')) for (const [run] of text.matchAll(percentRuns)) add(fromPercent(run));
  for (const [run] of text.matchAll(hexRuns)) add(readable(Buffer.from(run.slice(0, maxCharacters), 'hex')));
  for (const [run] of text.matchAll(base64Runs)) add(fromBase64(run));
  return found;
}

/** A whole value decoded: each reading is another text that it may stand for. */
export function readingsOf(value: string): string[] {
  const whole = value.trim();
  const readings = [
    whole.includes('%') ? fromPercent(whole) : undefined,
    /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(whole) ? fromBase64(whole) : undefined,
    /^(?:[0-9a-f]{2}){5,}$/i.test(whole) ? readable(Buffer.from(whole, 'hex')) : undefined,
  ];
  return readings.filter((reading) => reading !== undefined && reading !== value) as string[];
}

/** Leaves of JSON in a text; undefined where the text is not a JSON object, list or text. */
export function jsonIn(text: string): unknown {
  if (!/^\s*[[{"]/.test(text) || text.length > 1_048_576) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const apart = /(?<!\S)(?:\S ){5,256}\S(?!\S)/g;

/** `e v e @ h o s t`: signs that stand apart, joined. */
export const joinedSigns = (text: string): string[] =>
  Array.from(text.matchAll(apart), ([signs]) => signs.replaceAll(' ', '')).slice(0, 64);

/** `name [at] host [dot] org`, as people and attackers spell addresses; undefined where nothing is spelled. */
export function decodeSpelledAddress(text: string): string | undefined {
  // One blank between words: patterns that begin with blanks would read a long run of them again and again.
  const spaced = text.replace(/\s+/g, ' ');
  const joined = spaced
    .replace(/ ?[[({<] ?at ?[\])}>] ?| at (?=[\w-]{1,64} ?(?:\.|\[|\(|dot ))/gi, '@')
    .replace(/ ?[[({<] ?(?:dot|punkt) ?[\])}>] ?| dot /gi, '.');
  return joined === spaced ? undefined : joined;
}

function fromPercent(run: string): string | undefined {
  try {
    const decoded = decodeURIComponent(run.replaceAll('+', ' '));
    return decoded === run ? undefined : decoded;
  } catch {
    return undefined;
  }
}

const fromBase64 = (run: string): string | undefined =>
  run.length > maxCharacters || /^[a-z]+$/.test(run) ? undefined : readable(Buffer.from(run, 'base64'));

/** Most runs of letters are not base64 of a text: a decoder that throws for each would take most of the time. */
function readable(bytes: Buffer): string | undefined {
  if (bytes.length < 4 || !isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text of control characters is not text
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/.test(text) ? undefined : text;
}
