/** Decision records have one form: a number of their own, a heading, a status with its date. */
import { readdirSync, readFileSync } from 'node:fs';

const records = readdirSync('docs/decisions').filter((name) => /^\d{4}-/.test(name) && !name.startsWith('0000-'));
const status = /^Status: (proposed|accepted|replaced by (\d{4})), \d{4}-\d{2}-\d{2}(; replaces \d{4})?$/;

test.each(records)('%s has its number as heading and a status with a date', (name) => {
  const [heading, blank, third] = readFileSync(`docs/decisions/${name}`, 'utf8').split('\n');
  expect(heading).toMatch(new RegExp(`^# ${name.slice(0, 4)}: \\S`));
  expect(blank).toBe('');
  expect(third).toMatch(status);
  const replacement = status.exec(third ?? '')?.[2];
  if (replacement !== undefined) expect(records.some((other) => other.startsWith(replacement))).toBe(true);
});

test('no number is used twice', () => {
  const numbers = records.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

test.each(records.filter((name) => name >= '0186'))('%s has the sections of the template', (name) => {
  const headings = readFileSync(`docs/decisions/${name}`, 'utf8').match(/^## .*$/gm);
  expect(headings?.toSorted()).toEqual(['## Alternatives', '## Consequences', '## Context', '## Decision']);
});
