/** The target of a call, derived from its arguments. */

import * as z from 'zod';
import { targetArgument, targetFromArguments } from '#core/policy/classification/target.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { object, readCases, rows, text } from '../../../support/yaml.ts';

const cases = readCases('test/unit/policy/classification/target.yaml', z.strictObject({ targets: rows(object, text) }));

test.each(cases.targets)('[action.class] arguments %j give the target %j', (args, target) => {
  expect(targetFromArguments(args)).toBe(target);
});

test('configured arguments form the target, whatever their names', () => {
  expect(targetFromArguments({ path: 'x', project: 'web', id: '7' }, ['project', 'id'])).toBe('web/7');
});

test('[limit.hostile] finding the target argument of a tool with many properties parses each name only once', () => {
  const names = Array.from({ length: 50 }, (_, n) => `property${n}`);
  const lower = jest.spyOn(String.prototype, 'toLowerCase');
  expect(targetArgument([...names, 'filePath'])).toBe('file_path');
  const reads = lower.mock.calls.length;
  lower.mockRestore();
  // Names from earlier tests are cached.
  expect(reads).toBeGreaterThanOrEqual(50);
  expect(reads).toBeLessThanOrEqual(51);
});

test.each([
  ['parseHTTPResponse', 'parse http response'],
  ['HTTPServer', 'http server'],
  ['ABcDEFg', 'a bc de fg'],
  ['AAAA', 'aaaa'],
  ['readFile2Write', 'read file 2 write'],
  ['get_secret-value', 'get secret value'],
])('%s is split into the words %s', (name, words) => {
  expect(wordsIn(name).join(' ')).toBe(words);
});
