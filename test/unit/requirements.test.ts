/** Every behaviour has a test, or a reason why it has none yet. */
import { join } from 'node:path';
import { type Requirement, requirements } from '../requirements.ts';
import { citations, problems, testSources } from '../support/requirement.ts';

test('each required behaviour is cited by a test, and no unknown id is cited', () => {
  expect(problems(requirements, testSources(join(__dirname, '../..')))).toEqual([]);
});

describe('the gate itself', () => {
  const must = (name: string): Requirement => ({ id: name, says: 'It works.' });
  const cite = (name: string) => ({ path: 'some.test.ts', text: `test('${`[${name}]`} works', () => {})` });
  const opened = '(';
  const list = '[[';

  test('finds several ids in one title, in any kind of quotes and after test.each', () => {
    const text = `test.each(rows)${opened}"[one.two] [three.four-5] %s", fn); it${opened}\`[five.six] x\`); describe${opened}\n  '[a.b] y'); ${list}'[row.id] z', 1]]`;
    expect(citations(text)).toEqual(['one.two', 'three.four-5', 'five.six', 'a.b', 'row.id']);
  });

  test('ignores skipped tests, todo tests and plain lists', () => {
    const text = `test.skip${opened}'[one.two] x'); xit${opened}'[one.two] x'); test.todo${opened}'[one.two]'); f${opened}['one.two'])`;
    expect(citations(text)).toEqual([]);
  });

  test.each([
    ['an id without a test', [must('one.two')], [], ['no test cites [one.two]']],
    ['an unknown id', [], [cite('one.two')], ['some.test.ts cites the unknown id [one.two]']],
    ['an id listed twice', [must('one.two'), must('one.two')], [cite('one.two')], ['an id is listed twice']],
    ['nothing when all is well', [must('one.two')], [cite('one.two')], []],
  ])('reports %s', (_, list, sources, expected) => {
    expect(problems(list, sources)).toEqual(expected);
  });
});
