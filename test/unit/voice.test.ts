/** The `npm run voice` checker, which `npm run check` runs over the repository. */
import { commentsAndTexts, docFindings, findings, risenHabits } from '../../bin/voice.ts';

describe('text that is checked as prose', () => {
  const names = (path: string, text: string) => findings(path, text).map(({ rule, line }) => `${rule.name}:${line}`);

  test.each([
    ['a document', 'x.md', 'Fine.\nThis is no list.', ['is-no:2']],
    ['a comment', 'x.ts', '/** Nobody asks. */', ['nobody:1']],
    ['a comment at the end of a line', 'x.ts', 'f(); // whoever comes', ['whoever:1']],
    ['the text of an error', 'x.ts', "throw new Error('The id is no UUID.');", ['is-no:1']],
    ['a person without a role', 'x.ts', '// No one reads it.\n// What anyone sends.\n', ['nobody:1', 'nobody:2']],
    ['the console', 'console/x.tsx', '/** Whoever votes. */', ['whoever:1']],
    ['the operator', 'operator/x.ts', '// whoever wrote it', ['whoever:1']],
    ['the title of a test', 'test/x.test.ts', "test.each([1])(\n  'it is begun anew', () => {});", ['anew:2']],
    ['a role that a title does not name', 'test/x.test.ts', `test${'('}'lets nobody in', () => {});`, ['nobody:1']],
    ['a verb that a title does not use', 'test/x.test.ts', `test${'('}'waits as told', () => {});`, ['told:1']],
    ['a text over two lines', 'x.ts', 'const a = `one\nwhoever is second`;', ['whoever:2']],
  ])('%s', (_, path, text, expected) => {
    expect(names(path, text)).toEqual(expected);
  });

  test.each([
    ['code of a document', 'x.md', '`nobody` and\n```\nnobody\n```\n'],
    ['an identifier', 'x.ts', 'const nobody = told(anew);'],
    ['what a test gives', 'test/x.test.ts', "test('fine', () => f('this is no list'));"],
    ['the id of a behaviour in a title', 'test/x.test.ts', `test('${'['}a.asks-anew] fine', () => {});`],
    ['a name in quotes', 'x.ts', "const user = 'nobody';"],
    ['the harmless neighbour', 'x.md', 'There is no key. It is no longer valid; the answer is no.'],
  ])('not %s', (_, path, text) => {
    expect(names(path, text)).toEqual([]);
  });

  test('line numbers are preserved', () => {
    expect(commentsAndTexts('const a = 1;\n// two words more\n').split('\n')[1]).toContain('two words more');
  });
});

describe('doc comments', () => {
  test.each([
    ['a function', 'function-doc', '/** The digest. */\nexport async function digestOf(text: string) {'],
    ['an arrow function', 'function-doc', '/**\n * What is left.\n */\nconst restOf = (a: number): number => a;'],
    ['a method', 'function-doc', '  /** Entries of a page. */\n  async read(page: Page): Promise<Entry[]> {'],
    ['a type', 'type-doc', '/** How a call ends. */\nexport type Ending = string;'],
  ])('%s with the wrong opening is reported', (_, name, text) => {
    expect(docFindings('core/x.ts', text).map(({ rule, line }) => `${rule.name}:${line}`)).toEqual([`${name}:1`]);
  });

  test.each([
    ['a function that begins with a verb', '/** Returns the digest. */\nexport function digestOf(text: string) {'],
    ['a callback', '/** Called once. */\n  done(): void;'],
    ['a type', '/** Ending of a call. */\nexport type Ending = string;'],
    ['a value', '/** The largest size. */\nconst most = (2 + 3) * 4;'],
    ['a component of the console', '/** A line of text. */\nexport function Line() {'],
    ['the header of a file', '/** The first sentence. */\n\nfunction next() {'],
  ])('%s passes', (_, text) => {
    expect(docFindings('core/x.ts', text)).toEqual([]);
  });
});

test('the number of style findings in a file may go down but not up', () => {
  const once = '/** What is left beside it. */';
  expect(risenHabits('core/x.ts', '', once).map(({ rule }) => rule.name)).toEqual(['what', 'beside']);
  expect(risenHabits('core/x.ts', once, once)).toEqual([]);
  expect(risenHabits('core/x.ts', once, `${once}\n// Where it is, nothing is.`)).toMatchObject([{ line: 2 }]);
});
