/** The words of the command line: version, help, usage errors. No test here needs a server. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import packageJson from '#package' with { type: 'json' };
import { readCases } from '../../support/yaml.ts';
import { Home } from './support.ts';

const cases = readCases(
  'test/unit/agentctl/usage.yaml',
  z.strictObject({
    commands: z.array(z.array(z.string())),
    wrong: z.array(z.tuple([z.string(), z.array(z.string()), z.string()])),
  }),
);

const home = new Home();
afterAll(() => home.remove());

test('[cli.version] --version and -v print only the version from package.json', async () => {
  for (const flag of ['--version', '-v']) {
    expect(await home.run([flag])).toEqual({ code: 0, out: `${packageJson.version}\n`, err: '' });
  }
});

test('[cli.typo] the process exits with the command’s exit code and reads its standard input', async () => {
  for (const [args, code] of [
    [['--version'], 0],
    [['config', 'check', home.write('bad.yaml', 'version: 0\n')], 1],
    [['pendng'], 2],
    [['status', '--url', 'http://127.0.0.1:9'], 3],
  ] as const)
    expect([args, await home.start(args)]).toEqual([args, expect.objectContaining({ code })]);
  const { code, out } = await home.start(['hook', 'claude-code'], { stdin: '{"unfinished":' });
  expect([code, JSON.parse(out)]).toMatchObject([0, { hookSpecificOutput: { permissionDecision: 'deny' } }]);
});

test('[cli.typo] output that cannot be written is an error, but a closed pipe is silent', () => {
  const version = `'${process.execPath}' '${join(__dirname, '../../../bin/agentctl.ts')}' --version`;
  const shell = (line: string) => spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  const { status, stderr } = shell(`${version} > /dev/full`);
  expect([status, stderr]).toEqual([1, expect.stringContaining('error: cannot write the output: ENOSPC')]);
  expect(shell(`${version} | true`).stderr).toBe('');
});

test('a value that looks like a program option is still a value', async () => {
  const { code, err } = await home.run(['evidence', 'verify', '--file', '-v']);
  expect([code, err.split('\n')[0]]).toEqual([2, 'error: cannot read -v: there is no such file or folder']);
});

const commands = cases.commands;

/** Runs all lines in one process, since only the output matters. */
async function helpOf(lines: readonly (readonly string[])[]): Promise<string[]> {
  const program = join(__dirname, '../../../bin/agentctl/program.ts');
  const script = `import { main } from ${JSON.stringify(program)};
    for (const words of ${JSON.stringify(lines)}) console.log(await main([...words, '--help']), '====');`;
  const { out } = await home.node(['--input-type=module', '--eval', script]);
  return out.split(' ====\n').slice(0, -1);
}

const verbs =
  `Accept Acknowledge Answer Approve Archive Ask Check Compare Connect Cosign Declare Decide Delete Deny End Evaluate Explain
  Export Fetch Find Forecast Govern Install List Manage Move Pause Print Propose Query Read Rebuild Recommend Release Remove
  Render Resume Revoke Roll Serve Set Show Sign Store Verify Work Write`.split(/\s+/);

test('--help exits 0 for every command and shows its options and examples', async () => {
  const pages = await helpOf(commands);
  expect(pages).toHaveLength(commands.length);
  for (const [index, page] of pages.entries()) {
    const line = ['agentctl', ...commands[index]!].join(' ');
    expect(page).toMatch(new RegExp(`^Usage: ${line}[^]*--json[^]*\n0$`));
    // The description starts with a verb.
    if (commands[index]!.length > 0) expect(verbs).toContain(/\n\n([A-Z][a-z]+)/.exec(page)?.[1]);
    if (!page.includes('Commands:')) expect(page).toContain(`Examples:\n  $ ${line}`);
  }
});

test.each(cases.wrong)('[cli.typo] %s exits 2 and refers to the help', async (_, args, said) => {
  const { code, out, err } = await home.run(args);
  if (args.includes('--json'))
    expect(JSON.parse(out)).toEqual({ error: { type: 'usage', message: expect.any(String) } });
  expect([code, args.includes('--json') || out]).toEqual([2, args.includes('--json') || '']);
  expect(err).toContain(said);
  expect(err).toMatch(/Usage: agentctl|Add --help to see commands/);
  expect(err).not.toMatch(/^\s+at /m);
});
