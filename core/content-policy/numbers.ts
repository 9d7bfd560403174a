/** Social security numbers, payment cards and telephone numbers, told from the many other numbers texts hold. */
import { candidates, digitsOf, type Entity, wordClass } from './entity.ts';

/** One more character, or two where the next is a separator: what tells whether a number goes on. */
const next = String.raw`(?:[ .\-/](?s:.)|[^ .\-/])`;

const ssnPattern = new RegExp(
  `(?<![${wordClass}]|\\d[-.])(?!000|666|9)\\d{3}([- ])(?!00)\\d{2}\\1(?!0000)\\d{4}(?![${wordClass}]|[-.]\\d)`,
  'gu',
);

/** United States: areas 000, 666 and 9xx, group 00 and serial 0000 were never given out. */
export const ssn: Entity = {
  name: 'ssn',
  shape: String.raw`\b[0-8]\d{2}[- ]\d{2}[- ]\d{4}${next}`,
  find: (text, from) => candidates(ssnPattern, text, from, (found) => found.length),
};

const cardPattern = new RegExp(`(?<![${wordClass}]|\\d[.,])[2-6](?:[ -]?\\d){12,18}`, 'gu');
const goesOn = new RegExp(`^(?:[${wordClass}]|[.,-]\\d)`, 'u');

/** Payment cards: 13 to 19 digits under the prefixes of the card schemes, check digit by Luhn. */
export const creditCard: Entity = {
  name: 'credit_card',
  shape: String.raw`\b(?:[3-6]|2[ -]?[2-7])(?:[ -]?\d){11,18}${next}`,
  find: (text, from) => candidates(cardPattern, text, from, (found, start) => cardLength(text, found, start)),
};

/**
 * The longest part of a run of digits that is a card's number. The run is read once and nothing is copied, because a text
 * of single digits is a candidate at every second character.
 */
function cardLength(text: string, run: string, start: number): number | undefined {
  const { digits, ends, groups } = readRun(run);
  for (let count = digits.length; count >= 13; count--) {
    const length = ends[count - 1]!;
    const whole = count === digits.length;
    // Within the run a digit or a hyphen with a digit follows, which goes on, or a blank with a digit.
    if (!whole && run[length] !== ' ') continue;
    const after = text.slice(start + length, start + length + 2);
    if (whole && goesOn.test(after)) continue;
    if (isGrouped(groups, count, whole ? /^[ -]\d/.test(after) : true) && isCard(digits, count)) return length;
  }
  return undefined;
}

interface Run {
  readonly digits: readonly number[];
  /** Where the text of each digit ends. */
  readonly ends: readonly number[];
  /** How many digits each group has, in order. */
  readonly groups: readonly number[];
}

function readRun(run: string): Run {
  const [digits, ends, groups]: number[][] = [[], [], [0]];
  for (let at = 0; at < run.length; at++) {
    const digit = run.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) {
      groups!.push(0);
      continue;
    }
    digits!.push(digit);
    ends!.push(at + 1);
    groups![groups!.length - 1]!++;
  }
  return { digits: digits!, ends: ends!, groups: groups! };
}

const schemes =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,16}|35(?:2[89]|[3-8]\d)\d{12,15}|6(?:011|22\d|4[4-9]\d|5\d\d)\d{12,15}|62\d{14,17}|(?:50|5[6-8]|6\d)\d{11,17})$/;

const isCard = (digits: readonly number[], count: number): boolean =>
  passesLuhn(digits, count) && schemes.test(digits.slice(0, count).join(''));

function passesLuhn(digits: readonly number[], count: number): boolean {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const digit = digits[count - 1 - i]!;
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/**
 * As people write them: in one piece, in groups, or digit by digit; a column of numbers is none of these.
 * @param groups of the whole run; `count` of its digits are looked at.
 */
function isGrouped(groups: readonly number[], count: number, goesOn: boolean): boolean {
  if (groups[0]! >= count) return true;
  if (groups[0] === 1) return !goesOn && groups.every((length) => length === 1);
  let rest = count - groups[0]!;
  if (groups[0] !== 4) return false;
  for (let at = 1; at < 5; at++) {
    const length = groups[at]!;
    rest -= length;
    if (rest <= 0) return true;
    if (length < 4 || length > 6) return false;
  }
  return false;
}

const phoneStart = `(?<![${wordClass}+]|\\d[./\\-]|\\d\\d )`;
const phoneEnd = `(?![${wordClass}]|[.\\-/ ]\\d)`;
const phonePatterns = [
  // E.164, spoken with + or 00
  String.raw`\+\(?[1-9](?:[ .\-/()]{0,2}\d){7,14}${phoneEnd}`,
  String.raw`00[1-9]\d{0,2}(?:[ \-/][ (]?\d{1,8}\)?){2,6}${phoneEnd}`,
  // North America
  String.raw`(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}${phoneEnd}`,
  // Europe: trunk 0, area, subscriber
  String.raw`\(?0[1-9]\d{0,3}\)?(?: ?[/-] ?| |\.)\d{2,8}(?:[ .-]\d{2,6}){0,4}${phoneEnd}`,
];
const phonePattern = new RegExp(`${phoneStart}(?:${phonePatterns.join('|')})`, 'gu');

export const phone: Entity = {
  name: 'phone',
  shape: [
    String.raw`\+\(?[1-9](?:[ .\-/()]{0,2}\d){7,14}${next}`,
    String.raw`\b00[1-9]\d{0,2}(?:[ \-/][ (]?\d{1,8}\)?){2,6}${next}`,
    String.raw`(?:\b1[ .-])?(?:\([2-9]\d{2}\) ?|\b[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}${next}`,
    String.raw`(?:\(|\b)0[1-9]\d{0,3}\)?(?: ?[/-] ?| |\.)\d{2,8}(?:[ .-]\d{2,6}){0,4}${next}`,
  ]
    .map((shape) => `(?:${shape})`)
    .join('|'),
  find: (text, from) => candidates(phonePattern, text, from, (found) => (isPhone(found) ? found.length : undefined)),
};

const dateStart = /^\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\d)/;
const frenchPairs = /^0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}$/;

function isPhone(found: string): boolean {
  const digits = digitsOf(found).length;
  if (found.startsWith('+')) return digits >= 8 && digits <= 15 && hasPairedBrackets(found);
  if (found.startsWith('00')) return digits >= 10 && digits <= 17 && hasPairedBrackets(found);
  if (!/^\(?0/.test(found)) return true;
  if (frenchPairs.test(found)) return true;
  const groups = found.split(/[^\d]+/).filter(Boolean);
  return (
    digits >= 9 &&
    digits <= 12 &&
    hasPairedBrackets(found) &&
    !found.includes('.') &&
    !dateStart.test(found) &&
    groups.slice(1).some(({ length }) => length >= 3)
  );
}

const hasPairedBrackets = (text: string): boolean => /^[^()]*(?:\(\d+\)[^()]*)?$/.test(text);
