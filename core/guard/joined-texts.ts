/**
 * Joins pieces of a result (lines of a list, members and values) that address the model only when combined
 * [guard.results].
 */
import type { Json } from '#core/kernel/json.ts';
import { fromCodes } from '#core/text/decode/number-runs.ts';

const maxJoined = 65_536;
const saying = /\s/;
/** Words that are part of the protocol. */
const ofProtocol: ReadonlySet<string> = new Set(['type', 'mimeType', 'role', 'jsonrpc']);

/** Characters that end a sentence, a quotation, a tag or a piece of code, so that the next string starts new text. */
const endings: ReadonlySet<string> = new Set('.!?…。！？:;`"\'>)]}|');
const hasEnded = (text: string): boolean => endings.has(text.trimEnd().at(-1) ?? '');

/** Beginning of new text: a capital, or a character used in code, lists and headings. */
const begun = /^\s*(?:\p{Lu}|[#\-*/<$>+@{"'`|])/u;

/**
 * Returns runs of consecutive strings in a value that may form one statement, one string per line, including names that
 * contain a space. Runs of a single string are omitted, because that string has already been checked.
 */
export function joinedTexts(value: Json): readonly string[] {
  const runs: string[][] = [[]];
  const encoded: string[] = [];
  let pieces: string[] = [];
  const endPieces = () => {
    if (pieces.length > 1) encoded.push(pieces.join(ofCode.test(pieces[0]!) ? ' ' : ''));
    pieces = [];
  };
  let length = 0;
  gather(value, (text, isDecoded) => {
    if (length >= maxJoined || text === '') return;
    length += text.length;
    if (isDecoded) return void encoded.push(text);
    if (ofCode.test(text)) {
      if (pieces.length > 0 && !ofCode.test(pieces[0]!)) endPieces();
      pieces.push(text);
    } else if (ofBase64.test(text) || (pieces.length > 0 && lastOfBase64.test(text))) pieces.push(text);
    else endPieces();
    if (begun.test(text)) runs.push([]);
    runs.at(-1)!.push(text);
    if (hasEnded(text)) runs.push([]);
  });
  endPieces();
  const said = runs.flatMap((run) =>
    run.length > 1 && run.some((text) => saying.test(text)) ? [run.join('\n').slice(0, maxJoined)] : [],
  );
  return [...said, ...encoded];
}

/** A piece of longer base64 or base32 text. */
const ofBase64 = /^[\w+/-]{8,}={0,6}$/;
const lastOfBase64 = /^[\w+/-]{2,7}={0,6}$/;
/** The code of one character. */
const ofCode = /^(?:0x|U\+|\\x)?[0-9a-fA-F]{2,4}$/;

/** Does the same as `joinedTexts` for a string that contains JSON. */
export function joinedJson(text: string): readonly string[] {
  if (text.length > maxJoined || !/^\s*[[{]/.test(text)) return [];
  try {
    return joinedTexts(JSON.parse(text) as Json);
  } catch {
    return [];
  }
}

/**
 * Visits the strings in a value.
 * @param take receives the string, and whether it was written as character codes.
 */
function gather(value: Json, take: (text: string, isDecoded?: boolean) => void): void {
  if (typeof value === 'string') take(value);
  else if (Array.isArray(value)) {
    const decoded = typeof value[0] === 'number' ? fromCodes(value as number[]) : undefined;
    if (decoded !== undefined) take(decoded, true);
    else for (const item of value) gather(item, take);
  } else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      if (saying.test(key)) take(key);
      if (!ofProtocol.has(key)) gather(item, take);
    }
}

/** Returns the same structure with every string, and every name with a space, replaced. */
export function withoutSayings(value: Json, instead: string): Json {
  if (typeof value === 'string') return saying.test(value) || ofBase64.test(value) ? instead : value;
  if (Array.isArray(value))
    return isListOfCodes(value) ? [instead] : value.map((item) => withoutSayings(item, instead));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item], at) => [
      saying.test(key) ? `${instead} ${at}` : key,
      withoutSayings(item, instead),
    ]),
  );
}

const isListOfCodes = (value: readonly Json[]): boolean =>
  (typeof value[0] === 'number' && fromCodes(value as number[]) !== undefined) ||
  (value.length > 1 && value.every((item) => typeof item === 'string' && ofCode.test(item)));
