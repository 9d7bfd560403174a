/** Diffs and last commits without a path: what they show is accepted by rules that name it, and by no other [effects.shows]. */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';

const unclearRule = 'effects:unclear';

const allowing = (...rules: Partial<ToolRule>[]) =>
  compilePolicy({
    name: 'test',
    default_decision: 'allow',
    guards: [],
    rules: rules.map((rule) => ({ protocol: 'shell', decision: 'allow', ...rule })),
  } as never);
const decided = (command: string, policy: ReturnType<typeof compilePolicy>) => {
  const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
  return decideEffects(policy, call, shellEffects(call));
};
const shows = { shows: { equals: 'changes' } };
const accepting = allowing({ tool: 'shell.git', arguments: shows });

test.each([
  'git diff',
  'git diff --cached',
  'git diff HEAD~1',
  'git diff HEAD^ HEAD',
  'git diff main...HEAD',
  'git -C . diff',
  'git diff HEAD -- .',
  'git log -p -3',
  'git log -3 --patch',
  'git log -p -n 3 HEAD~2',
  'git log --patch --oneline --max-count=9 main',
  'git log -p -1 --no-ext-diff --no-textconv',
  'git show',
  'git show HEAD',
  'git show HEAD^ -U1',
  'git show HEAD~2 -- src',
])('[effects.shows] %j: by a rule that names it, not by one for reading or by the default', (line) => {
  expect(decided(line, accepting).decision).toBe('allow');
  for (const policy of [allowing(), allowing({}), allowing({ tool: 'shell.git', capability: 'read' })])
    expect(decided(line, policy)).toMatchObject({ decision: 'review', matched_rule: unclearRule });
});

test.each([
  'git log -p',
  'git log -p -12',
  'git log -p12',
  'git log -p -0',
  'git log -p -3 -n 12',
  'git log -p --max-count=100',
  'git log -p -n $N',
  'git log -p -3 --skip=500',
  'git log -p -3 --all',
  'git log -p -3 -g',
  'git log -p -3 -S key',
  'git log -p -3 --author=a',
  'git log -p -3 --before=2020-01-01',
  'git log -p -3 --no-merges',
  'git log -p -3 --ext-diff',
  'git log -p -3 --textconv',
  'git log -p -3 -W',
  'git log -p -3 main..HEAD',
  'git log -p -3 v1.0',
  'git log -p -3 HEAD~12',
  'git log -p -3 -- config',
  'git -c core.pager=x log -p -3',
  'git -c log.showSignature=true log -p -3',
  'git whatchanged -p -3',
  'git reflog -p -3',
  'git stash show -p',
  'git show abc1234',
  'git show v1.0',
  'git show HEAD~12',
  'git show main..HEAD',
  'git show :/fix',
  'git show HEAD --format=%G?',
  'git show HEAD -- a b',
  'git diff abc1234',
  'git diff HEAD~12',
  'git diff v1.0',
  'git diff -- a b',
  'git diff -- ../a',
  'git diff --no-index a b',
  'git diff -W',
  'git diff $x',
  'git diff; $x',
  'git diff; cat *',
  'git diff; git log -p',
])('[effects.shows] %j: not by it either', (line) => {
  expect(decided(line, accepting).decision).toBe('review');
});

test('[effects.shows] a block beside it stays a block', () => {
  const policy = allowing({ tool: 'shell.git', arguments: shows }, { tool: 'shell.rm', decision: 'block' });
  expect(decided('git diff && rm a', policy).decision).toBe('block');
  expect(decided('git diff && ls', policy).decision).toBe('allow');
});
