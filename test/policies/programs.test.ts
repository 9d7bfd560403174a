/** Programs that platform engineers live in, under the packs and under policies of one's own. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

type Table = Readonly<Record<Decision, string>>;
const rowsOf = (table: Table) =>
  Object.entries(table).flatMap(([decision, lines]) =>
    lines
      .trim()
      .split(/\s*\n\s*/)
      .map((line) => [decision, line] as const),
  );

const shell = (command: string): ToolCall => ({
  ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } },
});
const decider = (document: unknown, name: string) => {
  const policy = compilePolicy(parsePack(document, name));
  return (line: string) => decideEffects(policy, shell(line), shellEffects(shell(line)));
};
const pack = (name: string) => decider(parse(readFileSync(`policies/${name}.yaml`, 'utf8')), name);
const own = (...rules: readonly object[]) =>
  decider(
    { name: 'own', default_decision: 'review', rules: rules.map((rule) => ({ protocol: 'shell', ...rule })) },
    'own',
  );

const infra: Table = {
  allow: `
    kubectl get pods
    kubectl -n shop get pods
    kubectl get pods -n shop -o wide
    kubectl get pods,svc -A --show-labels
    kubectl get deploy/web -o yaml
    kubectl describe -n shop pod web-0
    kubectl logs -n shop web-0 --tail=50
    kubectl rollout -n shop status deploy/web
    kubectl top nodes
    kubectl config current-context
    watch kubectl get pods`,
  review: `
    kubectl --context prod get pods
    kubectl get configmap app
    kubectl get certificates
    kubectl get --raw /healthz
    kubectl get pods --server x
    kubectl get pods | grep web
    kubectl --as admin get pods
    kubectl get pods -o go-template-file=x
    kubectl get -f x.yaml
    kubectl frob
    k get pods
    kubectl apply -f deploy.yaml
    kubectl scale deploy/web --replicas=3
    kubectl exec web-0 -- ls
    kubectl port-forward svc/web 80
    KUBERC=x kubectl get pods`,
  block: `
    kubectl get pods --kubeconfig x
    KUBECONFIG=x kubectl get pods
    kubectl get secrets
    kubectl -n shop get secret db -o yaml
    kubectl get pods,secrets
    kubectl config view --raw
    sh -c "kubectl get secret/db"
    kubectl describe secret db
    kubectl delete pod x
    kubectl -n shop delete pod x
    kubectl delete -n shop pod x
    xargs kubectl delete pod
    kubectl drain node-1
    kubectl get pods && kubectl delete pod x`,
};
const coding: Table = {
  allow: 'command -v kubectl',
  review: `
    kubectl get pods
    kubectl apply -f deploy.yaml
    kubectl exec web-0 -- ls
    kubectl frob`,
  block: `
    kubectl get secret db
    kubectl -n shop get -o yaml secret/db
    kubectl -n shop delete pod x
    kubectl apply --prune -f deploy.yaml`,
};

test.each(rowsOf(infra))('[effects.command-programs] [pack.infra-review] %s: %s', (decision, line) => {
  expect(pack('infra-review')(line).decision).toBe(decision);
});
test.each(rowsOf(coding))('[effects.command-programs] [pack.coding-agent] %s: %s', (decision, line) => {
  expect(pack('coding-agent')(line).decision).toBe(decision);
});

describe('a policy of one’s own', () => {
  test('[effects.command-programs] allows what only reads by its capability, and by words in any order of options', () => {
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

  test('[effects.command-programs] blocks a command wherever its options stand', () => {
    const decide = own({ tool: 'shell.kubectl', target: 'delete **', decision: 'block' }, { decision: 'allow' });
    for (const line of ['kubectl -n shop delete pod x', 'kubectl delete -n shop pod x', "sh -c 'kubectl delete pod x'"])
      expect([line, decide(line).decision]).toEqual([line, 'block']);
    expect(decide('kubectl -n delete get pods').decision).toBe('allow');
  });

  test('[effects.command-programs] secrets are accepted by a rule that names them', () => {
    const decide = own({
      tool: 'shell.kubectl',
      capability: 'read',
      arguments: { shows: { equals: 'secrets' } },
      decision: 'allow',
    });
    expect(decide('kubectl get secret db').decision).toBe('allow');
    expect(decide('kubectl get pods').decision).toBe('review');
  });

  test('[effects.objects] a target names what a command acts on', () => {
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
  });

  test('[effects.objects] and where it is, is an argument', () => {
    const decide = own({ tool: 'shell.kubectl', arguments: { namespace: { equals: 'shop' } }, decision: 'allow' });
    expect(decide('kubectl -n shop scale deploy/web --replicas=2').decision).toBe('allow');
    for (const line of [
      'kubectl scale deploy/web --replicas=2',
      'kubectl -n shop -n prod get pods',
      'kubectl get pods -A',
    ])
      expect([line, decide(line).decision]).toEqual([line, 'review']);
  });

  test('[approval.card] the reason of a review names what would change', () => {
    const { reason } = own()('kubectl -n shop delete pod x');
    expect(reason).toBe(
      'kubectl deletes pod x in namespace shop. Policy own does not list this command, so a person checks it.',
    );
  });
});
