/** Converts dates and times in a text to one form: `d:2026-11-23`, `t:10:30` [provenance.traced]. */
import { monthNames as month, months } from './date-words.ts';

const iso = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const compact = /(?<![\d.])((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=T|(?![\d.]))/g;
const dayFirst = new RegExp(
  String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.? (?:of |de )?(${month})\.?,? (?:de )?(\d{4})(?!\d)`,
  'g',
);
const monthFirst = new RegExp(String.raw`(?<!\p{L})(${month})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)`, 'gu');
const figures = /(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)/g;
const clock = /(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?\s?(am|pm)?(?![\d:])/g;
/** The time in `20261123T103000`, the form used in calendar data. */
const compactClock = /(?<=\d{8})t([01]\d|2[0-3])([0-5]\d)([0-5]\d)?(?!\d)/g;
const hour = /(?<![\d:.])(1[0-2]|0?[1-9])\s?(am|pm)\b/g;

/** Returns a text's date and time forms, each once. */
export function dateForms(text: string): Set<string> {
  const forms = new Set<string>();
  if (!/\d/.test(text)) return forms;
  const plain = text.toLowerCase();
  const day = (year: string, of: number, at: number): void => {
    if (of >= 1 && of <= 12 && at >= 1 && at <= 31) forms.add(`d:${year}-${twoDigits(of)}-${twoDigits(at)}`);
  };
  for (const pattern of [iso, compact])
    for (const [, year, of, at] of plain.replaceAll('t', 'T').matchAll(pattern)) day(year!, Number(of), Number(at));
  for (const [, at, of, year] of plain.matchAll(dayFirst)) day(year!, months.get(of!)!, Number(at));
  for (const [, of, at, year] of plain.matchAll(monthFirst)) day(year!, months.get(of!)!, Number(at));
  for (const [, first, mark, second, year] of plain.matchAll(figures)) {
    // Both readings of 04/05/2026 are used, since the intended order is unknown.
    day(year!, Number(second), Number(first));
    if (mark === '/') day(year!, Number(first), Number(second));
  }
  for (const [, at, minutes, seconds = '00', half] of plain.replaceAll('t', ' ').matchAll(clock))
    forms.add(time(Number(at), minutes!, seconds, half));
  for (const [, at, minutes, seconds = '00'] of plain.matchAll(compactClock))
    forms.add(time(Number(at), minutes!, seconds, undefined));
  for (const [, at, half] of plain.matchAll(hour)) forms.add(time(Number(at), '00', '00', half));
  return forms;
}

function time(at: number, minutes: string, seconds: string, half: string | undefined): string {
  const hours = half === 'pm' ? (at % 12) + 12 : half === 'am' ? at % 12 : at;
  return `t:${twoDigits(hours)}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const marksBeside = /^[\s,.:+\-/()Zz]*(?:\b(?:at|on|T)\b[\s,.:+\-/()Zz]*)*$/i;
const zoneOf = /\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\s*$/i;

/**
 * Returns the forms of a text that is only a date or a time, otherwise undefined. Ignores the time zone, which people
 * rarely state, and midnight after a date, with which programs denote a whole day.
 */
export function formsOfDate(text: string): string[] | undefined {
  if (text.length > 40 || !/\d/.test(text)) return undefined;
  const plain = text.replace(zoneOf, '').toLowerCase();
  const found = [...dateForms(plain)];
  if (found.length === 0 || !marksBeside.test(withoutDates(plain))) return undefined;
  const isDay = found.some((form) => form.startsWith('d:'));
  return isDay && zoneOf.exec(text)?.[0].trim().length !== 6 ? found.filter((form) => form !== 't:00:00') : found;
}

const withoutDates = (plain: string): string =>
  [compact, iso, dayFirst, monthFirst, figures, clock, hour].reduce(
    (left, pattern) => left.replace(pattern, ' '),
    plain.replace(compactClock, ' ').replace(/(?<=\d)t(?=\d)/g, ' '),
  );

/** Returns the days named in a text. Text that names a day which a value also names contains part of that value. */
export const dayForms = (text: string): string[] => [...dateForms(text)].filter((form) => form.startsWith('d:'));
