/** Names of months and weekdays, in lower case, in the languages most common in prompts. */

const locales = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];

const localizedName = (locale: string, part: 'month' | 'weekday', style: 'long' | 'short', at: number): string =>
  new Intl.DateTimeFormat(locale, { [part]: style, timeZone: 'UTC' })
    .format(Date.UTC(2024, part === 'month' ? at : 0, part === 'month' ? 1 : at + 1))
    .toLowerCase();

/**
 * Lists names with their number, starting from 1. Short forms are included only for English: in other languages many of
 * them are ordinary words.
 */
const numberedNames = (part: 'month' | 'weekday', count: number): [string, number][] =>
  Array.from({ length: count }, (_none, at) => at).flatMap((at) =>
    [...locales.map((locale) => localizedName(locale, part, 'long', at)), localizedName('en', part, 'short', at)].map(
      (name): [string, number] => [name, at + 1],
    ),
  );

/** Months by name, counted from 1. */
export const months: ReadonlyMap<string, number> = new Map([...numberedNames('month', 12), ['sept', 9]]);

/** Joins names into alternatives of a pattern, longest first. */
const alternatives = (names: Iterable<string>): string =>
  [...new Set(names)].sort((a, b) => b.length - a.length).join('|');

export const monthNames = alternatives(months.keys());
export const weekdayNames = alternatives(numberedNames('weekday', 7).map(([name]) => name));
