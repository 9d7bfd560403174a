/** Which reader handles a call. */

import * as z from 'zod';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import type { EffectReader, Effects } from '#core/effects/ports.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { carriesSql, sqlEffects } from '#core/effects/sql.ts';
import { object, readCases, rows, text, texts } from '../../support/yaml.ts';

const { readersOf, alike } = readCases(
  'test/unit/effects/read.yaml',
  z.strictObject({ readersOf: rows(text, text, object, texts), alike: rows(text, text, object) }),
);

let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

const readers = () => ({ shell: shellEffects, sql: sqlEffects(grammar), http: httpEffects, git: gitEffects });
const read = (call: Partial<ToolCall>): Effects =>
  readEffects(readers())({ protocol: 'mcp', tool: 'x', target: '', capability: 'write', parameters: {}, ...call });
const shown = ({ parts }: Effects): string[] =>
  parts.map(({ protocol, tool, target }) => `${protocol} ${tool} ${target}`);

test.each(readersOf)('%s %s %j', (protocol, tool, parameters, parts) => {
  const effects = read({ protocol, tool, parameters });
  expect(shown(effects)).toEqual(parts);
  expect(effects.unclear).toBeUndefined();
});

test('shell text in other protocols is parsed as a shell command', () => {
  expect(shown(read({ tool: 'run_command', parameters: { command: 'rm -r build' } }))).toEqual([
    'shell shell.rm build',
  ]);
});

test('a call in an unknown form is not split into separate effects', () => {
  for (const call of [
    { tool: 'weather.today', parameters: { city: 'Graz' } },
    { tool: 'search.query', parameters: { query: 'weather' } },
    { tool: 'notes.create', parameters: { text: 'rm -rf', url: 'https://a.example' } },
  ])
    expect(read(call)).toEqual({ parts: [], carrier: false });
});

test('a tool that contains both SQL and shell text is parsed as both', () => {
  const effects = read({ tool: 'db.execute', parameters: { sql: 'drop table a', command: 'rm -r build' } });
  expect(shown(effects).sort()).toEqual(['shell shell.rm build', 'sql sql.drop a']);
});

test('a program in SQL is parsed as a shell command', () => {
  const effects = read({ protocol: 'sql', tool: 'sql.query', parameters: { sql: "copy a to program 'rm -r /data'" } });
  expect(shown(effects)).toContain('shell shell.rm /data');
});

test('a reader that throws an error makes the call unclear', () => {
  const broken: EffectReader = () => {
    throw new Error('broken');
  };
  const effects = readEffects({ ...readers(), git: broken })({
    protocol: 'git',
    tool: 'scm.x',
    target: '',
    capability: 'read',
    parameters: {},
  });
  expect(effects).toMatchObject({ parts: [], carrier: false, unclear: expect.stringContaining('broken') });
});

test('the composed reader loads the grammar only for calls that contain SQL', async () => {
  const of = (call: Partial<ToolCall>) =>
    readCallEffects({ protocol: 'mcp', tool: 'x', target: '', capability: 'write', parameters: {}, ...call });
  expect(shown(await of({ tool: 'postgres.query', parameters: { sql: 'drop table a' } }))).toEqual(['sql sql.drop a']);
  expect(shown(await of({ protocol: 'shell', tool: 'shell.run', parameters: { command: 'rm a' } }))).toEqual([
    'shell shell.rm a',
  ]);
  expect(carriesSql({ protocol: 'sql', tool: 'sql.select', target: 'users', capability: 'read', parameters: {} })).toBe(
    false,
  );
  expect(
    carriesSql({ protocol: 'sql', tool: 'sql.query', target: 'select 1', capability: 'read', parameters: {} }),
  ).toBe(true);
  expect(
    carriesSql({ protocol: 'mcp', tool: 'weather', target: '', capability: 'read', parameters: { city: 'Graz' } }),
  ).toBe(false);
});

test.each(alike)(
  '[effects.alike-names] %s %s %j is unclear because names differ only in case',
  (protocol, tool, parameters) => {
    expect(read({ protocol, tool, parameters }).unclear).toContain('differ only in case');
  },
);

test.each([
  ['http', 'http.post', { url: 'https://api.example/pay', json: { amount: 1, Currency: 'EUR', amounts: [] } }],
  ['mcp', 'ci.start', { env: { http_proxy: 'a', HTTP_PROXY: 'a' }, environment: { Path: 'a', PATH: 'b' } }],
  ['mcp', 'bank.pay', { to: 'Bob', orders: [{ to: 'a' }, { To: 'b' }], note: 'to TO' }],
])('[effects.alike-names] %s %s %j is clear because no names conflict', (protocol, tool, parameters) => {
  expect(read({ protocol, tool, parameters }).unclear).toBeUndefined();
});

test.each([
  ['mcp', 'edit_file', { path: 'src/a.ts', file_path: 'src/b.ts' }],
  ['mcp', 'read_file', { path: 'README.md', targetFile: 'src/b.ts' }],
  ['mcp', 'write_file', { path: 'src/a.ts', filename: 'src/b.ts', content: '' }],
  ['other', 'fs.write', { file_path: 'src/a.ts', 'relative-path': 'src/b.ts' }],
])('[effects.alike-names] %s %s %j is unclear because it names two files', (protocol, tool, parameters) => {
  expect(read({ protocol, tool, parameters }).unclear).toContain('name two files');
});

test.each([
  ['mcp', 'edit_file', { path: 'src/a.ts', file_path: './src/a.ts' }],
  ['mcp', 'move_file', { source: 'src/a.ts', destination: 'src/b.ts' }],
  ['mcp', 'write_file', { path: 'src/a.ts', content: 'path: a, file_path: b', encoding: 'utf8' }],
])('[effects.alike-names] %s %s %j does not conflict on the file', (protocol, tool, parameters) => {
  expect(read({ protocol, tool, parameters }).unclear ?? '').not.toContain('name two files');
});

test('[effects.alike-names] a folder and a file name are combined into one path', () => {
  const parameters = { path: 'docs', filename: 'a.md' };
  expect(read({ tool: 'read_file', capability: 'read', parameters }).unclear).toBeUndefined();
});

test('arguments of a tool named after a command are parsed like the command’s arguments', () => {
  const pathsOf = (tool: string, args: readonly string[]) =>
    read({ tool, parameters: { args } }).parts.flatMap(({ parameters }) => parameters.argument_paths);
  expect(pathsOf('git_log', ['--output=x'])).toEqual(['log --output=x', 'x']);
  expect(pathsOf('kubectl_get', ['pods'])).toEqual(['get pods']);
});
