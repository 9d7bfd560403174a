/**
 * Runs of digits in groups, as people write numbers: `4111 1111 1111 1111`, `+49 30 1234567`. A run is read once and nothing is
 * copied, because a text of single digits begins a number at every second character.
 */
import { wordClass } from './entity.ts';

/** Characters between two groups; three at most, such as ` - `. */
export const separators = String.raw` \t.\-_/()·•∙⋅‧\p{Pd}`;

export interface DigitGroup {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  /** What stands before the group inside its run; empty for the first. */
  readonly separator: string;
}

/** Each run of at least `least` digits behind `from`, as its groups. */
export function* digitRuns(text: string, from: number, least: number): Iterable<DigitGroup[]> {
  const run = new RegExp(String.raw`\d(?:[${separators}]{0,3}\d){${least - 1},}`, 'gu');
  run.lastIndex = from;
  for (const match of matches(run, text)) yield groupsOf(match[0], match.index);
}

function* matches(pattern: RegExp, text: string): Iterable<RegExpExecArray> {
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) yield match;
}

function groupsOf(run: string, offset: number): DigitGroup[] {
  const groups: DigitGroup[] = [];
  let end = 0;
  for (const { 0: digits, index } of run.matchAll(/\d+/g)) {
    groups.push({
      digits,
      start: offset + index,
      end: offset + index + digits.length,
      separator: run.slice(end, index),
    });
    end = index + digits.length;
  }
  return groups;
}

const tight = String.raw`.:\\\-_/()·•∙⋅‧\p{Pd}`;
const ledInto = new RegExp(`(?:[${wordClass}]|\\d[${tight}]{1,3})$`, 'u');
const goesOn = new RegExp(`^(?:[${wordClass}]|[${tight.replace('/', '')}]{1,3}\\d)`, 'u');

/** Whether a number may begin at `start`: neither a word nor digits before a dash or dot lead into it. */
export const mayBegin = (text: string, start: number): boolean =>
  !ledInto.test(text.slice(Math.max(0, start - 4), start));

/** Whether a number may end at `end`. */
export const mayEnd = (text: string, end: number): boolean => !goesOn.test(text.slice(end, end + 4));

/** For shapes: what follows a number as far as it is looked at. */
export const lookahead = `(?:[${separators}]{0,3}[^${separators}]|[${separators}]{4})`;
