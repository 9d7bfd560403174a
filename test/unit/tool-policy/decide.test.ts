/** First match wins, arguments, and failing closed. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ArgumentPredicate, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { suggestAlternative } from '#core/tool-policy/alternative.ts';
import { compilePolicy } from '#core/tool-policy/compile.ts';
import { decide, termsOf } from '#core/tool-policy/decide.ts';
import { explain } from '#core/tool-policy/explain.ts';

const policyOf = (...rules: (Partial<ToolRule> & Pick<ToolRule, 'decision'>)[]): ToolPolicyDocument => ({
  name: 'test',
  default_decision: 'review',
  rules: rules.map((rule) => ({ protocol: '*', tool: '*', ...rule })),
});
const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
  protocol: 'git',
  tool: 'scm.get_file',
  target: 'acme/web',
  capability: 'read',
  parameters: {},
  ...fields,
});

test('[policy.first-match] [policy.matched-rule] the first matching rule decides; none leaves the default', () => {
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

  test.each<[string, ArgumentPredicate, Record<string, unknown>, boolean]>([
    ['a.b', { equals: 1 }, { a: { b: 1 } }, true],
    ['a.b', { equals: 1 }, { 'a.b': 1 }, false],
    ['a', { in: ['x', null] }, { a: null }, true],
    ['a', { equals: null }, {}, false],
    ['a', { glob: ['x/**', 'y'] }, { a: 'x/../x/z' }, true],
    ['a', { glob: 'x/**' }, { a: 'x/../../z' }, false],
    ['a', { not_glob: 'x*' }, { a: 5 }, true],
    ['a', { glob: 'x', not_glob: 'x' }, { a: 'x' }, false],
    ['a', { min: 1, max: 3 }, { a: 3 }, true],
    ['a', { min: 1, max: 3 }, { a: '2' }, false],
    ['a', { max_length: 2 }, { a: '😀😀' }, true],
    ['a', { max_length: 2 }, { a: 'abc' }, false],
    ['a', { max_length: 2 }, { a: 1 }, false],
    ['a', { glob: '*' }, { a: 1 }, false],
    ['a', { glob: '*', max_length: 2 }, { a: 1 }, false],
    ['a', { min: 1 }, { a: 1 }, true],
    ['a', { min: 1 }, { a: 0.5 }, false],
    ['a', { max: 3 }, { a: 3.5 }, false],
    ['a', { absent: true }, {}, true],
    ['a', { absent: true }, { a: 1 }, false],
    ['a', { absent: true, glob: 'x' }, {}, true],
    ['a', { absent: true, glob: 'x' }, { a: 'x' }, true],
    ['a', { absent: false }, {}, false],
    ['l[*]', { glob: 'x*' }, { l: ['x1', 'x2'] }, true],
    ['l[*]', { glob: 'x*' }, { l: ['x1', 'y'] }, false],
    ['l[*]', { glob: 'x*' }, { l: [] }, false],
    ['l[*].n', { equals: 1 }, { l: [{ n: 1 }, {}] }, false],
    ['l[?]', { glob: 'x*' }, { l: ['y', 'x'] }, true],
    ['**', { glob: 'x' }, { deep: [{ x: 1 }] }, true],
    ['**', { glob: 'x' }, { deep: ['y'] }, false],
    ['__proto__', { absent: false }, {}, false],
    ['constructor.name', { absent: false }, {}, false],
  ])('%s %j on %j is %s', (path, predicate, parameters, expected) => {
    expect(holds(path, predicate, parameters)).toBe(expected);
  });
});

test('[policy.upstream] a rule for one server holds for its calls alone', () => {
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

test('[policy.fails-closed] what cannot be evaluated is blocked', () => {
  const policy = compilePolicy(policyOf({ decision: 'allow' }));
  const target = `docs/%${'25'.repeat(20)}2e`;
  expect(decide(policy, call({ target }))).toMatchObject({ decision: 'block', matched_rule: 'default' });
  expect(decide(policy, { ...call(), target: undefined } as unknown as ToolCall)).toMatchObject({
    decision: 'block',
    matched_rule: 'default',
  });
});

test('a doubtful target is allowed only if every reading is', () => {
  const policy = compilePolicy(policyOf({ target: 'docs/**', decision: 'allow' }));
  expect(decide(policy, call({ target: 'docs/a\\b' })).decision).toBe('allow');
  expect(decide(policy, call({ target: 'src/%2e%2e/docs/a' })).decision).toBe('review');
  expect(decide(policy, call({ target: 'd\u043ecs/a' })).decision).toBe('review');
});

test('a bad glob names the rule', () => {
  expect(() => compilePolicy(policyOf({ decision: 'allow' }, { tool: 'a{', decision: 'allow' }))).toThrow(
    /rules\[1\]\.tool: .*"a\{"/,
  );
});

test('[policy.why] explain names the first condition that failed', () => {
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
  test('[action.block.alternative-from-policy] is the nearest change the policy would let pass', () => {
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

  test("is the rule's own text where it has one", () => {
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
  ])(
    '[action.block.alternative-from-policy] %s is another action, no alternative',
    (_what, allowed, tool, parameters) => {
      const policy = compilePolicy(policyOf({ ...allowed, decision: 'allow' }, { decision: 'block' }));
      const said = suggestAlternative(policy, call({ protocol: 'shell', tool, parameters, capability: 'execute' }));
      expect(said).toContain('Policy test has no rule that allows');
    },
  );

  test('[action.block.alternative-from-policy] a tool that shares a word beside the family is one', () => {
    const policy = compilePolicy(
      policyOf({ tool: 'scm.create_pull_request', decision: 'review' }, { decision: 'block' }),
    );
    expect(suggestAlternative(policy, call({ tool: 'scm.merge_pull_request', capability: 'write' }))).toContain(
      'tool scm.create_pull_request the call would go to a human',
    );
  });

  test('says so when nothing is near', () => {
    const policy = compilePolicy(
      policyOf({ protocol: 'git', decision: 'block' }, { protocol: 'sql', decision: 'allow' }),
    );
    expect(suggestAlternative(policy, call())).toBe(
      'Policy test has no rule that allows git tool scm.get_file or a similar call. It has rules for: sql. Ask an administrator to add a rule.',
    );
    const closed = compilePolicy(policyOf({ decision: 'block' }));
    expect(suggestAlternative(closed, call())).toContain('or a similar call. It allows nothing. Ask an administrator');
  });

  test('[action.block.alternative-from-policy] of several the one with the fewest changes, then the first', () => {
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

  test('[action.block.alternative-from-policy] a parameter that a rule does not take can be left out', () => {
    const policy = compilePolicy(
      policyOf({ arguments: { force: { absent: true } }, decision: 'allow' }, { decision: 'block' }),
    );
    expect(suggestAlternative(policy, call({ parameters: { force: true, path: 'a' } }))).toBe(
      'With no parameter force the call would be allowed (rule *:*).',
    );
  });
});

describe('[approval.strictest-terms] several rules that review a call', () => {
  const rule = (
    tool: string,
    approval?: ToolRule['approval'],
    decision: ToolRule['decision'] = 'review',
  ): ToolRule => ({
    ...{ protocol: '*', tool, decision },
    ...(approval && { approval }),
  });
  const passkey = { require_passkey: true, timeout_seconds: 900 };
  const quick = { timeout_seconds: 60 };
  type Terms = ReturnType<typeof termsOf>;
  const strict = { require_passkey: true, times: expect.arrayContaining([60, 900]) };

  const ofLevels = (own: ToolRule[], ...levels: ToolRule[][]): Terms => {
    const document = { ...policyOf(...own), levels: levels.map((rules, at) => ({ path: `acme/l${at}`, rules })) };
    return termsOf(decide(compilePolicy(document), call({ tool: 'scm.publish' })));
  };
  const publish = (approval?: ToolRule['approval']) => [rule('scm.publish', approval)];

  test('of levels: what one of them asks for holds, whichever decided first', () => {
    expect(ofLevels(publish(passkey), publish(quick))).toEqual(strict);
    expect(ofLevels(publish(quick), publish(passkey))).toEqual(strict);
    expect(ofLevels([rule('*', undefined, 'allow')], publish(quick), publish(passkey))).toEqual(strict);
    expect(ofLevels([], publish(quick), publish(passkey))).toEqual(strict);
    expect(ofLevels(publish(), publish(passkey))).toEqual({ require_passkey: true, times: [undefined, 900] });
  });

  test('and nothing is asked for by a rule that does not review, or by no rule', () => {
    expect(ofLevels([rule('scm.publish', passkey, 'allow')], publish(quick))).toEqual({
      ...{ require_passkey: false, times: [60] },
    });
    expect(ofLevels(publish(quick), [rule('other', passkey)])).toMatchObject({ require_passkey: false });
    expect(ofLevels([], [rule('other', passkey)])).toBeUndefined();
  });

  test('of the effects of a line: a first command that anyone approves does not take the passkey off the second', () => {
    const policy = compilePolicy(policyOf(rule('shell.mktemp', quick), rule('shell.terraform', passkey)));
    const part = (tool: string) => ({ protocol: 'shell', tool, target: 'x', capability: 'execute', parameters: {} });
    const line = (...tools: string[]) =>
      termsOf(
        decideEffects(policy, part('shell.run'), {
          ...{ parts: tools.map(part), carrier: true, signals: [] },
        } as unknown as Parameters<typeof decideEffects>[2]),
      );
    expect(line('shell.mktemp', 'shell.terraform')).toEqual(strict);
    expect(line('shell.terraform', 'shell.mktemp')).toEqual(strict);
    expect(line('shell.mktemp', 'shell.mktemp')).toEqual({ require_passkey: false, times: [60] });
  });
});

describe('[approval.strictest-terms] a rule of which it is not known whether it holds', () => {
  const passkey = { require_passkey: true, timeout_seconds: 900 };
  const onSource = (over: Partial<ToolRule> = {}): ToolRule => ({
    ...{ protocol: 'git', tool: 'scm.publish', arguments: { to: { source: 'trusted' } }, decision: 'review' },
    ...{ approval: passkey, ...over },
  });
  const publish = (parameters: object, ...rules: ToolRule[]) =>
    decide(compilePolicy(policyOf(...rules)), call({ tool: 'scm.publish', parameters: { ...parameters } }));
  const later: ToolRule = { protocol: 'git', tool: 'scm.*', decision: 'review', approval: { timeout_seconds: 60 } };

  test('asks of the approval as one that holds; the time of the configuration ends it as well', () => {
    const unclear = publish({ to: 'x' }, onSource());
    expect(unclear.matched_rule).toBe('provenance:unclear');
    expect(termsOf(unclear)).toEqual({ require_passkey: true, times: [undefined, 900] });
    const ruled = publish({ to: 'x' }, onSource(), later);
    expect(ruled.matched_rule).toBe('git:scm.*');
    expect(termsOf(ruled)).toEqual({ require_passkey: true, times: [60, 900] });
    const second = publish({ to: 'x' }, onSource({ approval: { timeout_seconds: 30 } }), onSource(), later);
    expect(termsOf(second)).toEqual({ require_passkey: true, times: [60, 30, 900] });
  });

  test('and nothing where it does not review, certainly does not hold, or stands behind the rule that decides', () => {
    const allowing = onSource({ decision: 'allow' });
    expect(termsOf(publish({ to: 'x' }, allowing))).toBeUndefined();
    expect(termsOf(publish({}, onSource(), later))).toMatchObject({ require_passkey: false });
    expect(termsOf(publish({ to: 'x' }, later, onSource()))).toEqual({ require_passkey: false, times: [60] });
  });

  test('[approval.terms-now] a digest may be any value, in an argument, in a text and in the target', () => {
    const digest = { redacted: 'sha256-salted', digest: 'ab', salt_id: 'cd' };
    const asks = (rule: Partial<ToolRule>, over: object) =>
      termsOf(
        decide(
          compilePolicy(policyOf(onSource({ arguments: {}, ...rule }), { ...later, tool: 'scm.publish' })),
          call({ tool: 'scm.publish', withheld: true, ...over }),
        ),
      )?.require_passkey;
    const secret = { arguments: { password: { glob: 'correct*' } } };
    expect(asks(secret, { parameters: { password: digest } })).toBe(true);
    expect(asks(secret, { parameters: { password: 'wrong [redacted:ab:cd]' } })).toBe(true);
    expect(asks(secret, { parameters: { password: 'wrong', token: digest } })).toBe(false);
    expect(asks({ arguments: { '**': { glob: 'x*' } } }, { parameters: { token: digest } })).toBe(true);
    expect(asks({ target: 'acme/secret' }, { target: 'acme/[redacted:ab:cd]' })).toBe(true);
    expect(asks({ target: 'acme/secret' }, { target: 'acme/shop' })).toBe(false);
    // Calls are decided by what they say.
    expect(asks(secret, { parameters: { password: digest }, withheld: undefined })).toBe(false);
  });
});

test('[identity.level-policies] a level tightens, and its rule never takes the place of a graver default', () => {
  const level = (decision: ToolRule['decision']) => compilePolicy({ ...policyOf({ decision }), name: 'level' });
  const own = (default_decision: ToolRule['decision'], decision: ToolRule['decision']) =>
    decide({ ...compilePolicy({ ...policyOf(), default_decision }), levels: [level(decision)] }, call());
  expect(own('block', 'review')).toMatchObject({ decision: 'block', matched_rule: 'default' });
  expect(own('review', 'allow')).toMatchObject({ decision: 'review', matched_rule: 'default' });
  // Among equal decisions the one of a rule stands.
  expect(own('block', 'block')).toMatchObject({ decision: 'block', matched_rule: '*:*', policy: 'test' });
  expect(own('allow', 'allow')).toMatchObject({ decision: 'allow', matched_rule: 'default' });
  expect(own('allow', 'review')).toMatchObject({ decision: 'review', matched_rule: '*:*' });
});
