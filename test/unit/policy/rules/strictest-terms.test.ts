/** Several review rules for one call: an approval needs the strictest terms of all of them. */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide, termsOf } from '#core/policy/rules/decide.ts';
import { call, policyOf } from './deciding.ts';

describe('[approval.strictest-terms] several review rules that apply to one call', () => {
  const rule = (
    tool: string,
    approval?: ToolRule['approval'],
    decision: ToolRule['decision'] = 'review',
  ): ToolRule => ({
    protocol: '*',
    tool,
    decision,
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

  test('a requirement from any level applies, in any order', () => {
    expect(ofLevels(publish(passkey), publish(quick))).toEqual(strict);
    expect(ofLevels(publish(quick), publish(passkey))).toEqual(strict);
    expect(ofLevels([rule('*', undefined, 'allow')], publish(quick), publish(passkey))).toEqual(strict);
    expect(ofLevels([], publish(quick), publish(passkey))).toEqual(strict);
    expect(ofLevels(publish(), publish(passkey))).toEqual({ require_passkey: true, times: [undefined, 900] });
  });

  test('a rule that does not review or does not match requires nothing', () => {
    expect(ofLevels([rule('scm.publish', passkey, 'allow')], publish(quick))).toEqual({
      require_passkey: false,
      times: [60],
    });
    expect(ofLevels(publish(quick), [rule('other', passkey)])).toMatchObject({ require_passkey: false });
    expect(ofLevels([], [rule('other', passkey)])).toBeUndefined();
  });

  test('an easily approved first command in a shell line does not remove the passkey required for the second', () => {
    const policy = compilePolicy(policyOf(rule('shell.mktemp', quick), rule('shell.terraform', passkey)));
    const part = (tool: string) => ({ protocol: 'shell', tool, target: 'x', capability: 'execute', parameters: {} });
    const line = (...tools: string[]) =>
      termsOf(
        decideEffects(policy, part('shell.run'), {
          parts: tools.map(part),
          carrier: true,
          signals: [],
        } as unknown as Parameters<typeof decideEffects>[2]),
      );
    expect(line('shell.mktemp', 'shell.terraform')).toEqual(strict);
    expect(line('shell.terraform', 'shell.mktemp')).toEqual(strict);
    expect(line('shell.mktemp', 'shell.mktemp')).toEqual({ require_passkey: false, times: [60] });
  });
});
describe('[approval.strictest-terms] a rule that may or may not apply', () => {
  const passkey = { require_passkey: true, timeout_seconds: 900 };
  const onSource = (over: Partial<ToolRule> = {}): ToolRule => ({
    protocol: 'git',
    tool: 'scm.publish',
    arguments: { to: { source: 'trusted' } },
    decision: 'review',
    approval: passkey,
    ...over,
  });
  const publish = (parameters: object, ...rules: ToolRule[]) =>
    decide(compilePolicy(policyOf(...rules)), call({ tool: 'scm.publish', parameters: { ...parameters } }));
  const later: ToolRule = { protocol: 'git', tool: 'scm.*', decision: 'review', approval: { timeout_seconds: 60 } };

  test('adds its requirements to the approval, and its timeout also ends the approval', () => {
    const unclear = publish({ to: 'x' }, onSource());
    expect(unclear.matched_rule).toBe('provenance:unclear');
    expect(termsOf(unclear)).toEqual({ require_passkey: true, times: [undefined, 900] });
    const ruled = publish({ to: 'x' }, onSource(), later);
    expect(ruled.matched_rule).toBe('git:scm.*');
    expect(termsOf(ruled)).toEqual({ require_passkey: true, times: [60, 900] });
    const second = publish({ to: 'x' }, onSource({ approval: { timeout_seconds: 30 } }), onSource(), later);
    expect(termsOf(second)).toEqual({ require_passkey: true, times: [60, 30, 900] });
  });

  test('is ignored if it does not review, certainly does not apply, or follows the deciding rule', () => {
    const allowing = onSource({ decision: 'allow' });
    expect(termsOf(publish({ to: 'x' }, allowing))).toBeUndefined();
    expect(termsOf(publish({}, onSource(), later))).toMatchObject({ require_passkey: false });
    expect(termsOf(publish({ to: 'x' }, later, onSource()))).toEqual({ require_passkey: false, times: [60] });
  });

  test('[approval.strictest-terms] a redacted value is assumed to match any value in an argument, other text or the target', () => {
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
    // The actual values of the call decide.
    expect(asks(secret, { parameters: { password: digest }, withheld: undefined })).toBe(false);
  });
});
test('[identity.organizations] a level can only tighten, and its rule never replaces a stricter default', () => {
  const level = (decision: ToolRule['decision']) => compilePolicy({ ...policyOf({ decision }), name: 'level' });
  const own = (default_decision: ToolRule['decision'], decision: ToolRule['decision']) =>
    decide({ ...compilePolicy({ ...policyOf(), default_decision }), levels: [level(decision)] }, call());
  expect(own('block', 'review')).toMatchObject({ decision: 'block', matched_rule: 'default' });
  expect(own('review', 'allow')).toMatchObject({ decision: 'review', matched_rule: 'default' });
  // If the decisions are equal, the rule's decision is reported.
  expect(own('block', 'block')).toMatchObject({ decision: 'block', matched_rule: '*:*', policy: 'test' });
  expect(own('allow', 'allow')).toMatchObject({ decision: 'allow', matched_rule: 'default' });
  expect(own('allow', 'review')).toMatchObject({ decision: 'review', matched_rule: '*:*' });
});
