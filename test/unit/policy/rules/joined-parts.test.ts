/** Paths assembled from parts under any name. */

import * as z from 'zod';
import { joinedParts } from '#core/policy/rules/joined-parts.ts';
import { anything, readCases, rows, text, texts } from '../../../support/yaml.ts';

const cases = readCases(
  'test/unit/policy/rules/joined-parts.yaml',
  z.strictObject({ joined: rows(text, anything, texts) }),
);

test.each(cases.joined)('[policy.guards] %s', (_what, value, joined) => {
  expect(joinedParts(value)).toEqual(joined);
  expect(joinedParts(value)).toEqual(joined);
});

test('[policy.guards] joining many or deeply nested parts takes a limited amount of work', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, `/a${i}`]));
  expect(joinedParts(many).length).toBeLessThanOrEqual(40);
  let deep: unknown = { a: '/etc/', b: 'shadow' };
  for (let i = 0; i < 5000; i++) deep = { deep };
  expect(joinedParts(deep)).toEqual([]);
});

test.each([
  ['lists', (value: unknown) => [value]],
  ['objects', (value: unknown) => ({ in: value })],
])('[policy.guards] parts nested up to eight levels of %s are joined, and deeper parts are not', (_what, wrap) => {
  const nested = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((value) => wrap(value), '/etc');
  expect(joinedParts({ deep: nested(7), b: 'shadow' })).toEqual(['/etcshadow', '/etc/shadow']);
  expect(joinedParts({ deep: nested(8), b: 'shadow' })).toEqual([]);
});
