/** What the pieces of a result make up: lines in a list, members and values, that only together speak to the model [guard.pieces]. */
import type { Json } from '#core/kernel/json.ts';

const maxJoined = 65_536;
const saying = /\s/;
/** Words of the protocol. */
const ofProtocol: ReadonlySet<string> = new Set(['type', 'mimeType', 'role', 'jsonrpc']);

/** Behind a sentence, a quotation, a tag or a piece of code something new begins. */
const endings: ReadonlySet<string> = new Set('.!?…。！？:;`"\'>)]}|');
const hasEnded = (text: string): boolean => endings.has(text.trimEnd().at(-1) ?? '');

/** With a capital, or a sign of code, of lists and of headings, something new begins as well. */
const begun = /^\s*(?:\p{Lu}|[#\-*/<$>+@{"'`|])/u;

/**
 * Texts of a value that follow each other, one a line, with names that hold a blank: each run of them that may be one
 * saying. A run of one text is what was looked at already.
 */
export function joinedTexts(value: Json): readonly string[] {
  const runs: string[][] = [[]];
  let length = 0;
  gather(value, (text) => {
    if (length >= maxJoined || text === '') return;
    length += text.length;
    if (begun.test(text)) runs.push([]);
    runs.at(-1)!.push(text);
    if (hasEnded(text)) runs.push([]);
  });
  return runs.flatMap((run) =>
    run.length > 1 && run.some((text) => saying.test(text)) ? [run.join('\n').slice(0, maxJoined)] : [],
  );
}

/** The same of a text that is JSON. */
export function joinedJson(text: string): readonly string[] {
  if (text.length > maxJoined || !/^\s*[[{]/.test(text)) return [];
  try {
    return joinedTexts(JSON.parse(text) as Json);
  } catch {
    return [];
  }
}

function gather(value: Json, take: (text: string) => void): void {
  if (typeof value === 'string') take(value);
  else if (Array.isArray(value)) for (const item of value) gather(item, take);
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      if (saying.test(key)) take(key);
      if (!ofProtocol.has(key)) gather(item, take);
    }
}

/** The same shape with another text in place of each text and name that holds a blank. */
export function withoutSayings(value: Json, instead: string): Json {
  if (typeof value === 'string') return saying.test(value) ? instead : value;
  if (Array.isArray(value)) return value.map((item) => withoutSayings(item, instead));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item], at) => [
      saying.test(key) ? `${instead} ${at}` : key,
      withoutSayings(item, instead),
    ]),
  );
}
