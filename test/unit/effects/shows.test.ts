/** Diffs and recent commits without a path are allowed only by rules with `shows` [effects.profiles]. */

import * as z from 'zod';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { readCases, texts } from '../../support/yaml.ts';

const cases = readCases('test/unit/effects/shows.yaml', z.strictObject({ byName: texts, never: texts }));

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

test.each(cases.byName)(
  '[effects.profiles] %j is allowed by a rule that names it, but not by a read rule or the default',
  (line) => {
    expect(decided(line, accepting).decision).toBe('allow');
    for (const policy of [allowing(), allowing({}), allowing({ tool: 'shell.git', capability: 'read' })])
      expect(decided(line, policy)).toMatchObject({ decision: 'review', matched_rule: unclearRule });
  },
);

test.each(cases.never)('[effects.profiles] %j is not allowed even by that rule', (line) => {
  expect(decided(line, accepting).decision).toBe('review');
});

test('[effects.profiles] a command that is blocked for another reason stays blocked', () => {
  const policy = allowing({ tool: 'shell.git', arguments: shows }, { tool: 'shell.rm', decision: 'block' });
  expect(decided('git diff && rm a', policy).decision).toBe('block');
  expect(decided('git diff && ls', policy).decision).toBe('allow');
});
