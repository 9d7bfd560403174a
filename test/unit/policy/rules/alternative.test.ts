/** Suggested changes to a refused call: only similar calls that the policy allows. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { suggestAlternative } from '#core/policy/rules/alternative.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';

const policyOf = (
  rules: readonly Partial<ToolRule>[],
  other: Partial<ToolPolicyDocument> = {},
): ToolPolicyDocument => ({
  name: 'test',
  default_decision: 'block',
  rules: rules.map((rule) => ({ protocol: '*', tool: '*', decision: 'allow', ...rule })),
  ...other,
});
const asked: ToolCall = {
  protocol: 'git',
  tool: 'scm.get_file_contents',
  target: 'acme/web',
  capability: 'read',
  parameters: {},
};
const said = (rules: readonly Partial<ToolRule>[], call: Partial<ToolCall> = {}): string =>
  suggestAlternative(compilePolicy(policyOf(rules)), { ...asked, ...call });
const nothing = 'or a similar call';

test.each<[string, string, string, boolean]>([
  ['the same family and a word beside it', 'scm.get_file_contents', 'scm.get_repo', true],
  ['the same family alone', 'scm.get_file_contents', 'scm.list_repos', false],
  ['the same words in another family', 'scm.get_file_contents', 'hub.get_file_contents', false],
  ['no family, two words', 'get-file', 'get-file-list', false],
  ['words parted by other signs', 'scm/get-file', 'scm/get_repo', false],
])('[action.block] whether a tool with %s is suggested', (_what, tool, offered, near) => {
  const text = said([{ tool: offered }], { tool });
  expect(text.includes(`With tool ${offered} the call would be allowed`)).toBe(near);
  expect(text.includes(nothing)).toBe(!near);
});

test('[action.block] the tool that shares more words is considered more similar', () => {
  const rules = [{ tool: 'scm.get_repo' }, { tool: 'scm.get_file' }, { tool: 'scm.get_user' }];
  expect(said(rules)).toContain('With tool scm.get_file the call');
  // Equally similar: the first is suggested.
  const tied = [{ tool: 'scm.get_repo' }, { tool: 'scm.get_file', capability: 'write' }];
  expect(said(tied)).toContain('With tool scm.get_repo the call');
  expect(said([...tied].reverse())).toContain('With tool scm.get_file and capability write');
});

test('[action.block] a different tool on a different target is not a similar call', () => {
  expect(said([{ tool: 'scm.get_repo', target: 'acme/docs' }])).toContain(nothing);
  expect(said([{ tool: 'scm.get_repo', capability: 'write' }])).toContain('tool scm.get_repo and capability write');
  expect(said([{ tool: 'scm.get_*', target: 'acme/docs' }])).toContain('With target acme/docs the call');
});

test('[action.block] a different tool is not a similar call if a parameter is omitted as well', () => {
  const rule = { arguments: { force: { absent: true } } };
  const parameters = { force: true };
  expect(said([{ ...rule, tool: 'scm.get_repo' }], { parameters })).toContain(nothing);
  expect(said([{ ...rule, tool: 'scm.get_*' }], { parameters })).toBe(
    'With no parameter force the call would be allowed (rule *:scm.get_*).',
  );
});

test('[action.block] omitting several parameters can be suggested, but adding one cannot', () => {
  const both = { arguments: { 'force.now': { absent: true }, all: { absent: true } } };
  const parameters = { force: { now: 1 }, all: 1, path: 'a' };
  expect(said([both], { parameters })).toContain('With no parameter force, all the call');
  expect(said([{ arguments: { all: { absent: true }, mode: { equals: 'safe' } } }], { parameters })).toContain(nothing);
});

test('[action.block] a rule for another protocol suggests no alternative', () => {
  expect(said([{ protocol: 'sql', capability: 'write' }])).toContain(nothing);
  expect(said([{ protocol: '{sql,git}', capability: 'write' }])).toContain('With capability write');
});

test('[action.block] an allowed alternative is suggested before one that needs review', () => {
  const write = { capability: 'write', decision: 'review' } as const;
  expect(said([write, { target: 'docs' }])).toContain('With target docs the call would be allowed');
  expect(said([write])).toContain('With capability write the call would go to a human');
  const reviewed = policyOf([{ target: 'docs' }, { capability: 'write', decision: 'block' }], {
    default_decision: 'review',
  });
  expect(suggestAlternative(compilePolicy(reviewed), asked)).toContain('does not block scm.get_file_contents itself');
});

test('[action.block] a call that an earlier rule blocks is not suggested', () => {
  const refused = { target: 'docs/**', decision: 'block' } as const;
  expect(said([refused, { target: 'docs/a' }])).toContain(nothing);
  expect(said([refused, { target: 'docs/a' }, { target: 'src/a' }])).toContain('With target src/a');
});

test('[action.block] if the obvious target is blocked, another target that matches the rule is suggested', () => {
  const refused = { target: 'acme/web', decision: 'block' } as const;
  expect(said([refused, { target: 'acme/*' }])).toContain('With target like acme/');
});

test('[action.block] a call that cannot be parsed still gets a suggestion', () => {
  expect(said([{ target: 'docs' }], { target: `%${'25'.repeat(20)}2e` })).toBe(
    'Policy test has no rule that allows git tool scm.get_file_contents or a similar call. It covers all protocols. Ask a person to do this step.',
  );
});

test('[action.block] for a call blocked by a guard, the suggestion does not claim that no rule allows the tool', () => {
  const policy = policyOf([{ tool: 'scm.get_*' }], {
    guards: [{ name: 'secret-files', reason: 'The call names a secret.', paths: ['.env'] }],
  });
  const text = (target: string) => suggestAlternative(compilePolicy(policy), { ...asked, target });
  expect(text('.env')).toBe(
    'The guard secret-files blocks something that this call names, and no rule can override a guard. Make the call without it, or ask a person to do this step.',
  );
  expect(said([{ tool: 'hub.other' }])).toContain(nothing);
});

test('[action.block] if the default is allow, the block is attributed to the rule that made it', () => {
  const policy = policyOf([{ tool: 'scm.get_*', decision: 'block' }], { default_decision: 'allow' });
  expect(suggestAlternative(compilePolicy(policy), asked)).toBe(
    'Policy test blocks this call with its own rule (*:scm.get_*); a call that no rule matches is allowed. Ask a person to do this step.',
  );
});

test('[action.block] a call that the rules allow is not described as lacking a rule', () => {
  const allowing = said([{ tool: 'scm.get_*' }]);
  expect(allowing).toBe(
    'Policy test does not block scm.get_file_contents itself, but what this call would do with it, as the reason says. ' +
      'Make the call without that, or ask a person to do this step.',
  );
  // A rule for other tools is not an alternative if the call is blocked because of its effect.
  expect(said([{ tool: 'scm.get_*', decision: 'review' }, { tool: 'scm.get_repo' }])).not.toContain('With tool');
  expect(said([{ tool: 'scm.put_*' }])).toContain(nothing);
});
