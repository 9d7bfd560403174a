/**
 * Runs of digits in groups, as people write numbers: `4111 1111 1111 1111`, `+49 30 1234567`. Each run is scanned once
 * without copying, because in text made of single digits, every second character may begin a number.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { wordClass } from './entity.ts';

/** Characters that may separate two groups; at most three in a row, such as ` - `. */
export const separators = String.raw` \t.\-_/()·•∙⋅‧\p{Pd}`;

export interface DigitGroup {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
}

/** Yields each run of at least `least` digits after `from`, split into groups. */
export function* digitRuns(text: string, from: number, least: number): Iterable<DigitGroup[]> {
  const pattern = runs.getOrInsertComputed(least, runOf);
  for (let at = from; ; ) {
    pattern.lastIndex = at; // shared with other searches, which may run in between
    const match = pattern.exec(text);
    if (!match) return;
    at = pattern.lastIndex;
    yield groupsOf(match[0], match.index);
  }
}

/** Patterns for runs, by minimum number of digits. */
const runs = new RecentMap<number, RegExp>({ max: 64 });
const runOf = (least: number): RegExp => new RegExp(String.raw`\d(?:[${separators}]{0,3}\d){${least - 1},}`, 'gu');

const groupsOf = (run: string, offset: number): DigitGroup[] =>
  [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    digits,
    start: offset + index,
    end: offset + index + digits.length,
  }));

const tight = String.raw`.:\\\-_/()·•∙⋅‧\p{Pd}`;
const ledInto = new RegExp(`(?:[${wordClass}]|\\d[${tight}]{1,3})$`, 'u');
const goesOn = new RegExp(`^(?:[${wordClass}]|[${tight.replace('/', '')}]{1,3}\\d)`, 'u');

/** Checks whether a number may begin at `start`: not within a word, and not after digits with a dash or dot. */
export const mayBegin = (text: string, start: number): boolean =>
  !ledInto.test(text.slice(Math.max(0, start - 4), start));

export const mayEnd = (text: string, end: number): boolean => !goesOn.test(text.slice(end, end + 4));

/** Pattern for the text examined after a number, used in shapes. */
export const lookahead = `(?:[${separators}]{0,3}[^${separators}]|[${separators}]{4})`;
