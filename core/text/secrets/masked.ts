/**
 * Removes a call's withheld values from text that describes the call, such as decision reasons
 * [evidence.secrets-redacted].
 */
import { partDigest, wholeDigest } from '#core/contracts/withheld.ts';
import { secretRanges } from './secret-formats.ts';

/** Text that replaces a withheld word. */
export const mask = '[withheld]';

/** Masks secrets of recognised formats in text. */
export const maskSecrets = (text: string, instead = mask): string =>
  secretRanges(text).reduceRight((kept, [from, to]) => `${kept.slice(0, from)}${instead}${kept.slice(to)}`, text);

/** Yields a call's withheld strings by comparing `raw` with its redacted copy. */
export function* withheldTexts(raw: unknown, copy: unknown): Iterable<string> {
  if (raw === copy) return;
  if (typeof raw === 'string') {
    const whole = typeof copy !== 'string' || (copy.startsWith(partDigest) && copy.indexOf(']') === copy.length - 1);
    yield* whole ? [raw] : secretRanges(raw).map(([from, to]) => raw.slice(from, to));
  } else if (typeof raw === 'object' && raw !== null) {
    const below = typeof copy === 'object' && copy !== null && !('redacted' in copy && copy.redacted === wholeDigest);
    const copies = below ? Object.values(copy) : [];
    for (const [at, item] of Object.values(raw).entries()) yield* withheldTexts(item, copies[at]);
  }
}

/** Minimum length of a string to mask. Shorter strings may occur by chance. */
const shortest = 3;

/** Returns a function that masks words that either contain a withheld string or are part of one. */
export function withoutWithheld(withheld: readonly string[]): (text: string) => string {
  if (withheld.length === 0) return (text) => text;
  const hidden = withheld.map((text) => text.toLowerCase()).filter((text) => text.length >= shortest);
  const isPart = (word: string) => hidden.some((text) => text.includes(word) || word.includes(text));
  return (text) =>
    maskSecrets(text).replace(/[^\s"'(),;]+/g, (found) => {
      const word = found.replace(/[.:!?]+$/, '');
      return word.length >= shortest && isPart(word.toLowerCase()) ? `${mask}${found.slice(word.length)}` : found;
    });
}
