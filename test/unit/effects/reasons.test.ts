/** The reason for a decision names the effect that caused it. */
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';

const policy = compilePolicy({
  name: 'test',
  default_decision: 'review',
  guards: [],
  rules: [{ protocol: 'shell', tool: 'shell.ls', decision: 'allow' }],
} as never);
const reasonOf = (command: string) => {
  const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
  return decideEffects(policy, call, shellEffects(call)).reason;
};

test.each([
  ['ls src', 'The line would run ls on src.'],
  ['ls', 'The line would run ls on ".".'],
  ['ls ..', 'The line would run ls on "..".'],
])('%j: a path that ends in a dot does not run into the final period', (line, reason) => {
  expect(reasonOf(line)).toBe(reason);
});
