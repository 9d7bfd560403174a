import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { describeIssue, issueWords, problemSentence, relevantIssues } from '#core/kernel/issue-words.ts';

const said = (schema: z.ZodType, value: unknown): string[] =>
  relevantIssues(schema.safeParse(value, { error: describeIssue }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
const of = (member: z.ZodType, name = 'x') => z.strictObject({ [name]: member });

test.each<[string, z.ZodType, unknown, string]>([
  ['x', z.int().positive().max(3600), 0, 'found 0, allowed a whole number from 1 to 3600'],
  ['x', z.int().positive().max(3600), 3601, 'found 3601, allowed a whole number from 1 to 3600'],
  ['x', z.int().min(2).lt(9), 1.5, 'found 1.5, allowed a whole number from 2 to 8'],
  ['x', z.int().positive(), 'many', 'found "many", allowed a whole number, at least 1'],
  ['wait_seconds', z.int().nonnegative(), -1, 'found -1, allowed a whole number of seconds, at least 0'],
  ['max_body_bytes', z.int().max(9), 10, 'found 10, allowed a whole number of bytes, at most 9'],
  ['slow_ms', z.number().int().min(1), 0.5, 'found 0.5, allowed a whole number of milliseconds, at least 1'],
  ['share', z.number().min(0).max(1), 2, 'found 2, allowed a number from 0 to 1'],
  ['price_usd', z.number().gt(0), 0, 'found 0, allowed a number of US dollars, above 0'],
  ['share', z.number().gt(0).lt(1), 1, 'found 1, allowed a number, above 0 and below 1'],
  ['share', z.number(), undefined, 'found nothing, allowed a number'],
  ['x', z.number().multipleOf(5), 3, 'found 3, allowed a multiple of 5'],
  ['x', z.string().min(1), '', 'found an empty string, allowed a string that is not empty'],
  ['x', z.string().min(3), 'ab', 'found "ab", allowed a string of at least 3 characters'],
  ['x', z.string().max(1), 'ab', 'found "ab", allowed a string of at most 1 character'],
  [
    'x',
    z.string().min(1).max(2),
    'a'.repeat(81),
    'found a string of 81 characters, allowed a string of 1 to 2 characters',
  ],
  ['x', z.string().max(2), 'a'.repeat(80), `found "${'a'.repeat(80)}", allowed a string of at most 2 characters`],
  ['x', z.string().length(5), 'ab', 'found "ab", allowed a string of exactly 5 characters'],
  ['x', z.array(z.string()).min(1), [], 'found an empty list, allowed a list that is not empty'],
  ['x', z.array(z.string()).max(1), ['a', 'b'], 'found a list of 2 entries, allowed a list of at most 1 entry'],
  ['x', z.array(z.string()), { a: 1 }, 'found an object, allowed a list'],
  ['x', z.boolean(), null, 'found null, allowed true or false'],
  ['x', z.enum(['allow', 'block']), 'alow', 'found "alow", allowed allow, block; did you mean "allow"?'],
  ['x', z.literal(1), 2, 'found 2, allowed 1'],
  ['x', z.union([z.string(), z.array(z.string())]), 3, 'found 3, allowed a string or a list'],
  ['x', z.iso.datetime(), 'today', 'found "today", allowed a time in UTC such as 2026-11-25T12:00:00Z'],
  ['x', z.string().regex(/^a+$/), 'b', 'found "b", allowed a string that matches /^a+$/'],
  ['x', z.email(), 'b', 'found "b", allowed a string in the form email'],
  ['x', z.string().refine(() => false), 'b', 'found "b", allowed another value'],
  ['x', z.string().regex(/^a/, 'a word that begins with a'), 'b', 'a word that begins with a'],
])('[error.plain-words] %s: %#', (name, schema, value, message) => {
  expect(said(of(schema, name), { [name]: value })).toEqual([`${name}: ${message}`]);
});

test('[error.plain-words] an unknown key is reported together with the known keys', () => {
  const schema = z.strictObject({ name: z.string(), limit: z.int().optional() });
  expect(said(schema, { name: 'a', nam: 1 })).toEqual([
    ': found the unknown key "nam", allowed name, limit; did you mean "name"?',
  ]);
  expect(said(z.strictObject({}), { a: 1, b: 2 })).toEqual([': found the unknown keys "a", "b", allowed no key']);
});

test("[error.plain-words] a schema's own words name what is allowed, and the answer what was found", () => {
  const rising = z.array(z.int()).refine(([first = 0, second = 1]) => first < second, 'stages that rise');
  const schema = z.object({
    stages: rising,
    name: z.string().regex(/^[a-z]+$/, 'letters'),
    password: z.uuid('a UUID'),
  });
  const value = { stages: [5, 5], name: 'B', password: 'hunter2' };
  const issues = schema.safeParse(value, { error: describeIssue }).error?.issues ?? [];
  expect(issues.map((issue) => issueWords(issue, value))).toEqual([
    'found a list of 2 entries, allowed stages that rise',
    'found "B", allowed letters',
    'found a string (not shown), allowed a UUID',
  ]);
  const missing = schema.safeParse({}, { error: describeIssue }).error?.issues ?? [];
  expect(issueWords(missing[0]!, {})).toBe('found nothing, allowed a list');
});

test('[error.plain-words] problem messages end like sentences, and a question keeps its question mark', () => {
  expect(problemSentence(['a: found 0', 'b: found "x"'])).toBe('a: found 0; b: found "x".');
  expect(problemSentence(['a: found "x"; did you mean "y"?'])).toBe('a: found "x"; did you mean "y"?');
});

test('[error.plain-words] for a union only the intended alternative is reported', () => {
  const schema = of(z.union([z.string(), z.strictObject({ of: z.array(z.int().max(3)) })]));
  expect(said(schema, { x: { of: [4] } })).toEqual(['x.of.0: found 4, allowed a whole number, at most 3']);
});

test('[error.plain-words] the error for a discriminator lists the allowed values', () => {
  const schema = z.discriminatedUnion('type', [
    of(z.int()).extend({ type: z.literal('p') }),
    z.object({ type: z.literal('q') }),
  ]);
  expect(said(schema, { type: 'z' })).toEqual(['type: found "z", allowed p, q']);
});

test('[error.plain-words] an invalid entry name is reported with a description of the allowed names', () => {
  expect(said(z.record(z.string().regex(/^a/, 'a word with a'), z.int()), { b: 1 })).toEqual([
    'b: found "b", allowed a name that is a word with a',
  ]);
});

test.each([
  ['api_keys', 'sk-live'],
  ['password', 'hunter2'],
  ['authorization', 'Bearer abc'],
  ['url', 'https://user:pass@example.com'],
])('[error.plain-words] a value that may contain a secret is not repeated: %s', (name, value) => {
  expect(said(of(z.int(), name), { [name]: value })).toEqual([
    `${name}: found a string (not shown), allowed a whole number`,
  ]);
});

test('[error.plain-words] every message about a schema error uses this wording', () => {
  const files = ['core', 'features', 'adapters', 'lambdas', 'bin', 'operator'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  const without = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /\.error\.issues|\{ issues/.test(text) && !/kernel\/issue-words\.ts/.test(text);
  });
  // The message names only the member.
  expect(without).toEqual(['features/github-votes/delivery.ts']);
});
