/**
 * Text that a value may represent in disguise. It only shows where part of the value comes from (`source_not`,
 * `source_some`): a disguised form of the person's words does not count as their words [provenance.traced].
 */

import { decodedParts, decodeSpelledAddress, joinedSigns, readingsOf } from '#core/text/decode/encodings.ts';
import { unescapeCharacters } from '#core/text/decode/escapes.ts';
import { withoutSilent } from '#core/text/fold/visible.ts';
import { confusables } from '#core/text/matching/confusables.ts';

/** Longer values are searched only for encoded parts. */
const maxCharacters = 512;
const maxDisguises = 64;

/** Returns strings that a value may represent, up to a limit. */
export function disguisedTexts(value: string): string[] {
  const found = new Set<string>();
  const add = (text: string | undefined): void => {
    if (text !== undefined && text !== value && found.size < maxDisguises) found.add(text);
  };
  const plain = unescapeCharacters(withoutSilent(value));
  add(plain);
  add(decodeSpelledAddress(plain));
  for (const part of decodedParts(plain)) {
    add(part);
    for (const inner of readingsOf(part)) add(inner);
  }
  if (value.length > maxCharacters) return [...found];
  add(Array.from(plain, (sign) => confusables.get(sign) ?? sign).join(''));
  const joined = plain.replace(/\s+/g, '');
  if (joined !== plain) {
    for (const reading of readingsOf(joined)) add(reading);
  }
  for (const signs of joinedSigns(plain)) add(signs);
  add([...plain].reverse().join(''));
  for (const number of numbersOf(plain.trim())) add(number);
  return [...found];
}

const factors = new Map([
  ...['k', 'thousand', 'tausend'].map((name) => [name, 3] as const),
  ...['m', 'mio', 'million', 'millions', 'millionen'].map((name) => [name, 6] as const),
  ...['b', 'bn', 'billion', 'billions', 'mrd', 'milliarden'].map((name) => [name, 9] as const),
]);
const firstDay = Date.UTC(2000, 0);
const lastDay = Date.UTC(2100, 0);

/** Yields the plain value of a number in another notation: `8.4e7`, `0x501bd00`, `84M`, cents, seconds since 1970. */
function* numbersOf(text: string): Iterable<string> {
  if (text.length > 32 || !/\d/.test(text)) return;
  if (/^0(?:x[0-9a-f]{1,16}|b[01]{1,64}|o[0-7]{1,21})$/i.test(text)) yield BigInt(text).toString();
  const scaled = /^([-+]?\d{1,15})(?:\.(\d{1,9}))?(?:e\+?(\d{1,2})| ?([a-z]{1,10})\.?)$/i.exec(text);
  const places = scaled && (scaled[3] === undefined ? factors.get(scaled[4]!.toLowerCase()) : Number(scaled[3]));
  if (scaled && places !== null && places !== undefined) yield shiftPoint(scaled[1]!, scaled[2] ?? '', places);
  if (/^0\d{3,15}$/.test(text)) yield text.replace(/^0+/, '');
  if (/^\d{3,15}$/.test(text) && !text.endsWith('00')) yield shiftPoint(text, '', -2);
  const milliseconds = /^\d{9,10}$/.test(text) ? Number(text) * 1000 : /^\d{12,13}$/.test(text) ? Number(text) : 0;
  if (milliseconds > firstDay && milliseconds < lastDay) yield new Date(milliseconds).toISOString().slice(0, 10);
}

/** Moves the decimal point. Works on strings, since floating-point multiplication may change digits. */
function shiftPoint(whole: string, fraction: string, by: number): string {
  if (by < 0) return `${whole.slice(0, by)}.${whole.slice(by)}`;
  const figures = fraction.padEnd(by, '0');
  const rest = figures.slice(by);
  const moved = `${whole}${figures.slice(0, by)}`.replace(/^([-+]?)0+(?=\d)/, '$1');
  return rest === '' ? moved : `${moved}.${rest}`;
}
