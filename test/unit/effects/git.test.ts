/** Calls to a Git host: normalised files, branches and repositories, and missing ones. */
import fc from 'fast-check';
import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { gitEffects } from '#core/effects/git.ts';
import type { Effects } from '#core/effects/ports.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { runs } from '../../support/extent.ts';
import { anything, object, readCases, rows, text, texts } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/effects/git.yaml',
  z.strictObject({
    byForce: rows(text, object),
    otherRepositories: z.array(object),
    takenForAnother: texts,
    onePath: texts,
    names: rows(text, object, texts),
    parts: rows(text, object, anything),
  }),
);

const read = (tool: string, parameters: Record<string, unknown> = {}, more: Partial<ToolCall> = {}): Effects =>
  gitEffects({ protocol: 'git', tool: `scm.${tool}`, target: 'acme/web', capability: 'write', parameters, ...more });
const shown = ({ parts }: Effects): unknown[][] =>
  parts.map(({ capability, parameters: { path, branch, default_branch } }) => [
    capability,
    path,
    branch ?? default_branch,
  ]);

test('each part is one file on one branch', () => {
  expect(
    read('create_or_update_file', { path: './src//a.ts', branch: 'refs/heads/fix', message: 'm', content: 'c' }),
  ).toEqual({
    parts: [
      {
        protocol: 'git',
        tool: 'scm.create_or_update_file',
        target: 'acme/web',
        capability: 'write',
        parameters: { path: 'src/a.ts', branch: 'fix', message: 'm', repository: 'acme/web' },
      },
    ],
    carrier: false,
  });
});

describe('[effects.git-branches]', () => {
  const decision = (tool: string, conditions: ToolRule['arguments'] & {}, parameters: Record<string, unknown>) => {
    const rules: ToolRule[] = [{ protocol: 'git', tool: `scm.${tool}`, arguments: conditions, decision: 'allow' }];
    const policy = compilePolicy({ name: 'p', default_decision: 'review', rules });
    const call: ToolCall = {
      protocol: 'git',
      tool: `scm.${tool}`,
      target: 'acme/web',
      capability: 'write',
      parameters,
    };
    return decideEffects(policy, call, gitEffects(call)).decision;
  };
  const labels = { 'labels[*]': { in: ['bug', 'docs'] } };
  const files = { 'files[*].path': { glob: 'docs/**' } };
  test.each([
    ['create_issue', labels, { labels: ['bug', 'docs'] }, 'allow'],
    ['create_issue', labels, { labels: ['bug', 'urgent'] }, 'review'],
    ['create_issue', { 'a.b': { max: 5 } }, { a: { b: 3 } }, 'allow'],
    ['create_issue', { 'a.b': { max: 5 } }, { a: { b: 9 } }, 'review'],
    ['add_comment', { body: { max_length: 4000 } }, { body: 'x'.repeat(3000) }, 'allow'],
    ['add_comment', { body: { max_length: 4000 } }, { body: 'x'.repeat(5000) }, 'review'],
    // File and branch names are evaluated in the spelling that the host uses.
    ['push_files', files, { branch: 'b', files: [{ path: 'docs/../src/a' }] }, 'review'],
    ['push', { 'refspecs[*]': { glob: 'feature/*' } }, { refspecs: ['feature/x:main'] }, 'review'],
    // A flag keeps the value that was read.
    ['push', { force: { equals: 'no' }, 'labels[*]': { equals: 'x' } }, { force: 'no', labels: ['x'] }, 'allow'],
    ['push', { force: { equals: 'yes' }, 'labels[*]': { equals: 'x' } }, { force: 'yes', labels: ['x'] }, 'review'],
  ])('%s with conditions %j and parameters %j: %4$s', (tool, conditions, parameters, expected) => {
    expect(decision(tool, conditions, parameters)).toBe(expected);
  });
});

test.each(cases.parts)('%s %j', (tool, parameters, parts) => {
  const effects = read(tool, parameters);
  expect(shown(effects).map((part) => part.map((value) => value ?? null))).toEqual(parts);
  expect(effects.unclear).toBeUndefined();
});

test.each(cases.byForce)('%s %j is a force push', (tool, parameters) => {
  for (const part of read(tool, parameters).parts) expect(part.parameters.force).toBe(true);
});

test('there is no force push without a force option', () => {
  for (const parameters of [{ force: false }, { force: 'no' }, { args: ['--follow-tags'] }])
    expect(read('push', parameters).parts[0]!.parameters.force).not.toBe(true);
});

test.each(cases.names)('%s %j is %s', (target, parameters, repositories) => {
  const { parts, unclear } = read('get_commit', parameters, { target });
  expect(parts.map((part) => part.target)).toEqual(repositories);
  expect(unclear).toBeUndefined();
});

test.each(cases.otherRepositories)('[effects.git-branches] %j names a repository other than acme/web', (parameters) => {
  expect(read('push_files', { ...parameters, branch: 'b' }).unclear).toContain('more than one repository');
});

test.each([
  ...['//refs/heads/main', '/refs/heads/main', 'refs/Heads/main', 'HEADS/main'].map((name) => [name, 'main']),
  ...['refs//heads//main', 'release//1', 'a/.b', '.main', 'main.lock', 'main.', '-main'].map((name) => [name, true]),
  ...['fix', 'fix/heads/main', 'v1.2', 'a-b', 'heads', 'Agent/x', 'a.locked/b'].map((name) => [name, name]),
])('[effects.git-branches] the branch %s is read as %s', (branch, expected) => {
  expect(shown(read('commit', { branch }))).toEqual([['write', undefined, expected]]);
});

test.each([...cases.takenForAnother, ...['GITHUB~1/a', 'a/b:c']])(
  '[effects.git-branches] %s is a path that some file systems treat as a different path',
  (path) => {
    expect(read('commit', { branch: 'b', path }).unclear).toContain('file systems');
  },
);

test.each(cases.onePath)('[effects.git-branches] %s is the same path on every file system', (path) => {
  expect(read('commit', { branch: 'b', path }).unclear).toBeUndefined();
});

test('if a call has two repositories, both are named', () => {
  const { parts, unclear } = read('push_files', { owner: 'evil', repo: 'x', branch: 'b' });
  expect(parts.map(({ target }) => target).sort()).toEqual(['acme/web', 'evil/x']);
  expect(unclear).toContain('more than one repository');
});

test.each([
  ['../../etc/passwd', '../../etc/passwd', 'climbs'],
  ['a/../../b', '../b', 'climbs'],
  ['.github%2Fworkflows/ci.yml', '.github/workflows/ci.yml', 'escaped'],
  ['.github\\workflows\\ci.yml', '.github/workflows/ci.yml', 'escaped'],
  ['/.github/workflows/ci.yml', '.github/workflows/ci.yml', undefined],
])('the path %s is read as %s', (path, normal, why) => {
  const { parts, unclear } = read('create_or_update_file', { path, branch: 'b' });
  expect(parts[0]!.parameters.path).toBe(normal);
  if (why === undefined) expect(unclear).toBeUndefined();
  else expect(unclear).toContain(why);
});

test('file contents are not copied into the effects', () => {
  const { parts } = read('push_files', { branch: 'b', files: [{ path: 'a', content: 'secret' }], content: 'secret' });
  expect(JSON.stringify(parts)).not.toContain('secret');
});

test('every call has parts or is unclear', () => {
  const keys = fc.constantFrom('path', 'files', 'branch', 'ref', 'owner', 'repo', 'force', 'refspec', 'tree', 'args');
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.dictionary(keys, fc.jsonValue()), (tool, target, parameters) => {
      const { parts, unclear } = read(tool, parameters, { target });
      expect(parts.length > 0 || unclear !== undefined).toBe(true);
    }),
    { numRuns: runs(1_000, 150) },
  );
});

test('a checkout writes no branch; a push without a branch may write any branch', () => {
  expect(shown(read('git_checkout', { branch_name: 'main' }))).toEqual([['write', undefined, undefined]]);
  expect(shown(read('git_push', { remote: 'origin' }))).toEqual([['write', undefined, true]]);
  expect(shown(read('checkout_and_push', { branch_name: 'main' }))).toEqual([['write', undefined, 'main']]);
});
