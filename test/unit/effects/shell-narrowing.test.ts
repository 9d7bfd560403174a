/** Commands that apply to everything below a folder, and options that narrow them. */

import * as z from 'zod';
import { isSpecificPattern } from '#core/effects/shell/reach.ts';
import { globsSources, namesFile, namesSources } from '#core/effects/shell/source-names.ts';
import { argOf } from '#core/effects/shell/words.ts';
import { flag, readCases, rows, text } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/effects/shell-narrowing.yaml',
  z.strictObject({
    patterns: rows(text, flag),
    kinds: rows(text, flag),
    names: rows(text, flag),
    wildcards: rows(text, flag),
  }),
);

describe('[effects.profiles] narrowing', () => {
  test.each(cases.patterns)('the pattern %j is specific enough to narrow the lines: %s', (pattern, tells) =>
    expect(isSpecificPattern(argOf(pattern))).toBe(tells),
  );

  test.each(cases.kinds)('the file type %j covers code or prose: %s', (kind, narrow) =>
    expect(namesSources(kind)).toBe(narrow),
  );

  test.each(cases.names)('%j is recognised as a file by its name: %s', (path, isFile) =>
    expect(namesFile(argOf(path))).toBe(isFile),
  );

  test.each(cases.wildcards)('the wildcard %j matches code or prose: %s', (pattern, narrow) =>
    expect(globsSources(pattern)).toBe(narrow),
  );
});
