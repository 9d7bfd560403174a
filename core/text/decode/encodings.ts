/** Decodes other forms of text: encoded parts, JSON, spelled-out addresses [provenance.traced]. */
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import { encodedParts } from './encoded-parts.ts';

const percentRuns = /[^\s"'<>%]{0,128}%[0-9a-f]{2}[^\s"'<>]{0,512}/gi;
const mostParts = 64;

/** Returns up to 64 strings obtained by decoding parts of the text, one level deep. */
export function decodedParts(text: string): string[] {
  const found = text.includes('%') ? Array.from(text.matchAll(percentRuns), ([run]) => fromPercent(run)) : [];
  for (const part of encodedParts(text)) if (found.push(part.text) >= mostParts) break;
  return found.filter((part) => part !== undefined).slice(0, mostParts);
}

/** Returns the decoded forms of a whole value, one for each encoding that fits. */
export function readingsOf(value: string): string[] {
  const whole = value.trim();
  const parts = [...encodedParts(whole)].filter(({ start, end }) => start === 0 && end === whole.length);
  const readings = [whole.includes('%') ? fromPercent(whole) : undefined, ...parts.map(({ text }) => text)];
  return readings.filter((reading) => reading !== undefined && reading !== value) as string[];
}

/** Parses text as JSON. Undefined if it is not a JSON object, array or string. */
export function jsonIn(text: string): unknown {
  return /^\s*[[{"]/.test(text) && text.length <= 1_048_576 ? jsonOrUndefined(text) : undefined;
}

const apart = /(?<!\S)(?:\S ){5,256}\S(?!\S)/g;

/** Joins spaced-out characters such as `e v e @ h o s t`. */
export const joinedSigns = (text: string): string[] =>
  Array.from(text.matchAll(apart), ([signs]) => signs.replaceAll(' ', '')).slice(0, 64);

/** Decodes addresses spelled as `name [at] host [dot] org`. Undefined if there are none. */
export function decodeSpelledAddress(text: string): string | undefined {
  // Blanks are collapsed first, because patterns that begin with blanks would rescan a long run repeatedly.
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
