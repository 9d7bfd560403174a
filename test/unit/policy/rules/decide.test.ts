/** First match wins, arguments, and failing closed. */

import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { suggestAlternative } from '#core/policy/rules/alternative.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { explain } from '#core/policy/rules/explain.ts';
import { flag, object, readCases, rows, text } from '../../../support/yaml.ts';
import { call, policyOf } from './deciding.ts';

const cases = readCases(
  'test/unit/policy/rules/decide.yaml',
  z.strictObject({ predicates: rows(text, object, object, flag) }),
);

test('[policy.first-match] the first matching rule decides, and the default decides if none matches', () => {
  const policy = compilePolicy(
    policyOf(
      { protocol: 'git', tool: 'scm.get_*', capability: 'write', decision: 'block', reason: 'no' },
      { protocol: 'git', tool: 'scm.get_*', decision: 'allow' },
      { decision: 'block', tool: 'scm.*' },
    ),
  );
  expect(decide(policy, call())).toMatchObject({
    decision: 'allow',
    matched_rule: 'git:scm.get_*',
    rule_index: 1,
    policy: 'test',
  });
  expect(decide(policy, call({ capability: 'write' }))).toMatchObject({ decision: 'block', reason: 'no' });
  expect(decide(policy, call({ tool: 'scm.x', protocol: 'mcp' }))).toMatchObject({ matched_rule: '*:scm.*' });
  expect(decide(policy, call({ tool: 'other' }))).toEqual({
    decision: 'review',
    matched_rule: 'default',
    policy: 'test',
  });
});
describe('[policy.arguments] arguments', () => {
  const holds = (path: string, predicate: ArgumentPredicate, parameters: Record<string, unknown>): boolean =>
    decide(compilePolicy(policyOf({ arguments: { [path]: predicate }, decision: 'allow' })), call({ parameters }))
      .decision === 'allow';

  test.each(cases.predicates)('%s %j on %j is %s', (path, predicate, parameters, expected) => {
    expect(holds(path, predicate, parameters)).toBe(expected);
  });
});
test('[policy.upstream] a rule for one server applies only to calls on that server', () => {
  const policy = compilePolicy({
    name: 'u',
    default_decision: 'review',
    rules: [
      { protocol: 'mcp', tool: 'read', upstream: 'Files', decision: 'allow' },
      { protocol: 'mcp', tool: 'drop', upstream: '*', decision: 'block' },
      { protocol: 'mcp', tool: 'list', upstream: 'web-*', decision: 'allow' },
    ],
  });
  const of = (tool: string, upstream?: string) => {
    const call = { protocol: 'mcp', tool, target: '', capability: 'read', parameters: {}, upstream };
    return [decide(policy, call).decision, explain(policy, call)[0]?.failed];
  };
  expect(of('read', 'files')).toEqual(['allow', undefined]);
  expect(of('read', 'web')).toEqual(['review', { field: 'upstream', expected: 'Files', found: 'web' }]);
  expect(of('read')).toEqual(['review', { field: 'upstream', expected: 'Files', found: '' }]);
  expect([of('drop')[0], of('drop', 'files')[0]]).toEqual(['block', 'block']);
  expect([of('list', 'web-1')[0], of('list', 'files')[0], of('list')[0]]).toEqual(['allow', 'review', 'review']);
});
test('[policy.fails-closed] a call that cannot be parsed is blocked', () => {
  const policy = compilePolicy(policyOf({ decision: 'allow' }));
  const target = `docs/%${'25'.repeat(20)}2e`;
  expect(decide(policy, call({ target }))).toMatchObject({ decision: 'block', matched_rule: 'default' });
  expect(decide(policy, { ...call(), target: undefined } as unknown as ToolCall)).toMatchObject({
    decision: 'block',
    matched_rule: 'default',
  });
});
test('an ambiguous target is allowed only if all its readings are allowed', () => {
  const policy = compilePolicy(policyOf({ target: 'docs/**', decision: 'allow' }));
  expect(decide(policy, call({ target: 'docs/a\\b' })).decision).toBe('allow');
  expect(decide(policy, call({ target: 'src/%2e%2e/docs/a' })).decision).toBe('review');
  expect(decide(policy, call({ target: 'd\u043ecs/a' })).decision).toBe('review');
});
test('an invalid glob is reported together with its rule', () => {
  expect(() => compilePolicy(policyOf({ decision: 'allow' }, { tool: 'a{', decision: 'allow' }))).toThrow(
    /rules\[1\]\.tool: .*"a\{"/,
  );
});
test('[policy.simulate] explain names the first condition that failed', () => {
  const policy = compilePolicy(
    policyOf(
      { protocol: 'shell', decision: 'block' },
      { target: 'docs/**', decision: 'allow' },
      { arguments: { a: { equals: 1 } }, decision: 'allow' },
      { decision: 'review' },
      { decision: 'block' },
    ),
  );
  expect(explain(policy, call()).map(({ matched, failed }) => [matched, failed?.field, failed?.found])).toEqual([
    [false, 'protocol', 'git'],
    [false, 'target', 'acme/web'],
    [false, 'arguments.a', 'absent'],
    [true, undefined, undefined],
  ]);
});
describe('the suggested alternative', () => {
  test('[action.block] is the smallest change that the policy would allow', () => {
    const policy = compilePolicy(
      policyOf(
        { target: 'docs/secret/**', decision: 'block' },
        { target: 'docs/**', capability: 'write', decision: 'allow' },
        { tool: 'scm.list_*', decision: 'allow' },
        { decision: 'block' },
      ),
    );
    expect(suggestAlternative(policy, call({ capability: 'write' }))).toBe(
      'With target like docs/example (docs/**) the call would be allowed (rule *:*).',
    );
    expect(suggestAlternative(policy, call({ target: 'docs/secret/a' }))).toContain('capability write');
  });

  test("is the rule's own text if it has one", () => {
    const policy = compilePolicy(policyOf({ decision: 'block', suggested_alternative: 'Ask Alice.' }));
    expect(suggestAlternative(policy, call())).toBe('Ask Alice.');
  });

  test.each([
    ['a tool that shares the family alone', { tool: 'shell.pytest' }, 'shell.rm', {}],
    [
      'a tool without what the call is about',
      { tool: 'shell.run_tests', arguments: { command: { absent: true } } },
      'shell.run',
      { command: 'rm -rf build' },
    ],
  ])('[action.block] %s counts as a different action, not an alternative', (_what, allowed, tool, parameters) => {
    const policy = compilePolicy(policyOf({ ...allowed, decision: 'allow' }, { decision: 'block' }));
    const said = suggestAlternative(policy, call({ protocol: 'shell', tool, parameters, capability: 'execute' }));
    expect(said).toContain('Policy test has no rule that allows');
  });

  test('[action.block] a tool that shares a word besides the tool family is an alternative', () => {
    const policy = compilePolicy(
      policyOf({ tool: 'scm.create_pull_request', decision: 'review' }, { decision: 'block' }),
    );
    expect(suggestAlternative(policy, call({ tool: 'scm.merge_pull_request', capability: 'write' }))).toContain(
      'tool scm.create_pull_request the call would go to a human',
    );
  });

  test('says that there is no similar alternative', () => {
    const policy = compilePolicy(
      policyOf({ protocol: 'git', decision: 'block' }, { protocol: 'sql', decision: 'allow' }),
    );
    expect(suggestAlternative(policy, call())).toBe(
      'Policy test has no rule that allows git tool scm.get_file or a similar call. It covers SQL. Ask a person to do this step.',
    );
    const closed = compilePolicy(policyOf({ decision: 'block' }));
    expect(suggestAlternative(closed, call())).toContain('or a similar call. It allows nothing. Ask a person');
  });

  test('[action.block] has the fewest changes, or is listed first among equals', () => {
    const near = { protocol: 'git', decision: 'allow' } as const;
    const policy = compilePolicy(
      policyOf(
        { ...near, target: 'docs/**', capability: 'write' },
        { ...near, target: 'tests/**' },
        { ...near, target: 'notes/**' },
        { decision: 'block' },
      ),
    );
    expect(suggestAlternative(policy, call())).toContain('With target like tests/');
  });

  test('[action.block] suggests omitting a parameter that the rule does not allow', () => {
    const policy = compilePolicy(
      policyOf({ arguments: { force: { absent: true } }, decision: 'allow' }, { decision: 'block' }),
    );
    expect(suggestAlternative(policy, call({ parameters: { force: true, path: 'a' } }))).toBe(
      'With no parameter force the call would be allowed (rule *:*).',
    );
  });
});

test('[identity.organizations] a review added by a level keeps the credential of the tenant’s own rule and its upstream', () => {
  const credential = { broker: 'scm', scope: 'contents:read', ttl_seconds: 600 };
  const own = policyOf({ tool: 'scm.*', decision: 'allow', credential, upstream: 'github' });
  const bare = policyOf({ tool: 'scm.*', decision: 'allow', credential });
  const levels = [
    { path: 'acme', rules: [{ protocol: '*', tool: 'scm.*', decision: 'review' as const, upstream: '*' }] },
  ];
  const decided = (document: typeof own) =>
    decide(compilePolicy({ ...document, levels }), call({ upstream: 'github' }));
  expect(decided(own)).toMatchObject({ decision: 'review', rule: { credential, upstream: 'github' } });
  expect(decided(bare).rule).toMatchObject({ credential });
  expect(decided(bare).rule).not.toHaveProperty('upstream');
});
