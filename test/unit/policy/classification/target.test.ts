/** What a call acts on, by its arguments. */
import { targetArgument, targetFromArguments } from '#core/policy/classification/target.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

test.each([
  [{ owner: 'acme', repo: 'site', path: 'a.md' }, 'acme/site'],
  [{ path: 'a.md', url: 'http://x' }, 'a.md'],
  [{ file_path: 'a.md' }, 'a.md'],
  [{ filePath: 'a.md' }, 'a.md'],
  [{ 'file-path': 'a.md' }, 'a.md'],
  [{ absolute_path: '/a.md' }, '/a.md'],
  [{ target_file: 'a.md' }, 'a.md'],
  [{ notebookPath: 'a.ipynb' }, 'a.ipynb'],
  [{ paths: ['a.md'] }, 'a.md'],
  [{ paths: ['a.md', 'b.md'] }, ''],
  [{ target: 't', path: 'p' }, 't'],
  [{ command: 'ls -l' }, 'ls -l'],
  [{ query: 'SELECT 1\nFROM t' }, ''],
  [{ path: 7 }, ''],
  [{}, ''],
])('[action.same-class-everywhere] %j acts on %j', (args, target) => {
  expect(targetFromArguments(args)).toBe(target);
});

test('arguments the configuration names are the target whatever they are called', () => {
  expect(targetFromArguments({ path: 'x', project: 'web', id: '7' }, ['project', 'id'])).toBe('web/7');
});

test('[limit.hostile] the target argument of a tool with many properties: each name is read once', () => {
  const names = Array.from({ length: 50 }, (_, n) => `property${n}`);
  const lower = jest.spyOn(String.prototype, 'toLowerCase');
  expect(targetArgument([...names, 'filePath'])).toBe('file_path');
  const reads = lower.mock.calls.length;
  lower.mockRestore();
  // Names of earlier tests are remembered.
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
])('%s has the words %s', (name, words) => {
  expect(wordsIn(name).join(' ')).toBe(words);
});
