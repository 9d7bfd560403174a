/** Shell lines that show a secret file's name, size or date, and similar ones that may show its contents. */

import * as z from 'zod';
import { readPolicyFile, simulator } from '../../bin/agentctl/policy-file.ts';
import { callOfLine } from '../support/decide-line.ts';
import { readCases, texts } from '../support/yaml.ts';

const { names, contents, opened } = readCases(
  'test/policies/secret-names.yaml',
  /** Names of files; `opened` lists names that another command opens. */
  z.strictObject({ names: texts, contents: texts, opened: texts }),
);

describe.each(['coding-agent', 'pr-writer'])('[policy.secret-files] under %s', (pack) => {
  let decide: ReturnType<typeof simulator>;
  beforeAll(async () => {
    decide = simulator(await readPolicyFile(`policies/${pack}.yaml`));
  });
  /** Returns the lines that get a different decision. */
  const others = async (all: readonly string[], expected: string): Promise<readonly string[]> => {
    const decided = await Promise.all(
      all.map(async (line) => [line, (await decide(callOfLine(line))).decision] as const),
    );
    return decided.filter(([, decision]) => !expected.includes(decision)).map((each) => each.join(' → '));
  };

  test('a line that shows only names, sizes and counts is allowed', async () => {
    expect(await others(names, 'allow')).toEqual([]);
  });

  test('a line that may show contents is blocked', async () => {
    expect(await others(contents, 'block')).toEqual([]);
  });

  test('a line that may open the file it names is not allowed', async () => {
    expect(await others(opened, 'review or block')).toEqual([]);
  });
});
