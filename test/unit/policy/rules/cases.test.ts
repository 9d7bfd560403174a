/** Rows of a decision table: errors, and the sources of values. */
import { readYaml } from '#core/configuration/load/yaml.ts';
import { sourceKey } from '#core/contracts/provenance.ts';
import { mismatch, parseCases, sourcesOfCase } from '#core/policy/rules/cases.ts';

const row = { protocol: 'shell', tool: 'shell.rm', target: 'build', capability: 'delete', decision: 'block' };

test.each([
  ['no rows', [], 'table.yaml: found no rows; expected a list of calls, each with its decision.'],
  ['no list', { rows: [row] }, 'table.yaml: found no rows; expected a list of calls, each with its decision.'],
  [
    'a decision that is none',
    [row, { ...row, decision: 'deny' }],
    'row 2 decision: found "deny", allowed allow, review, block',
  ],
  ['a row that is no call', ['shell.rm'], 'row 1: found "shell.rm", allowed an object'],
])('[cli.config-check] a table with %s is refused, and the error names the position', (_what, table, said) => {
  expect(() => parseCases(table, 'table.yaml')).toThrow(said);
});

test('[cli.config-check] a row can have every member of a call, and can list sources by path', () => {
  const whole = { ...row, upstream: 'files', parameters: { a: 'b' }, from: { a: 'user' }, why: 'x', matched_rule: '*' };
  expect(parseCases([whole], 'table.yaml')).toEqual([whole]);
  expect(() => parseCases([{ ...row, from: { '': 'user' } }], 'table.yaml')).toThrow('table.yaml: row 1 from');
  expect(() => parseCases([{ ...row, unknown: 1 }], 'table.yaml')).toThrow('table.yaml: row 1');
});

test('[cli.config-check] mistakes are reported with their line and a suggested spelling', () => {
  const { value, lineOf } = readYaml(
    `- { protocol: shell, tool: shell.rm, target: a, capability: delete, decision: block }
- protocol: shell
  target: a
  tool: shell.ls
  capability: raed
  decsion: allow
`,
    'table.yaml',
  );
  expect(() => parseCases(value, 'table.yaml', lineOf)).toThrow(
    new RegExp(
      [
        '^table.yaml: row 2 \\(line 5\\) capability: found "raed", allowed read, .*; did you mean "read"\\?',
        'table.yaml: row 2 \\(line 2\\) decision: found nothing, allowed allow, review, block',
        'table.yaml: row 2 \\(line 6\\) decsion: found an unknown key, allowed .*; did you mean "decision"\\?$',
      ].join('\n'),
    ),
  );
});

test('[cli.config-check] a row fails if the decision differs or a different rule made it', () => {
  const [parsed] = parseCases([{ ...row, matched_rule: 'shell:shell.rm' }], 'table.yaml');
  expect(mismatch(parsed!, { decision: 'block', matched_rule: 'shell:shell.rm' })).toBeUndefined();
  expect(mismatch(parsed!, { decision: 'allow', matched_rule: '*:*' })).toBe('expected block, got allow by *:*');
  expect(mismatch(parsed!, { decision: 'block', matched_rule: '*:*' })).toBe('expected rule shell:shell.rm, got *:*');
});

describe('[cli.config-check] sources of a case row', () => {
  test('are empty if the row names none', () => {
    expect(sourcesOfCase({ parameters: { to: 'a@x.example' } })).toEqual({});
  });

  test('are those that the row names; parameter names have no source, and other values have an unknown source', () => {
    const { sources } = sourcesOfCase({
      parameters: { mail: { to: 'a@x.example', tags: ['red'] }, subject: 'Hello' },
      from: { 'mail.to': ['tool:scm.get', 'address:trusted'] },
    });
    const of = (value: string) => sources?.[sourceKey(value)];
    for (const name of ['mail', 'to', 'tags', 'subject']) expect(of(name)).toEqual({ whole: [], parts: [] });
    for (const value of ['Hello', 'red']) expect(of(value)).toEqual({ whole: ['unknown'], parts: [] });
    expect(of('a@x.example')).toEqual({ whole: ['tool:scm.get'], parts: ['address:trusted'] });
    // The index of a list element is not a value of the call.
    expect(of('0')).toBeUndefined();
  });
});
