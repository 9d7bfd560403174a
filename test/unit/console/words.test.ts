/** Times and amounts as the console writes them. */
import { ageText, money } from '../../../console/words.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  [0, '0 s ago'],
  [-5, '0 s ago'],
  [59, '59 s ago'],
  [60, '1 min ago'],
  [119, '1 min ago'],
  [3_600, '1 h ago'],
  [90_000, '1 d ago'],
])('[console.values] a time %s seconds ago is shown in a single unit: %s', (seconds, shown) => {
  expect(ageText(new Date(now - seconds * 1000).toISOString(), now)).toBe(shown);
});

test.each([
  [0, '$0.00'],
  [0.000052, '$0.000052'],
  [0.0000523, '$0.000052'],
  [0.0423, '$0.042'],
  [0.5, '$0.50'],
  [1.2, '$1.20'],
  [1234.567, '$1,234.57'],
])('[console.values] an amount of %s USD is shown with its significant digits: %s', (usd, shown) => {
  expect(money(usd)).toBe(shown);
});
