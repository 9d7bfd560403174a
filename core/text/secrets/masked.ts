/** Texts about a call, such as the reason of a decision: without what is withheld of the call itself [evidence.secrets-derived]. */
import { partDigest, wholeDigest } from '#core/contracts/withheld.ts';
import { secretRanges } from './secret-formats.ts';

/** What stands in the place of a withheld word. */
export const mask = '[withheld]';

/** A text without secrets of recognised formats. */
export const masked = (text: string, instead = mask): string =>
  secretRanges(text).reduceRight((kept, [from, to]) => `${kept.slice(0, from)}${instead}${kept.slice(to)}`, text);

/** What was withheld of a call: `raw` beside the copy that `redact` made of it. */
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

/** Shorter texts stand in others by chance. */
const shortest = 3;

/** Masks the words of a text that are part of what was withheld, or hold it. */
export function withoutWithheld(withheld: readonly string[]): (text: string) => string {
  if (withheld.length === 0) return (text) => text;
  const hidden = withheld.map((text) => text.toLowerCase()).filter((text) => text.length >= shortest);
  const isPart = (word: string) => hidden.some((text) => text.includes(word) || word.includes(text));
  return (text) =>
    masked(text).replace(/[^\s"'(),;]+/g, (found) => {
      const word = found.replace(/[.:!?]+$/, '');
      return word.length >= shortest && isPart(word.toLowerCase()) ? `${mask}${found.slice(word.length)}` : found;
    });
}
