/** Checks digits against libphonenumber's numbering plans, which are loaded together with the filters. */
import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';
import { RecentMap } from '#core/kernel/recent-map.ts';

/**
 * Regions whose national formats are tried after a word for telephone numbers, starting with the regions that have the
 * most callers.
 */
const regions =
  `US GB DE FR IN IT ES BR JP CN AU NL PL MX TR ZA SE CH AT BE NO DK FI IE PT CZ GR HU RO RU UA NZ KR SG HK TW IL AE SA
  EG NG KE AR CL CO ID MY TH VN PH PK PE SK BG HR SI RS EE LV LT IS MA BD LK`.split(/\s+/) as readonly CountryCode[];

/** Cached results, because text often repeats numbers, and their digits are checked in several groupings. */
const validNumbers = new RecentMap<string, boolean>({ max: 2048 });

function cachedValidity(key: string, work: () => boolean): boolean {
  const before = validNumbers.get(key);
  if (before !== undefined) return before;
  const answer = work();
  validNumbers.set(key, answer);
  return answer;
}

const numberOf = (digits: string, region?: CountryCode): PhoneNumber | undefined =>
  parsePhoneNumberFromString(digits, { extract: false, ...(region && { defaultCountry: region }) }, metadata);

/**
 * Checks whether digits are an assigned international number.
 * @param digits digits starting with the country code, without the plus sign.
 */
export const isInternational = (digits: string): boolean =>
  cachedValidity(`+${digits}`, () => numberOf(`+${digits}`)?.isValid() === true);

/** Checks whether a number has a valid length, even if it is unassigned, as in examples. */
export const mayBeInternational = (digits: string): boolean =>
  cachedValidity(`?${digits}`, () => numberOf(`+${digits}`)?.isPossible() === true);

/** Checks whether digits are a valid number of ten digits, or of eleven digits with a leading 1. */
export const isNorthAmerican = (digits: string): boolean =>
  cachedValidity(`1${digits}`, () => numberOf(digits, 'US')?.isValid() === true);

/** Checks whether a number is in the form dialled within one of the regions. */
export const isNational = (digits: string): boolean =>
  cachedValidity(digits, () => regions.some((region) => numberOf(digits, region)?.isValid() === true));

/**
 * Checks whether the digits are grouped in the way one of the regions prints its numbers, with or without the trunk
 * prefix.
 */
export const isPrintedAsAtHome = (digits: string, lengths: readonly number[]): boolean =>
  cachedValidity(`${digits}:${lengths.join('-')}`, () =>
    regions.some((region) => isPrintedIn(region, digits, lengths)),
  );

function isPrintedIn(region: CountryCode, digits: string, lengths: readonly number[]): boolean {
  const number = numberOf(digits, region);
  if (!number?.isValid()) return false;
  const [, ...international] = groupsOf(number.formatInternational());
  const printed = [groupsOf(number.formatNational()), international, ...(alsoPrinted[region] ?? [])];
  return printed.some((groups) => groups.join('-') === lengths.join('-'));
}

/** Groupings that are printed in a region but missing from libphonenumber. */
const alsoPrinted: Partial<Record<CountryCode, readonly number[][]>> = { NO: [[3, 2, 3]] };

const groupsOf = (written: string): number[] => (written.match(/\d+/g) ?? []).map((group) => group.length);
