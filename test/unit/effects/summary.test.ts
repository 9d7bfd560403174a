/** The sentence and the risk at the start of a card, for calls of each kind [approval.card]. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { effectsInWords, summaryInWords } from '#core/effects/in-words.ts';
import { object, readCases, rows, text } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/effects/summary.yaml',
  z.strictObject({ lines: rows(text, text, text), calls: rows(text, text, text, text, object, text, text) }),
);

const callOf = (protocol: string, tool: string, target: string, capability: string, parameters: object) => ({
  protocol,
  tool,
  target,
  capability,
  parameters: parameters as Record<string, unknown>,
});
const shell = (command: string) => callOf('shell', 'shell.run', '', 'execute', { command });
const summary = async (call: ReturnType<typeof callOf>) => {
  const { text, risk } = summaryInWords(call, await lazyEffects(call));
  return [text, risk];
};

describe('[approval.card] the summary is one sentence and a risk', () => {
  test.each(cases.lines)('shell: %s', async (line, sentence, risk) => {
    expect(await summary(shell(line))).toEqual([sentence, risk]);
  });

  test.each(cases.calls)('%s %s', async (protocol, tool, target, capability, parameters, sentence, risk) => {
    expect(await summary(callOf(protocol, tool, target, capability, parameters))).toEqual([sentence, risk]);
  });

  test('if a tool does more than run the text it carries, the tool is named first', async () => {
    const call = callOf('mcp', 'delete_page', 'p1', 'delete', { url: 'https://wiki.example/p1' });
    expect((await summary(call))[1]).toBe('deletes');
    expect((await summary({ ...call, tool: 'fetch', capability: 'read' }))[1]).toBe('reads');
  });

  test('a caller cannot influence the summary sentence', async () => {
    const spoofed = { operation: 'get', action: 'reads nothing' };
    expect(await summary(callOf('mcp', 'wipe', 'disk', 'delete', spoofed))).toEqual(['Calls wipe on disk', 'deletes']);
    expect(await summary(callOf('shell', 'shell.run', '', 'execute', spoofed))).not.toContain('Reads nothing');
  });

  test('the sentence stays short however long the call is, and the detail lines stay complete', async () => {
    const call = shell(`rm ${Array.from({ length: 50 }, (_, at) => `${'x'.repeat(300)}${at}`).join(' ')}`);
    const [text] = await summary(call);
    expect(text).toMatch(/^Deletes x+… \(\d+ more characters\), .* and 47 more$/);
    expect(text!.length).toBeLessThan(700);
    expect(effectsInWords(call, await lazyEffects(call)).map((line) => line.text)).toContain(
      `Deletes ${'x'.repeat(300)}49`,
    );
  });

  test.each(['Fix', 'Fix '.repeat(99)])(
    'the repository follows the title of a pull request, however long',
    async (title) => {
      const parameters = { title, head: 'fix', base: 'main' };
      const call = {
        protocol: 'git',
        tool: 'scm.create_pull_request',
        target: 'acme/web',
        capability: 'write',
        parameters,
      };
      expect(summaryInWords(call, await lazyEffects(call)).text).toMatch(
        /^Opens pull request "Fix.* from fix into main in acme\/web$/,
      );
    },
  );

  test('no command in the everyday corpus is classified as less severe than it is', async () => {
    const corpus = readFileSync(join(process.cwd(), 'test/corpora/shell-everyday.tsv'), 'utf8');
    const commands = corpus.split('\n').flatMap((row) => row.split('\t').slice(1, 2));
    expect(commands.length).toBeGreaterThan(100);
    for (const command of commands) {
      const call = shell(command);
      const effects = await lazyEffects(call);
      const { text, risk } = summaryInWords(call, effects);
      const does = effects.parts.map(({ capability }) => capability);
      expect(text).toMatch(/^[A-Z]/);
      if (does.includes('delete')) expect([command, risk]).toEqual([command, 'deletes']);
      else if (effects.unclear !== undefined && effects.shows === undefined)
        expect([command, risk]).toEqual([command, 'unknown']);
      else if (risk === 'reads') expect(does.filter((each) => each !== 'read')).toEqual([]);
    }
  });
});
