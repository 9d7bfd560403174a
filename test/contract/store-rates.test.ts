/** The documented write rates per key, compared with the items that are written. */
import { readFileSync } from 'node:fs';
import { sizeOf, storeRates, unitsOf } from '../../bench/store-rates.ts';

const [documented = ''] = readFileSync('docs/explanation/store-keys.md', 'utf8').split('\n## What grows');
const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim().replace(/^-+$/, '---'));
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);

test('[cost.table] the table in store-keys.md matches the computed one', () => {
  expect(rowsOf(documented)).toEqual(rowsOf(storeRates()));
});

test('item sizes are computed as in DynamoDB, and items cost twice as much in a transaction', () => {
  const item = { id: { S: 'äb' }, n: { N: '12345' }, yes: { BOOL: true }, map: { M: { a: { S: 'x' } } }, l: { L: [] } };
  // Name and value sizes: 2+3, 1+4, 3+1, 3+(3+2+1), 1+3.
  expect(sizeOf(item)).toBe(5 + 5 + 4 + 9 + 4);
  expect([1_000, 1_100].map((bytes) => unitsOf({ a: { S: 'x'.repeat(bytes) } }, false))).toEqual([1, 2]);
  expect(unitsOf({ a: { S: 'x'.repeat(1_100) } }, true)).toBe(4);
});
