/** Social security numbers of the United States, distinguished from the many other numbers that texts hold. */
import { candidates, type Entity, wordClass } from './entity.ts';

/** One more character, or two where the next is a separator: what tells whether a number goes on. */
const next = String.raw`(?:[ .\-/](?s:.)|[^ .\-/])`;

const pattern = new RegExp(
  `(?<![${wordClass}]|\\d[-.])(?!000|666|9)\\d{3}([- ])(?!00)\\d{2}\\1(?!0000)\\d{4}(?![${wordClass}]|[-.]\\d)`,
  'gu',
);

/** Areas 000, 666 and 9xx, group 00 and serial 0000 were never given out. */
export const ssn: Entity = {
  name: 'ssn',
  shape: String.raw`\b[0-8]\d{2}[- ]\d{2}[- ]\d{4}${next}`,
  find: (text, from) => candidates(pattern, text, from, (found) => found.length),
};
