/** The read tools of the common Git host MCP server by their bare names, and similar tools that make changes. */

import * as z from 'zod';
import { everydayDecider } from '../support/everyday-tool-calls.ts';
import { object, readCases, rows, text } from '../support/yaml.ts';

const here = { owner: 'acme', repo: 'web' };
const table = rows(text, object);
const { reading, changing } = readCases(
  'test/policies/git-host-reads.yaml',
  z.strictObject({ reading: table, changing: table }),
);

describe.each(['readonly', 'pr-writer', 'coding-agent'] as const)('[pack.shipped] %s', (pack) => {
  const decide = everydayDecider(pack);
  test.each(reading)('%s %j is allowed', async (tool, more) => {
    expect(await decide({ server: 'github', tool, hint: 'read', arguments: { ...here, ...more } as never })).toBe(
      'allow',
    );
  });
  test.each(changing)('%s %j is not allowed', async (tool, more) => {
    expect(await decide({ server: 'github', tool, arguments: { ...here, ...more } as never })).not.toBe('allow');
  });
});
