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
  protocol: 'shell',
  tool: 'shell.run',
  target: '',
  capability: 'execute',
  parameters: { command },
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
    watch kubectl get pods
    helm -n shop list
    helm status web
    docker ps --all
    docker logs --tail 20 web
    docker-compose ps
    podman images
    gh pr list -R acme/web
    gh pr view 7 --comments
    terraform -chdir=envs/dev state list
    terraform plan
    terraform show
    terraform show -no-color
    terraform fmt -check
    aws --profile p s3 ls
    aws ec2 describe-instances --region eu-west-1 --query 'Reservations[].Instances[].InstanceId'
    aws logs describe-log-groups
    gcloud compute instances list --project p
    az vm list -g shop -o table`,
  review: `
    helm --kube-context c list
    helm show values https://a.example/x.tgz
    helm upgrade web bitnami/nginx
    docker --context x ps
    docker -H tcp://a.example ps
    docker run --rm alpine
    docker compose up -d
    podman frob
    gh --hostname a.example pr list
    gh pr view 7 --web
    gh api user
    gh api -X POST repos/acme/web/issues
    gh pr merge 7
    gh alias set x y
    gh extension install a/b
    terraform -chdir=d plan
    terraform plan -out x
    terraform apply
    terraform init
    tofu frob
    aws ec2 describe-instances --endpoint-url http://a.example
    aws ec2 describe-instances --filters file://x
    aws configure set region x
    aws dynamodb scan --table-name t
    aws ssm get-parameter --name x
    aws ssm get-parameters-by-path --path /x
    aws frob describe-things
    aws ec2 run-instances --image-id i
    gcloud compute instances list --impersonate-service-account=x
    gcloud functions call f
    gcloud --account x projects list
    aws ec2 describe-instances --endpoint x
    gh pr list -R a.example/acme/web
    az vm list --debug
    az rest --url https://a.example
    AWS_PROFILE=x aws s3 ls
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
    kubectl get pods && kubectl delete pod x
    helm get values web
    helm -n shop get manifest web
    helm uninstall web
    docker inspect web
    docker compose config
    docker-compose config
    docker secret inspect db
    docker --context x rm web
    docker system prune -af
    gh auth token
    gh auth status --show-token
    gh api --method DELETE repos/acme/web
    gh repo delete acme/web --yes
    terraform output -json
    terraform show -json
    helm status web -o json
    terraform state pull
    terraform state show aws_db_instance.db
    terraform -chdir=d destroy
    aws secretsmanager get-secret-value --secret-id db
    aws --profile p secretsmanager get-secret-value --secret-id db
    aws ssm get-parameter --name x --with-decryption
    aws sts get-session-token
    aws ecr get-login-password
    aws s3 rm s3://b/x
    aws --region r ec2 terminate-instances --instance-ids i-1
    gcloud secrets versions access latest --secret db
    gcloud auth print-access-token
    gcloud --project p compute instances delete web
    gcloud compute ssh web
    az keyvault secret show --vault-name v -n db
    az account get-access-token
    az group delete -n shop`,
};
const coding: Table = {
  allow: 'command -v kubectl',
  review: `
    kubectl get pods
    kubectl apply -f deploy.yaml
    kubectl exec web-0 -- ls
    kubectl frob
    docker ps
    docker run -v /:/mnt alpine
    helm list
    gh pr list
    terraform plan
    aws s3 ls
    gcloud projects list
    az vm list`,
  block: `
    docker inspect web
    docker rm web
    helm get values web
    gh auth token
    terraform output
    aws sts get-session-token
    gcloud auth print-access-token
    az account get-access-token
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

/** Other spellings of the same commands. */
const disguised: Table = {
  allow: `
    /usr/bin/kubectl get pods
    "kubectl" -n 'shop' get po"ds"
    sh -c 'kubectl -n shop get pods'
    env kubectl get pods
    time aws s3 ls
    timeout 10 helm -n shop list
    CI=1 terraform state list`,
  review: `
    ./kubectl get pods
    /tmp/kubectl get pods
    KUBECTL get pods
    alias k=kubectl; k get pods
    K=kubectl; $K get pods
    kubectl $VERB pods
    kubectl get $(cat kind)
    kubectl get p{ods,vc}
    PATH=/tmp kubectl get pods
    HOME=/tmp aws s3 ls
    export AWS_PROFILE=x; aws s3 ls
    docker --context=x ps
    kubectl get pods -o=go-template-file=x
    kubectl get pods --output=jsonpath-file=x
    xargs kubectl get
    ssh-agent kubectl get pods
    cat names | xargs -I{} kubectl get {}`,
  block: `
    kube""ctl get secret db
    'kubectl' get "se"cret db
    kubectl get -o yaml -- secret db
    kubectl get pods,secrets -A
    kubectl get Secrets
    kubectl get pods; kubectl get secrets
    env kubectl get secret db
    nohup helm get values web
    time docker inspect web
    watch kubectl get secrets
    sh -c "aws --profile p sts get-session-token"
    bash -lc 'gh auth token'
    eval "kubectl get secret db"
    xargs kubectl get secret
    /usr/local/bin/aws secretsmanager get-secret-value --secret-id db
    aws secretsmanager --region r get-secret-value --secret-id db
    terraform output -raw password | cat
    (cd envs && terraform state pull)
    kubectl get secret db --frob
    docker rm "$(docker ps -q)"`,
};
test.each(rowsOf(disguised))('[effects.command-programs] infra-review, disguised: %s: %s', (decision, line) => {
  expect(pack('infra-review')(line).decision).toBe(decision);
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
    // A rule for paths of any program is not about objects.
    expect(own({ target: 'repos/**', decision: 'allow' })('gh api -X DELETE repos/acme/web').decision).toBe('review');
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

  test('[effects.command-programs] a call that names the program is read like its line', () => {
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

  test('[approval.card] the reason of a review names what would change', () => {
    const { reason } = own()('kubectl -n shop delete pod x');
    expect(reason).toBe(
      'kubectl deletes pod x in namespace shop. Policy own does not list this command, so a person checks it.',
    );
  });
});
