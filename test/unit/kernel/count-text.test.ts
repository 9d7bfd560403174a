/** Counts with their nouns. */
import { countText } from '#core/kernel/count-text.ts';

test.each([
  [0, 'request', '0 requests'],
  [1, 'request', '1 request'],
  [2, 'entry', '2 entries'],
  [2, 'key', '2 keys'],
])('%i of %s are written as %s', (count, noun, text) => {
  expect(countText(count, noun)).toBe(text);
});
