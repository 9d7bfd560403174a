/** Names, paths, hosts and Unicode in normalised form. */

import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { normaliseCall, readingsOf } from '#core/policy/rules/normalise.ts';
import { readCases, rows, text } from '../../../support/yaml.ts';

const cases = readCases('test/unit/policy/rules/normalise.yaml', z.strictObject({ targets: rows(text, text) }));

const call = (fields: Partial<ToolCall>): ToolCall => ({
  protocol: 'shell',
  tool: 'shell.cat',
  target: '',
  capability: 'read',
  parameters: {},
  ...fields,
});
const target = (text: string, protocol = 'shell'): string => normaliseCall(call({ target: text, protocol })).target;

test.each(cases.targets)('[policy.case-folding] target %s is normalised to %s', (raw, normal) => {
  expect(target(raw)).toBe(normal);
});

test('the host of an HTTP target without a scheme is lowercased', () => {
  expect(target('API.Example.com/V1', 'http')).toBe('api.example.com/V1');
});

test('[policy.case-folding] protocol, tool and capability are normalised in case and Unicode', () => {
  expect(normaliseCall(call({ protocol: 'SHELL', tool: 'Sh\u200bell.RM', capability: 'Read' }))).toMatchObject({
    protocol: 'shell',
    tool: 'shell.rm',
    capability: 'read',
  });
});

test('an ordinary call has one reading, and an ambiguous call has several', () => {
  expect(readingsOf(call({ target: 'docs/a.md' }), false)).toHaveLength(1);
  const readings = readingsOf(call({ target: 'a\\b' }), false).map((reading) => reading.target);
  expect(readings).toEqual(['a/b', 'ab']);
});

test.each(['protocol', 'tool', 'target', 'capability'] as const)(
  '[policy.case-folding] an ambiguous %s produces several readings',
  (field) => {
    const readings = readingsOf(call({ [field]: 'p\u0440' }), false).map((reading) => reading[field]);
    expect(readings).toHaveLength(2);
  },
);

test.each([
  ['s3://data/private/../public/a', ['s3://data/public/a', 's3://data/private/public/a']],
  ['gs://data/a/../b', ['gs://data/b', 'gs://data/a/b']],
  ['https://data.example/private/../public/a', ['https://data.example/public/a']],
  ['s3://data/public/a', ['s3://data/public/a']],
])('[policy.case-folding] %s has the readings %j', (raw, readings) => {
  expect(readingsOf(call({ target: raw, protocol: 'aws' }), false).map((reading) => reading.target)).toEqual(readings);
});

test('[policy.case-folding] ambiguities in short text are combined, and those in long text are resolved separately', () => {
  const doubtful = 'a\\b%41\u0440';
  const readings = (length: number) => readingsOf(call({ target: doubtful.padEnd(length, 'x') }), false).length;
  expect(readings(8 * 1024)).toBe(readings(0));
  expect(readings(0)).toBeGreaterThan(readings(8 * 1024 + 1));
  expect(readings(8 * 1024 + 1)).toBeGreaterThan(1);
});

test('[policy.case-folding] [policy.sent-with] ambiguous text in a parameter also produces several readings, if rules check parameters', () => {
  for (const doubtful of [
    { parameters: { path: 'a\\b' } },
    { sent_with: { path: 'a\\b' } },
    { parameters: { 'a\\b': 1 } },
  ]) {
    expect(readingsOf(call(doubtful), true)).toHaveLength(2);
    expect(readingsOf(call(doubtful), false)).toHaveLength(1);
  }
});

test('[policy.fails-closed] a field that is not a string is refused instead of being converted', () => {
  for (const field of ['protocol', 'tool', 'target', 'capability', 'upstream'])
    expect(() => readingsOf(call({ [field]: 1 }), false)).toThrow(`${field} is not a string`);
});
