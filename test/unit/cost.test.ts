/** The documented cost against the one that is computed. */
import { readFileSync } from 'node:fs';
import { onLambda, onTasks, total } from '../../bench/cost/calls.ts';
import { costTables } from '../../bench/cost/tables.ts';

const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim().replace(/^-+(:?)$/, '---$1'));
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);

test('[cost.table] the tables of cost.md are those that npm run cost prints', () => {
  expect(rowsOf(readFileSync('docs/explanation/cost.md', 'utf8'))).toEqual(rowsOf(costTables()));
});

test('[cost.table] actions and streams in containers stay within their targets', () => {
  expect(total(onLambda('action'))).toBeLessThanOrEqual(20);
  expect(total(onTasks('stream'))).toBeLessThanOrEqual(40);
});
