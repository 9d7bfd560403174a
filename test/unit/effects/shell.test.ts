/** How shell text becomes effects: its words, grammar, redirections and working directory. */

import * as z from 'zod';
import { resolveAt } from '#core/effects/paths.ts';
import { orUndefined, readCases, rows, text, texts } from '../../support/yaml.ts';
import { run, told } from './shell-lines.ts';

const cases = readCases(
  'test/unit/effects/shell.yaml',
  z.strictObject({
    words: rows(text, texts),
    unknownWords: texts,
    grammar: rows(text, orUndefined(texts)),
    uncertain: texts,
    redirections: rows(text, texts),
    folders: rows(text, texts),
    joined: rows(text, text, text),
  }),
);

describe('words', () => {
  test.each(cases.words)('%j → %j', (line, effects) => {
    expect([told(line), run(line).unclear]).toEqual([effects, undefined]);
  });

  test.each(cases.unknownWords)('the value of %j is known only at run time', (line) =>
    expect(run(line).unclear).toBeDefined(),
  );

  test('a wildcard with a known ending is parsed with certainty', () => {
    expect(run('cat src/*.test.ts').unclear).toBeUndefined();
  });
});
describe('grammar', () => {
  test.each(cases.grammar)('%j reads %j', (line, files) => {
    const read = run(line)
      .parts.filter(({ tool, target }) => tool === 'shell.cat' && target !== '')
      .map(({ target }) => target);
    if (files === undefined) expect(run(line).unclear).toBeDefined();
    else expect(read.sort()).toEqual(files);
  });

  test.each(cases.uncertain)('%j is not parsed with certainty', (line) => {
    expect(run(line).unclear).toEqual(expect.stringMatching(/^[a-z$(["[]/));
  });
});
describe('redirections', () => {
  test.each(cases.redirections)('%j → %j', (line, effects) =>
    expect([told(line), run(line).unclear]).toEqual([effects, undefined]),
  );
});
describe('the working directory', () => {
  test.each(cases.folders)('%s → %j', (line, effects) => expect(told(line).sort()).toEqual([...effects].sort()));

  test('the call’s working directory is applied first', () => {
    expect(told('cat b', { cwd: '/etc' })).toEqual(['read cat /etc/b']);
    expect(run('git -C d status', { cwd: 'a' }).parts[0]?.parameters.cwd).toBe('a/d');
  });

  test.each(cases.joined)('%j joined with %j gives %j', (cwd, path, place) => expect(resolveAt(cwd, path)).toBe(place));
});
