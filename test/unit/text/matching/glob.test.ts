/** The glob language and its cost on hostile input. */

import * as z from 'zod';
import { GatewayError } from '#core/kernel/errors.ts';
import { compileGlob, globMatches } from '#core/text/matching/glob.ts';
import { flag, readCases, rows, text } from '../../../support/yaml.ts';

const cases = readCases('test/unit/text/matching/glob.yaml', z.strictObject({ globs: rows(text, text, flag) }));

const matches = (pattern: string, text: string): boolean => compileGlob(pattern, 'text').matches(text);

test.each(cases.globs)('[policy.globs] %s on %s is %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test('[policy.case-folding] names are case-insensitive on both sides, and text is case-sensitive', () => {
  expect(globMatches('SCM.Get_*', 'scm.GET_file')).toBe(true);
  expect(matches('README*', 'readme.md')).toBe(false);
});

test.each(['{a', 'a}', '[a', '[]', 'a\\', '[z-a]'])('refuses %s and lists the allowed patterns', (pattern) => {
  expect(() => compileGlob(pattern, 'text')).toThrow(GatewayError);
  expect(() => compileGlob(pattern, 'text')).toThrow(/Allowed: \*, \*\*/);
});

test('matching 4 kB of text against many stars finishes without trying every combination', () => {
  const glob = compileGlob('**/*a*b*a*b*a*b*c', 'text');
  expect(glob.matches('ab/'.repeat(1365))).toBe(false);
  expect(glob.matches('ab'.repeat(2048))).toBe(false);
});
