/**
 * Telephone numbers [content.personal-data]: anywhere if they have a country code or use a country's printed format, or
 * in any format after a word for a telephone number. The numbering plans determine validity; the formats exclude dates,
 * orders and prices.
 */
import { type DigitGroup, digitRuns, lookahead, mayBegin, mayEnd, separators } from './digit-groups.ts';
import type { Entity, Range } from './entity.ts';
import { inAccount } from './in-account.ts';
import { isInternational, isNational, isNorthAmerican, isPrintedAsAtHome, mayBeInternational } from './phone-plans.ts';

const digits = { least: 7, most: 18 } as const;
const groupsAtMost = 9;
/** Number of characters before a number that are searched for a word that identifies it. */
const contextCharacters = 48;
/** Number of characters after a number that are searched for a unit, which would make it an amount. */
const unitCharacters = 5;

export const phone: Entity = {
  name: 'phone',
  shape: String.raw`(?:\+ ?\(?|\(\+?|\b)\d(?:[${separators}]{0,3}\d){${digits.least - 1},32}${lookahead}(?s:.){0,${unitCharacters - 1}}`,
  find(text, from) {
    const found: Range[] = [];
    for (const groups of digitRuns(text, from, digits.least)) {
      const isAccount = inAccount(text, groups);
      for (let first = 0; first < groups.length; first++) {
        if (isAccount(groups[first]!)) continue;
        const range = phoneAt(text, groups, first, from);
        if (!range) continue;
        found.push(range);
        while (first + 1 < groups.length && groups[first + 1]!.start < range[1]) first++;
      }
    }
    return found;
  },
};

const listMark = /(?:^|\n)[ \t>*-]*\d{1,2}[.)][ \t]{1,3}$/;
const numberBefore = new RegExp(String.raw`\d[${separators}]{1,3}$`, 'u');

interface Candidate {
  /** Number as written, starting at its plus sign or first digit, with blanks, dashes and brackets. */
  readonly written: string;
  readonly digits: string;
  /** Number of digits in each group. */
  readonly lengths: readonly number[];
  /** Text before the number. */
  readonly before: string;
  readonly after: string;
  /** True if other digits precede or follow the number, separated by a blank. */
  readonly amongNumbers: boolean;
}

/** Returns the longest telephone number that begins with the group at `first`. */
function phoneAt(text: string, groups: readonly DigitGroup[], first: number, from: number): Range | undefined {
  const start = Math.max(from, startOf(text, groups[first]!.start));
  if (!mayBegin(text, start)) return undefined;
  const windows: Candidate[] = [];
  const before = text.slice(Math.max(0, start - contextCharacters), start);
  let all = '';
  const lengths: number[] = [];
  for (let last = first; last < groups.length && last - first < groupsAtMost; last++) {
    const group = groups[last]!;
    all += group.digits;
    lengths.push(group.digits.length);
    if (all.length > digits.most) break;
    if (all.length < digits.least || !mayEnd(text, group.end)) continue;
    const amongNumbers = last + 1 < groups.length || (numberBefore.test(before) && !listMark.test(before));
    const after = text.slice(group.end, group.end + unitCharacters);
    windows.push({
      written: text.slice(start, group.end),
      digits: all,
      lengths: [...lengths],
      before,
      after,
      amongNumbers,
    });
  }
  const longest = windows.findLast(isPhone);
  return longest && [start, start + longest.written.length];
}

/** Signs before the first digit that belong to the number. */
const opening = /(?:\+ ?\(?|\(\+?)$/;
const closed = /^\d[\d -]{0,5}\)/;

function startOf(text: string, digit: number): number {
  const signs = opening.exec(text.slice(Math.max(0, digit - 3), digit))?.[0] ?? '';
  const isClosed = !signs.includes('(') || closed.test(text.slice(digit, digit + 7));
  // A bracket before the plus sign belongs to the sentence.
  return digit - (isClosed ? signs : signs.replace(/^\(|\($/, '')).length;
}

function isPhone(candidate: Candidate): boolean {
  const { written, digits, lengths, before } = candidate;
  if (!hasPairedBrackets(written) || isDate.test(written) || /[$€£¥₹#]\s?$/.test(before)) return false;
  if (/^\(?\+/.test(written)) {
    const dialled = written.replace('(0)', '').replace(/\D/g, '');
    return isDialled(dialled) || (isDialledLength(dialled) && phoneWord.test(before));
  }
  if (phoneWord.test(before) || ((lengths.length > 1 || /^0[1-9]/.test(digits)) && callWord.test(before)))
    return isBehindWord(candidate);
  if (otherWord.test(before)) return false;
  const isAbroad =
    /^(?:00|011)[ .\-/(]*[1-9]/.test(written) &&
    lengths.length > 2 &&
    !candidate.amongNumbers &&
    isDialled(
      written
        .replace('(0)', '')
        .replace(/\D/g, '')
        .replace(/^(?:00|011)/, ''),
    );
  if (isAbroad || (isNorthAmericanForm(lengths) && isNorthAmericanNumber(candidate))) return true;
  return isNationalForm(candidate) && isNational(digits);
}

const hasPairedBrackets = (text: string): boolean => /^[^()]*(?:\(\+?\d[\d -]*\)[^()]*)?$/.test(text);
const isDate = /^(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\d|\1\d)|\+?(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2}(?!\d|\2\d))/;

const isDialledLength = (digits: string): boolean => digits.length >= 8 && digits.length <= 15;
const isDialled = (digits: string): boolean =>
  isDialledLength(digits) && (isInternational(digits) || (digits.length > 9 && mayBeInternational(digits)));

/**
 * Checks whether the number uses a grouping of any region. Unassigned numbers are accepted, because examples use them.
 */
const isBehindWord = ({ written, digits }: Candidate): boolean =>
  isNational(digits) ||
  isLocal(written) ||
  /^[2-9]\d\d\D*[2-9]\d\d\D*\d{4}$/.test(written) ||
  (digits.length >= 10 && isInternational(digits.replace(/^(?:00|011)/, '')));

/** Checks whether text is a local number without an area code: `468 6549`, `468 65 49`, `9822 3749`. */
const isLocal = (written: string): boolean => /^[2-9]\d{2,3}(?:[ .-]\d{4}|[ .-]\d\d[ .-]\d\d)$/.test(written);

/** Checks whether digits are grouped as 3-3-4, with or without a leading 1. */
const isNorthAmericanForm = (lengths: readonly number[]): boolean => /^(?:1-)?3-3-4$/.test(lengths.join('-'));

function isNorthAmericanNumber({ written, digits, amongNumbers }: Candidate): boolean {
  if (!/^1?[2-9]\d\d[2-9]\d{6}$/.test(digits)) return false;
  const marked = /[-()]/.test(written);
  return marked || (!amongNumbers && isNorthAmerican(digits));
}

const frenchPairs = /^0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}$/;

const isSsnForm = (lengths: readonly number[]): boolean => lengths.join('-') === '3-2-4';

/** Checks whether a number is in a national format: an area code in brackets, or a trunk 0 before the area code. */
function isNationalForm(candidate: Candidate): boolean {
  const { written, digits, lengths, amongNumbers } = candidate;
  if (/^\((?:\d{1,5}|0[ -]?\d{1,3}|06 \d\d?)\) ?\d/.test(written) || /^8[ -]?\(\d{3,5}\)[ -]?\d/.test(written))
    return digits.length >= 8 && !amongNumbers;
  if (frenchPairs.test(written)) return true;
  if (amongNumbers || isSsnForm(lengths)) return false;
  const [area = 0, ...rest] = lengths;
  const hasTrunk = /^0[1-9]/.test(digits) && !written.includes('.') && digits.length >= 9 && digits.length <= 12;
  return (hasTrunk && area <= 6 && rest.some((length) => length >= 3)) || isPrinted(candidate);
}

/** Printed groupings without a trunk 0 that are rare in dates and amounts. */
const printedGroupings = new Set(
  '4-4 3-3-3 3-2-2-2 2-2-2-2 3-4-4 3-3-4 3-7 5-5 2-4-4 1-4-4 2-5-4 4-2-2-2 2-2-2-2-2 1-3-3-2-2 1-3-3-4 1-3-7 3-2-3 3-2-4-4 3-4-4 2-3-4 2-3-2-2'.split(
    ' ',
  ),
);
/** Text endings after which a number is the remainder of a longer code. */
const partOfCode = /(?:[\p{L}\d]-|\b[A-Z]{2}\d\d[ -]?[A-Z\d]{4}[ -])$/u;
const isYear = /^(?:19|20)\d\d$/;
const unit =
  /^\s?(?:[€$£¥₹%°×]|eur|usd|gbp|chf|pln|czk|dkk|nok|sek|inr|jpy|rub|zł|kč|kr|mio|k?m\b|kg|m?g\b|[km]?s\b|[kmgt]?i?b\b|rows|pcs|pts|bytes?|uni|peop)/i;

/**
 * Checks whether a number is grouped as in a numbering plan. Excludes amounts, year ranges and rows of round numbers.
 */
function isPrinted({ written, digits, lengths, before, after }: Candidate): boolean {
  if (!printedGroupings.has(lengths.join('-')) || unit.test(after) || partOfCode.test(before) || /^-\p{L}/u.test(after))
    return false;
  const groups = written.match(/\d+/g)!;
  const separators = new Set(written.match(/\D+/g));
  if (groups.every((group) => isYear.test(group)) || groups.every((group) => /[05]$/.test(group))) return false;
  return separators.size <= 2 && !/[./]/.test(written) && isPrintedAsAtHome(digits, lengths);
}

/** Words that precede a telephone number, in the languages of the regions; `~` represents a blank. */
const names = `(?<!i)phone mobile cell tel fax whatsapp sms signal hotline helpline landline dial gsm telefon téléphone tél teléfono
  (?:call|reach|ring|text|contact|telefone|ruf)~(?:me|us|him|her|them|back|on|at|mich)
  (?:my|your|his|her|our|their|contact|registered|callback|daytime|emergency)~(?:new~|other~)?number telefono telefone telefoon handy mobil
  móvil movil celular cellulare portable rufnummer rückruf puhelin телефон тел моб τηλ τηλέφωνο هاتف جوال موبايل تلفن טלפון फ़ोन फोन
  मोबाइल 電話 电话 電話番号 携帯 手机 手機 전화 휴대폰 โทร ☎ ☏ 📞 📱 📲`;
/** Words that may appear between a telephone word and the number. */
const joining = `no nr num number numbers nummer numéro número numero is at on me us via to the ist unter es est è au al или office work
  home private line`;
const anyOf = (words: string): string => words.split(/\s+/).join('|').replaceAll('~', ' ');
const phoneWord = new RegExp(
  String.raw`(?<!\p{L})(?:[\p{L}_]{0,12}(?:_|(?<=\p{Ll})))?(?:${anyOf(names)})[\p{L}_]{0,9}[^\p{L}\d\n]{0,6}(?:(?:${anyOf(joining)})(?!\p{L})[^\p{L}\d\n]{0,4}){0,3}$`,
  'iu',
);

/**
 * Words that count only before a grouped number or a trunk 0, because `call 4155552671` may refer to a call by number.
 */
const callWord = /(?<![\p{L}_])(?:call|calling|ring|dial|dialled|dialed|text)[^\p{L}\d\n]{1,3}$/iu;

/** Words that indicate another kind of number. */
const others = `order invoice ref reference ticket case isbn issn sku part serial tracking parcel shipment version build id account acct
  policy article item model page lot batch imei iccid bestellung rechnung artikel commande facture pedido factura`;
const otherWord = new RegExp(
  String.raw`(?<!\p{L})(?:${anyOf(others)})(?:[_ ]?(?:no|nr|num|number|nummer|id|code))?[^\p{L}\d\n]{0,4}$`,
  'iu',
);
