/** Completion scripts: generated from the commands, run by the shells on this machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { Home } from './support.ts';

const home = new Home();
afterAll(() => home.remove());
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

const script = async (shell: string): Promise<string> => {
  const { code, out } = await home.run(['completion', shell]);
  expect(code).toBe(0);
  return home.write(`agentctl.${shell}`, out);
};

const cases: readonly (readonly [string[], string[]])[] = [
  [['ev'], ['evidence']],
  [['evidence', 'ex'], ['export']],
  [['evidence', 'export', '--se'], ['--session']],
  [['--json', 'pend'], ['pending']],
  [['approve', 'abc', '--rev'], ['--reviewer']],
  [['no-such-command', 'pend'], ['pending']],
];

(has('bash') ? test : test.skip)('[cli.typo] bash completes commands, subcommands and options', async () => {
  const file = await script('bash');
  for (const [words, expected] of cases) {
    const line = `source ${file}; COMP_WORDS=(agentctl "$@"); COMP_CWORD=$#; _agentctl; echo "\${COMPREPLY[*]}"`;
    const out = execFileSync('bash', ['-c', line, 'bash', ...words], { encoding: 'utf8' });
    expect([words, out.trim().split(' ')]).toEqual([words, expected]);
  }
});

test.each([[['foo']], [['list']], [['status', '--nope']]])(
  '[cli.typo] %j is not near any name, so no other is suggested',
  async (words) => {
    const { code, err } = await home.run(words);
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: unknown (?:command|option) '[^']+'\n+Add --help/)]);
  },
);

test('[cli.typo] a misspelled command or option gets a three-line message that suggests the intended one', async () => {
  for (const [words, meant] of [
    [['pendng'], 'pending'],
    [['evidence', 'exprt'], 'export'],
    [['pending', '--limt', '3'], '--limit'],
  ] as const) {
    const { code, err, out } = await home.run([...words]);
    expect([code, out]).toEqual([2, '']);
    const lines = err
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    expect(lines).toEqual([
      expect.stringMatching(/^error: unknown (command|option)/),
      `(Did you mean ${meant}?)`,
      'Add --help to see commands, options and examples.',
    ]);
  }
});
