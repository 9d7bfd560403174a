/** Commands in a shell line, including nested ones: effects and objects. */

import * as z from 'zod';
import { object, readCases, rows, text, texts } from '../../support/yaml.ts';
import { run, told } from './shell-lines.ts';

const cases = readCases(
  'test/unit/effects/shell-commands.yaml',
  z.strictObject({
    asBefore: texts,
    read: rows(text, object),
    deletes: rows(text),
    acts: rows(text, texts),
    programs: rows(text, text),
    uncertain: texts,
    unclearSettings: rows(text, object),
  }),
);

describe('a command inside another command', () => {
  test.each(cases.deletes)('%j deletes', (line) => expect(told(line)).toContain('delete rm a'));

  test('nested command lines are parsed up to eight levels deep', () => {
    const nested = (depth: number): string => (depth === 0 ? 'rm a' : `eval ${JSON.stringify(nested(depth - 1))}`);
    expect(run(nested(3)).unclear).toBeUndefined();
    expect(run(nested(9)).unclear).toBe('command lines are nested more than 8 levels deep');
  });

  test('a program that raises privileges is an additional effect besides its command', () => {
    expect(told('sudo -n ls a')).toEqual(['execute sudo -n ls a', 'read ls a']);
  });

  test.each([
    ['CI=1 ls', { CI: '1' }],
    ['NO_COLOR= ls', { NO_COLOR: '' }],
    ['LANG=C LC_ALL=en_US.UTF-8 ls', { LANG: 'C', LC_ALL: 'en_US.UTF-8' }],
    ['env TZ=Europe/Berlin NODE_ENV=test ls', { TZ: 'Europe/Berlin', NODE_ENV: 'test' }],
  ])('[effects.profiles] %s: variables that only affect the display are listed separately', (line, display) => {
    expect(run(line)).toMatchObject({ parts: [{ parameters: { argv: ['ls'], display } }] });
    expect(run(line).parts.at(-1)?.parameters).not.toHaveProperty('env');
  });

  test.each(cases.asBefore)('[effects.profiles] %s: other values and variables remain in the environment', (line) =>
    expect(run(line).parts.at(-1)?.parameters).toHaveProperty('env'),
  );

  test('variables before a command are kept with it, and those that control programs make the command unclear', () => {
    expect(run('PORT=1 ls').parts[0]?.parameters).toEqual({ argv: ['ls'], env: { PORT: '1' } });
    expect(run('PORT=1 ls').unclear).toBeUndefined();
    for (const name of ['LD_PRELOAD', 'PATH', 'GIT_SSH_COMMAND', 'BASH_ENV', 'IFS', 'PYTHONSTARTUP'])
      expect(run(`${name}=x ls`).unclear).toContain(name);
    expect(run('export PATH=x; ls').unclear).toContain('PATH');
  });
});
describe('commands', () => {
  test.each(cases.acts)('%s → %j', (line, effects) => expect(told(line)).toEqual(effects));

  test.each(cases.programs)('%s: %s', (line, capability) => {
    const git = run(line).parts.find(({ tool, target }) => tool === 'shell.git' && target !== 'x');
    expect([git?.capability, run(line).unclear]).toEqual([capability, undefined]);
  });

  test.each(cases.uncertain)('%s is unclear', (line) => expect(run(line).unclear).toBeDefined());

  test('text that is only printed or searched for is not an effect', () => {
    for (const line of ['grep -n "rm -rf /" a', 'echo rm -rf /', 'git commit -m "rm -rf /"', "sed 's/rm -rf/x/' a"])
      expect(JSON.stringify(run(line).parts)).not.toContain('rm -rf');
  });
});

test.each(cases.unclearSettings)('[effects.git-settings] %s with %j is unclear', (line, more) => {
  expect(run(line, more).unclear).toBeDefined();
});

test.each(cases.read)('[effects.git-settings] %s with %j is clear', (line, more) => {
  expect(run(line, more).unclear).toBeUndefined();
});
