/** Names of months and days of the week in the languages that prompts are mostly written in, in lower case. */

const locales = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];

const nameOf = (locale: string, part: 'month' | 'weekday', style: 'long' | 'short', at: number): string =>
  new Intl.DateTimeFormat(locale, { [part]: style, timeZone: 'UTC' })
    .format(Date.UTC(2024, part === 'month' ? at : 0, part === 'month' ? 1 : at + 1))
    .toLowerCase();

/** Lists names with their number from 1, English ones in their short form as well: in other languages many short ones are words of their own. */
const namesOf = (part: 'month' | 'weekday', count: number): [string, number][] =>
  Array.from({ length: count }, (_none, at) => at).flatMap((at) =>
    [...locales.map((locale) => nameOf(locale, part, 'long', at)), nameOf('en', part, 'short', at)].map(
      (name): [string, number] => [name, at + 1],
    ),
  );

/** The month of each name, from 1. */
export const months: ReadonlyMap<string, number> = new Map([...namesOf('month', 12), ['sept', 9]]);

/** Joins names to alternatives of a pattern, the longest first. */
const alternatives = (names: Iterable<string>): string =>
  [...new Set(names)].sort((a, b) => b.length - a.length).join('|');

export const monthNames = alternatives(months.keys());
export const weekdayNames = alternatives(namesOf('weekday', 7).map(([name]) => name));
