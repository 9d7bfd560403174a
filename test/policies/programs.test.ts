/** Programs that platform engineers use daily, with the packs and with custom policies. */
import * as z from 'zod';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { type CompiledPolicy, compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { callOfLine, shippedPolicy } from '../support/decide-line.ts';
import { readCases, texts } from '../support/yaml.ts';

const decisions = z.record(z.enum(['allow', 'review', 'block']), texts);
const cases = readCases(
  'test/policies/programs.yaml',
  /** Commands; `disguised` lists other spellings of the same commands. */
  z.strictObject({ infra: decisions, coding: decisions, disguised: decisions }),
);
const rowsOf = (table: z.infer<typeof decisions>) =>
  Object.entries(table).flatMap(([decision, lines]) => lines.map((line) => [decision, line] as const));

const decider = (policy: CompiledPolicy) => (line: string) =>
  decideEffects(policy, callOfLine(line), shellEffects(callOfLine(line)));
const pack = (name: string) => decider(shippedPolicy(name));
const own = (...rules: readonly object[]) => {
  const all = rules.map((rule) => ({ protocol: 'shell', ...rule }));
  return decider(compilePolicy(parsePack({ name: 'own', default_decision: 'review', rules: all }, 'own')));
};

test.each(rowsOf(cases.infra))('[effects.profiles] [pack.shipped] %s: %s', (decision, line) => {
  expect(pack('infra-review')(line).decision).toBe(decision);
});
test.each(rowsOf(cases.coding))('[effects.profiles] [pack.coding-agent] %s: %s', (decision, line) => {
  expect(pack('coding-agent')(line).decision).toBe(decision);
});

test.each(rowsOf(cases.disguised))('[effects.profiles] infra-review, disguised command: %s: %s', (decision, line) => {
  expect(pack('infra-review')(line).decision).toBe(decision);
});

describe('a custom policy', () => {
  test('[effects.profiles] allows read commands by capability, and by words with options in any order', () => {
    for (const decide of [
      own({ tool: 'shell.kubectl', capability: 'read', decision: 'allow' }),
      own({ tool: 'shell.kubectl', target: '{get,logs} **', decision: 'allow' }),
    ]) {
      for (const line of ['kubectl -n shop get pods', 'kubectl get pods -n shop', 'kubectl -n shop logs web'])
        expect([line, decide(line).decision]).toEqual([line, 'allow']);
      for (const line of [
        'kubectl get secret db -o yaml',
        'kubectl -n shop delete pod x',
        'kubectl --kubeconfig x get pods',
        'kubectl get pods --frob',
        'kubectl frob',
      ])
        expect([line, decide(line).decision]).toEqual([line, 'review']);
    }
  });

  test('[effects.profiles] blocks a command wherever its options appear', () => {
    const decide = own({ tool: 'shell.kubectl', target: 'delete **', decision: 'block' }, { decision: 'allow' });
    for (const line of ['kubectl -n shop delete pod x', 'kubectl delete -n shop pod x', "sh -c 'kubectl delete pod x'"])
      expect([line, decide(line).decision]).toEqual([line, 'block']);
    expect(decide('kubectl -n delete get pods').decision).toBe('allow');
  });

  test('[effects.profiles] allows secrets through a rule that names them', () => {
    const decide = own({
      tool: 'shell.kubectl',
      capability: 'read',
      arguments: { shows: { equals: 'secrets' } },
      decision: 'allow',
    });
    expect(decide('kubectl get secret db').decision).toBe('allow');
    expect(decide('kubectl get pods').decision).toBe('review');
  });

  test('[effects.profiles] matches a target against the object of a command', () => {
    const held = own({ target: 'deployment/web', decision: 'block' }, { tool: 'shell.kubectl', decision: 'allow' });
    for (const line of [
      'kubectl scale deploy web --replicas=0',
      'kubectl -n shop rollout restart deployments.apps/web',
    ])
      expect([line, held(line).decision]).toEqual([line, 'block']);
    expect(held('kubectl scale deploy/api --replicas=2').decision).toBe('allow');
    const allowed = own({ tool: 'shell.kubectl', target: 'deployment/web', decision: 'allow' });
    expect(allowed('kubectl scale deploy/web --replicas=2').decision).toBe('allow');
    expect(allowed('kubectl scale deploy web api --replicas=2').decision).toBe('review');
    expect(allowed('kubectl get secret deployment/web').decision).toBe('review');
    // A rule for paths in any program does not apply to objects.
    expect(own({ target: 'repos/**', decision: 'allow' })('gh api -X DELETE repos/acme/web').decision).toBe('review');
  });

  test('[effects.profiles] exposes the namespace of the object as an argument', () => {
    const decide = own({ tool: 'shell.kubectl', arguments: { namespace: { equals: 'shop' } }, decision: 'allow' });
    expect(decide('kubectl -n shop scale deploy/web --replicas=2').decision).toBe('allow');
    for (const line of [
      'kubectl scale deploy/web --replicas=2',
      'kubectl -n shop -n prod get pods',
      'kubectl get pods -A',
    ])
      expect([line, decide(line).decision]).toEqual([line, 'review']);
  });

  test('[effects.profiles] reads a call to a tool named after a program like a command line', () => {
    const rules = [{ arguments: { shows: { equals: 'secrets' } }, decision: 'block' }, { decision: 'allow' }];
    const document = {
      name: 'own',
      default_decision: 'review',
      rules: rules.map((rule) => ({ protocol: 'shell', tool: '*', ...rule })),
    };
    const policy = compilePolicy(parsePack(document, 'own'));
    const call = {
      protocol: 'shell',
      tool: 'shell.kubectl',
      target: 'get secret db',
      capability: 'read',
      parameters: {},
    };
    expect(decideEffects(policy, call, shellEffects(call)).decision).toBe('block');
  });

  test('[approval.card] describes the change in the reason for a review', () => {
    const { reason } = own()('kubectl -n shop delete pod x');
    expect(reason).toBe(
      'kubectl deletes pod x in namespace shop. Policy own does not list this command, so a person checks it.',
    );
  });
});
