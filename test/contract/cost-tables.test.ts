/** The documented cost against the one that is computed. */
import { readFileSync } from 'node:fs';
import { cellsTable } from '../../bench/cost/cells.ts';
import { pricesOf } from '../../bench/cost/prices.ts';
import { costTables, mixCost } from '../../bench/cost/tables.ts';
import { thorough } from '../support/extent.ts';

const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim().replace(/^-+(:?)$/, '---$1'));
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);

test('[cost.table] the tables of cost.md are those that npm run cost prints', async () => {
  expect(rowsOf(readFileSync('docs/explanation/cost.md', 'utf8'))).toEqual(rowsOf(await costTables()));
});

(thorough ? test : test.skip)('[cost.table] the table of cells.md is the one that npm run cost prints', async () => {
  const documented = rowsOf(readFileSync('docs/explanation/cells.md', 'utf8'));
  expect(documented).toEqual(expect.arrayContaining(rowsOf(await cellsTable())));
});

test('[cost.table] a mix costs the sum of its calls at the rate of all its entries, and an idle month', async () => {
  const { calls, entriesPerSecond, month, idleMonth } = await mixCost({ actions: 5, reviews: 1 }, { tenants: 1 });
  expect(entriesPerSecond).toBe(8);
  expect(calls.map(({ what }) => what)).toEqual(['allowed action', 'review, its vote and its use']);
  expect(month).toBeCloseTo(idleMonth + calls.reduce((sum, each) => sum + each.month, 0));
  // Busier traffic shares more objects and signatures.
  const [alone] = (await mixCost({ actions: 0.1 }, { tenants: 1 })).calls;
  expect(alone!.million).toBeGreaterThan(calls[0]!.million);
});

test('[cost.table] every price has a source and a date, and a region without a file is refused by name', () => {
  expect(pricesOf().oldest).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(() => pricesOf('moon-1')).toThrow('Regions with a file: us-east-1');
});

test('[cost.table] a review stays within its target', async () => {
  const [review] = (await mixCost({ reviews: 5 }, { tenants: 1 })).calls;
  expect(review!.million).toBeLessThanOrEqual(200);
});
