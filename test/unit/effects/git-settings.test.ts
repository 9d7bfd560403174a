/** Git settings that may be changed without review: those that run no program and do not affect later pushes. */

import * as z from 'zod';
import { flag, readCases, rows, text, texts } from '../../support/yaml.ts';
import { run } from './shell-lines.ts';

const cases = readCases(
  'test/unit/effects/git-settings.yaml',
  z.strictObject({ steering: texts, running: texts, harmless: texts, seen: rows(text, flag) }),
);

const forms: [name: string, line: (key: string, value: string) => string][] = [
  ['git config', (key, value) => `git config '${key}' '${value}'`],
  ['git config --global', (key, value) => `git config --global '${key}' '${value}'`],
  ['git config --add', (key, value) => `git config --add '${key}' '${value}'`],
  ['git config --replace-all', (key, value) => `git config --local --replace-all '${key}' '${value}'`],
  ['git config set', (key, value) => `git config set '${key}' '${value}'`],
  ['git -c', (key, value) => `git -c '${key}=${value}' status`],
];

describe.each(forms)('[effects.git-settings] %s', (_name, line) => {
  const unclear = (setting: string) => {
    const [key = '', ...value] = setting.split(' ');
    return run(line(key, value.join(' '))).unclear;
  };
  test.each([...cases.steering, ...cases.running])('setting %s needs a review', (setting) =>
    expect(unclear(setting)).toBeDefined(),
  );
  test.each(cases.harmless)('%s is not', (setting) => expect(unclear(setting)).toBeUndefined());
});

test.each(cases.seen)('[effects.git-settings] %s needs a review: %s', (line, seen) => {
  expect(run(line).unclear !== undefined).toBe(seen);
});
