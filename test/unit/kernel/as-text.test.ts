/** Any JSON value as text, with any member names. */
import { asText } from '#core/kernel/as-text.ts';

test.each<[unknown, string]>([
  ['x', 'x'],
  [1.5, '1.5'],
  [null, 'null'],
  [undefined, 'undefined'],
  [['a', ['b', null], 1], 'a,b,,1'],
])('[json.exact-numbers] %j is converted the same way as by String', (value, text) => {
  expect([asText(value), String(value)]).toEqual([text, text]);
});

test('[json.exact-numbers] members that String would call are treated as data', () => {
  expect(asText({ toString: 1, valueOf: {} })).toBe('{"toString":1,"valueOf":{}}');
  expect(asText([{ toString: 1 }])).toBe('{"toString":1}');
  expect(asText(JSON.parse('{"toJSON":1}'))).toBe('{"toJSON":1}');
});
