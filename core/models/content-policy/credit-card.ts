/**
 * Payment cards: 12 to 19 digits with a valid check digit (Luhn), grouped as on cards and in forms. The number must be
 * in a range issued by a card scheme (ISO/IEC 7812), or the text must identify it as a card [content.personal-data].
 */
import { isNamedAsCard, wordsAfter } from './card-words.ts';
import { type DigitGroup, digitRuns, lookahead, mayBegin, mayEnd, separators } from './digit-groups.ts';
import type { Entity, Range } from './entity.ts';
import { inAccount } from './in-account.ts';

const digitsAtMost = 19;

export const creditCard: Entity = {
  name: 'credit_card',
  shape: String.raw`\b\d(?:[${separators}]{0,3}\d){11,32}${lookahead}(?s:.){0,${wordsAfter}}`,
  find(text, from) {
    const found: Range[] = [];
    for (const groups of digitRuns(text, from, 12)) {
      const isAccount = inAccount(text, groups);
      for (let first = 0; first < groups.length; first++) {
        if (isAccount(groups[first]!)) continue;
        const last = cardEnd(text, groups, first);
        if (last === undefined) continue;
        found.push([groups[first]!.start, groups[last]!.end]);
        first = last;
      }
    }
    return found;
  },
};

/** Returns the last group of the longest card number that begins with the group at `first`. */
function cardEnd(text: string, groups: readonly DigitGroup[], first: number): number | undefined {
  if (groups[first]!.digits.length > digitsAtMost || !mayBegin(text, groups[first]!.start)) return undefined;
  if (groups[first]!.digits.length === 1) return spelledEnd(text, groups, first);
  const lengths: number[] = [];
  let digits = '';
  let found: number | undefined;
  for (let last = first; last < groups.length; last++) {
    const group = groups[last]!;
    digits += group.digits;
    if (digits.length > digitsAtMost) break;
    lengths.push(group.digits.length);
    if (!isGrouping(lengths) || !mayEnd(text, group.end) || !passesLuhn(digits)) continue;
    const isKnown = isIssued(digits) && digits.length >= (lengths.length > 1 ? 13 : 14);
    if (isKnown || isNamedAsCard(text, groups[first]!.start, group.end)) found = last;
  }
  return found;
}

/**
 * Returns the end of a card number written digit by digit. The number must extend to the end of the run, because a
 * longer sequence is not a card.
 */
function spelledEnd(text: string, groups: readonly DigitGroup[], first: number): number | undefined {
  const last = groups.length - 1;
  if (last - first >= digitsAtMost || !mayEnd(text, groups[last]!.end)) return undefined;
  const rest = groups.slice(first);
  const digits = rest.map((group) => group.digits).join('');
  return rest.every((group) => group.digits.length === 1) &&
    digits.length > 12 &&
    passesLuhn(digits) &&
    isIssued(digits)
    ? last
    : undefined;
}

/** Groupings printed on cards or required by forms, by number length. */
const groupings = new Set([
  ...['4-4-4', '4-3-3-3', '4-4-5', '4-4-4-1', '4-6-4', '4-4-4-2', '4-6-5', '4-5-5', '4-4-4-3', '4-5-6'],
  ...['4-4-4-4', '6-4-6', '6-6-4', '8-8', '6-10', '4-4-4-4-1', '4-4-4-4-2', '4-4-4-4-3', '4-4-4-6', '6-13', '4-4-4-7'],
]);

const isGrouping = (lengths: readonly number[]): boolean =>
  lengths.length === 1 ? lengths[0]! >= 12 : groupings.has(lengths.join('-'));

/** Issued number ranges, with the lengths of their numbers. */
const schemes: readonly (readonly [prefixes: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]], // Visa
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]], // Mastercard
  [/^3[47]/, [15]], // American Express
  [/^(?:6011|64[4-9]|65)/, [16, 17, 18, 19]], // Discover
  [/^(?:30[0-5]|3095|36|3[89])/, [14, 15, 16, 17, 18, 19]], // Diners Club
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]], // JCB
  [/^(?:1800|2131)/, [15]], // JCB, older
  [/^(?:62|81)/, [16, 17, 18, 19]], // UnionPay
  [/^(?:50[0-9]|5[6-8]|6(?:0[1-9]|1|3|7|9))/, [12, 13, 14, 15, 16, 17, 18, 19]], // Maestro and national debit cards
  [/^220[0-5]/, [16, 17, 18, 19]], // Mir, Borica
  [/^(?:60|65|81|82|508|353|356)/, [16]], // RuPay
  [/^(?:8600|9860|9792)/, [16]], // UzCard, Humo, Troy
];

const isIssued = (digits: string): boolean =>
  schemes.some(([prefixes, lengths]) => lengths.includes(digits.length) && prefixes.test(digits));

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
