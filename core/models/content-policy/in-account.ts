/** Digits of a bank account number, which may look like another kind of number. */
import { type DigitGroup, mayEnd } from './digit-groups.ts';
import { iban } from './iban.ts';

/** Maximum length of an account number, including blanks. */
const ibanCharacters = 44;

/**
 * Returns a function that checks whether groups belong to a valid account number. The number must end within the run.
 */
export function inAccount(text: string, groups: readonly DigitGroup[]): (group: DigitGroup) => boolean {
  const start = groups[0]!.start;
  const from = Math.max(0, start - ibanCharacters);
  if (!/[A-Z]{2}/i.test(text.slice(from, start))) return () => false;
  const end = Math.min(groups.at(-1)!.end, start + ibanCharacters);
  const accounts = mayEnd(text, end) ? iban.find(text.slice(from, end), 0) : [];
  return (group) => accounts.some(([first, last]) => group.start >= first + from && group.start < last + from);
}
