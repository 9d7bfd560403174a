/**
 * Numbers that occur only as part of a date, a time or a telephone number. "On the 13th of May" does not name the file
 * 13. Such a number counts as the person's only if the call names it as the same part of a date
 * (`{ day: 13, month: 5 }`), where it can only mean that date [provenance.traced].
 */

import { sourceKey } from '#core/contracts/provenance.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { monthNames, months, weekdayNames } from './date-words.ts';
import { dateForms } from './dates.ts';
import { withoutGroups } from './groups.ts';

export type DatePart = 'day' | 'month' | 'year' | 'hour' | 'minute';

const day = '(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th|er|[.ºª])?';
const range = String.raw`${day}(?:\s?(?:[-–—]|to|bis|till)\s?${day})?`;
const days = String.raw`(?:${day}\s?(?:and|und|or|oder|et|y|e|&)\s(?:the\s)?)?${range}`;
const pattern = (source: string): RegExp => new RegExp(source, 'gu');

/** Digit groups such as `2026-05-13`, `13:00`, `10:30:00`, `555-123-4567`. */
const chain = /(?<!\d)\d{1,19}(?:[-–—./:]\d{1,19})+/g;
const inFigures =
  /(?<![\d+./-])(?:\d{4}([-–./])\d{1,2}\1\d{1,2}|\d{1,2}([-–./])\d{1,2}\2(?:\d{4}|\d{2}))(?!\d|[-–./]\d)/g;
const ofMonth = [
  pattern(
    String.raw`(?<![\d.,])${days}[\s/-]?(?:of\s|de\s|di\s)?(?:${monthNames})(?![\p{L}\d])(?:[.,]{0,2}[\s/-](?:de\s)?\d{4}(?!\d))?`,
  ),
  pattern(String.raw`(?<!\p{L})(?:${monthNames})\.?\s(?:the\s)?${range}(?![\d%])(?:,?\s\d{4}(?!\d))?`),
  pattern(
    String.raw`(?<!\p{L})(?:${monthNames})[.,]{0,2}[\s/-](?:of\s|de\s)?(?:19|20)\d{2}(?![\d%]|\s?(?:[€$£]|eur|usd|gbp|dollars|pounds))`,
  ),
];
/** Text after a day or an hour. It must end the phrase, not name things being counted. */
const end = String.raw`(?=\s*(?:$|[!?;)\n]|[.,](?!\d))|\s(?:at|on|and|or|um|sharp|today|tomorrow|heute|morgen)(?!\p{L}))`;
const alone = [
  pattern(String.raw`(?<!\p{L})(?:${weekdayNames}),?\s(?:the\s|den\s|le\s|el\s)?${day}(?![\d%])`),
  pattern(String.raw`(?<!\p{L})(?:on|by|until|till|since|from|before|after)\sthe\s${day}${end}`),
  pattern(String.raw`(?<!\p{L})(?:am|vom|zum|bis)\s${day}(?<=\.)(?!\d)`),
];
const hours = [
  pattern(String.raw`(?<![\d.,])(?:[01]?\d|2[0-4])(?:[.:][0-5]\d)?\s?(?:[ap]\.?m|o['’]?clock|uhr|h)(?![\p{L}\d])`),
  pattern(String.raw`(?<!\p{L})(?:at|um|gegen|à)\s(?:[01]?\d|2[0-4])${end}`),
];

/** Returns the text without its dates, times and numbers in groups. @param text as normalised by `normal`. */
export function withoutLongerNumbers(text: string): string {
  if (!/\d/.test(text)) return text;
  // Dates come first, because part of `13/05/2026` has the shape of a telephone number.
  const undated = [inFigures, ...ofMonth, ...alone, ...hours].reduce((left, each) => left.replace(each, ' '), text);
  return withoutGroups(undated).replace(chain, (written) => (isLonger(written) ? ' ' : written));
}

/**
 * Reports whether a chain is one number. Two numbers that may be day and month or a range count as a day, since an
 * unnecessary review is less costly than a missed one.
 */
function isLonger(written: string): boolean {
  const groups = written.split(/[-–—./:]/);
  if (groups.length > 2 || written.includes(':')) return true;
  return !written.includes('.') && dayAndMonth(groups).length > 0;
}

/** Returns two numbers as parts of a date in both readings, since the intended order is unknown. */
function dayAndMonth(groups: readonly string[]): string[] {
  const [first, second] = groups.map(Number) as [number, number];
  const isMonth = (value: number): boolean => value >= 1 && value <= 12;
  const isDay = (value: number): boolean => value >= 1 && value <= 31;
  const isYear = (value: number): boolean => value >= 1900 && value < 2100;
  return [
    ...(isDay(first) && isMonth(second) ? [`day:${first}`, `month:${second}`] : []),
    ...(isMonth(first) && isDay(second) ? [`month:${first}`, `day:${second}`] : []),
    ...(isYear(first) && isMonth(second) ? [`year:${first}`, `month:${second}`] : []),
    ...(isMonth(first) && isYear(second) ? [`month:${first}`, `year:${second}`] : []),
  ];
}

/** Yields `day:13`, `month:5` and so on for each date and time in a text. @param text as normalised by `normal`. */
export function* datePartForms(text: string): Iterable<string> {
  if (!/\d/.test(text)) return;
  for (const form of dateForms(text)) {
    const [year, month, at] = form.slice(2).split('-').map(Number);
    const [hour, minute] = form.slice(2).split(':').map(Number);
    if (form.startsWith('d:')) yield* [`year:${year}`, `month:${month}`, `day:${at}`];
    else yield* [`hour:${hour}`, `minute:${minute}`];
  }
  for (const each of ofMonth)
    for (const [written] of text.matchAll(each)) {
      for (const number of written.match(/\d+/g) ?? []) yield `${number.length > 2 ? 'year' : 'day'}:${Number(number)}`;
      for (const word of written.match(/\p{L}+/gu) ?? []) if (months.has(word)) yield `month:${months.get(word)}`;
    }
  for (const each of alone) for (const [written] of text.matchAll(each)) yield `day:${Number(/\d+/.exec(written)![0])}`;
  for (const each of hours)
    for (const [written] of text.matchAll(each)) yield `hour:${Number(/\d+/.exec(written)![0])}`;
  for (const [written] of text.matchAll(chain))
    if (/^\d+[-–—/]\d+$/.test(written)) yield* dayAndMonth(written.split(/[-–—/]/));
}

/** Returns the form of a value that is named as part of a date. */
export const datePartForm = (part: DatePart, value: string): string | undefined =>
  /^\d{1,4}$/.test(value) ? `${part}:${Number(value)}` : undefined;

const maxValues = 2_000;
const maxLevels = 64;

/** Returns, by key, which part of a date each value is, if all of the call's names for the value agree. */
export function datePartsIn(values: readonly unknown[]): ReadonlyMap<string, DatePart> {
  const parts = new Map<string, DatePart | undefined>();
  let visited = 0;
  const walk = (value: unknown, name: string, level: number): boolean => {
    if (level > maxLevels || ++visited > maxValues) return false;
    if (value !== null && typeof value === 'object')
      return Object.entries(value).every(([key, item]) => walk(item, Array.isArray(value) ? name : key, level + 1));
    const [key, part] = [sourceKey(value), partNamed(name)];
    parts.set(key, !parts.has(key) || parts.get(key) === part ? part : undefined);
    return true;
  };
  // Unvisited members may contain the same value under another name.
  if (!values.every((value) => walk(value, '', 0))) return new Map();
  return new Map([...parts].filter((entry): entry is [string, DatePart] => entry[1] !== undefined));
}

const partName = /(?:^| )(?:(day) of month|(day|month|year|hour|minute))$/;

function partNamed(name: string): DatePart | undefined {
  const found = partName.exec(wordsIn(name).join(' '));
  return (found?.[1] ?? found?.[2]) as DatePart | undefined;
}
