/** Dates and times of a text in one form each: `d:2026-11-23`, `t:10:30` [provenance.forms]. */

const months = new Map(
  'january february march april may june july august september october november december'
    .split(' ')
    .flatMap((name, at) => [name, name.slice(0, 3)].map((word) => [word, at + 1] as const)),
);
months.set('sept', 9);

const month = [...months.keys()].sort((a, b) => b.length - a.length).join('|');
const iso = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const compact = /(?<![\d.])((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=T|(?![\d.]))/g;
const dayFirst = new RegExp(String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?(${month})\.?,? (\d{4})(?!\d)`, 'g');
const monthFirst = new RegExp(String.raw`(?<![a-z])(${month})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)`, 'g');
const figures = /(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)/g;
const clock = /(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?\s?(am|pm)?(?![\d:])/g;
const hour = /(?<![\d:.])(1[0-2]|0?[1-9])\s?(am|pm)\b/g;

/** @returns each form once. */
export function dateForms(text: string): Set<string> {
  const forms = new Set<string>();
  if (!/\d/.test(text)) return forms;
  const plain = text.toLowerCase();
  const day = (year: string, of: number, at: number): void => {
    if (of >= 1 && of <= 12 && at >= 1 && at <= 31) forms.add(`d:${year}-${two(of)}-${two(at)}`);
  };
  for (const pattern of [iso, compact])
    for (const [, year, of, at] of plain.replaceAll('t', 'T').matchAll(pattern)) day(year!, Number(of), Number(at));
  for (const [, at, of, year] of plain.matchAll(dayFirst)) day(year!, months.get(of!)!, Number(at));
  for (const [, of, at, year] of plain.matchAll(monthFirst)) day(year!, months.get(of!)!, Number(at));
  for (const [, first, mark, second, year] of plain.matchAll(figures)) {
    // 04/05/2026 is read both ways: which one was meant only the person knows.
    day(year!, Number(second), Number(first));
    if (mark === '/') day(year!, Number(first), Number(second));
  }
  for (const [, at, minutes, seconds = '00', half] of plain.replaceAll('t', ' ').matchAll(clock))
    forms.add(time(Number(at), minutes!, seconds, half));
  for (const [, at, half] of plain.matchAll(hour)) forms.add(time(Number(at), '00', '00', half));
  return forms;
}

function time(at: number, minutes: string, seconds: string, half: string | undefined): string {
  const hours = half === 'pm' ? (at % 12) + 12 : half === 'am' ? at % 12 : at;
  return `t:${two(hours)}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

const dateOnly = /^\s*[\dTtZz:.+\-/ ]+\s*$/;

/** Whether a text is a date or a time and nothing else; then its forms are all there is of it. */
export const isDate = (text: string): boolean => text.length <= 40 && dateOnly.test(text) && dateForms(text).size > 0;
