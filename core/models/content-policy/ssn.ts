/** US social security numbers, distinguished from other numbers. */
import { candidates, type Entity, wordClass } from './entity.ts';

/** One more character, or two after a separator, which shows whether a number continues. */
const next = String.raw`(?:[ .\-/](?s:.)|[^ .\-/])`;

const digits = String.raw`(?!000|666|9)\d{3}([- ]?)(?!00)\d{2}\1(?!0000)\d{4}`;
const pattern = new RegExp(`(?<![${wordClass}]|\\d[-.])${digits}(?![${wordClass}]|[-.]\\d)`, 'gu');

/**
 * Word that must precede a number without separators, because nine digits may also be a date, order or account number.
 */
const ssnLabel = /(?<!\p{L})(?:ssn|social[ _-]?security|soc sec)[^\d\n]{0,24}$/iu;
const nameCharacters = 48;

/** Social security numbers. Areas 000, 666 and 9xx, group 00 and serial 0000 were never issued. */
export const ssn: Entity = {
  name: 'ssn',
  shape: String.raw`\b[0-8]\d{2}[- ]?\d{2}[- ]?\d{4}${next}`,
  find: (text, from) =>
    candidates(pattern, text, from, (found, start) =>
      found.length > 9 || ssnLabel.test(text.slice(Math.max(0, start - nameCharacters), start))
        ? found.length
        : undefined,
    ),
};
