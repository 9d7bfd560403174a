/** Lines of programs whose first words are a command, each with what it does: `capability objects [in scope=value]`, and what is held. */

/** `held`: what cannot be determined; `secrets`: it prints secrets, which a rule has to name. */
export interface Row {
  readonly line: string;
  readonly does: string;
  readonly held?: true | 'secrets';
}

export const rowsOf = (text: string): readonly Row[] =>
  text
    .trim()
    .split(/\s*\n\s*/)
    .map((row) => {
      const [line = '', does = ''] = row.split(/\s+→ /);
      const [, said = '', mark] = /^(.*?)(?: \((held|secrets)\))?$/.exec(does)!;
      return { line, does: said, ...(mark && { held: mark === 'secrets' ? ('secrets' as const) : (true as const) }) };
    });

export const kubectl = rowsOf(`
  kubectl get pods → read pod
  kubectl -n shop get pods → read pod in namespace=shop
  kubectl get -n shop pods → read pod in namespace=shop
  kubectl get pods --namespace=shop → read pod in namespace=shop
  kubectl -n=shop get po/web-0 → read pod/web-0 in namespace=shop
  kubectl get pods -nshop -owide → read pod in namespace=shop
  kubectl get deploy,svc,ing -A → read deployment,service,ingress in namespace=*
  kubectl get deployments.apps web → read deployment/web
  kubectl get all → read all
  kubectl get pod web secret → read pod/web,pod/secret
  kubectl get pods -o jsonpath='{.items[*].metadata.name}' → read pod
  kubectl --context staging get nodes → read node in context=staging
  kubectl rollout -n shop status deploy/web → read deployment/web in namespace=shop
  kubectl logs web-0 -n shop -f --tail=20 → read pod/web-0 in namespace=shop
  kubectl logs deploy/web → read deployment/web
  kubectl describe secret db → read secret/db
  kubectl describe pod web → read pod/web
  kubectl top pods --containers=true → read pod
  kubectl config view → read
  kubectl auth can-i delete pods → read
  "kubectl" 'get' po'ds' → read pod
  kubectl get secrets → read secret (secrets)
  kubectl get secret db -o yaml → read secret/db (secrets)
  kubectl get pods,secrets → read pod,secret (secrets)
  kubectl get Secret/db → read secret/db (secrets)
  kubectl get secrets.v1. db → read secret/db (secrets)
  kubectl -n shop get -o yaml pod/a secret/b → read pod/a,secret/b in namespace=shop (secrets)
  kubectl config view --raw → read (secrets)
  kubectl config view --flatten=true → read (secrets)
  kubectl create token ci → execute serviceaccount/ci (secrets)
  kubectl get pods,secrets/db → read pods,secrets/db (held)
  kubectl get --raw /api/v1/namespaces/shop/secrets → read (held)
  kubectl get --raw=/healthz → read (held)
  kubectl get -f deploy.yaml → read (held)
  kubectl get configmap app → read configmap/app (held)
  kubectl get certificates → read certificates (held)
  kubectl get "$KIND" → read $kind (held)
  kubectl get po* → read po* (held)
  kubectl get [s]ecret db → read [s]ecret/db (held)
  kubectl get pods -o go-template-file=x → read pod (held)
  kubectl get pods -o custom-columns-file=x → read pod (held)
  kubectl get pods -o templatefile --template=/etc/shadow → read pod (held)
  kubectl get pods --kubeconfig x → read pod (held)
  kubectl --as admin get pods → read pod (held)
  kubectl get pods -s https://a.example → read pod (held)
  kubectl get pods --token x → read pod (held)
  kubectl get pods --frob → read pod (held)
  KUBECONFIG=x kubectl get pods → read pod (held)
  kubectl cluster-info dump → read (held)
  kubectl delete pod x → delete pod/x
  kubectl -n shop delete pod x → delete pod/x in namespace=shop
  kubectl delete -n shop po/x → delete pod/x in namespace=shop
  kubectl delete -n shop pod x y --now → delete pod/x,pod/y in namespace=shop
  sh -c 'kubectl -n shop delete pod x' → delete pod/x in namespace=shop
  watch kubectl get pods → read pod
  env kubectl delete pod x → delete pod/x
  echo x | xargs kubectl delete pod → delete pod/{} (held)
  kubectl drain node-1 --ignore-daemonsets → delete node/node-1
  kubectl apply -f deploy.yaml → write
  kubectl apply --prune -f deploy.yaml → delete
  kubectl apply --prune=false -f deploy.yaml → write
  kubectl scale deploy/web --replicas=3 → write deployment/web
  kubectl set image deploy/web web=nginx:2 -n shop → write deployment/web in namespace=shop
  kubectl rollout restart deploy web → write deployment/web
  kubectl exec -it web-0 -- rm -rf /data → execute pod/web-0
  kubectl port-forward svc/web 8080:80 → execute service/web
  kubectl cp web:/etc/hosts ./hosts → execute web:/etc/hosts,./hosts
  kubectl edit deploy/web → execute deployment/web
`);

export const docker = rowsOf(`
  docker ps → read
  docker ps -aq --filter status=running → read
  docker --context x ps → read in context=x
  docker container ls --format '{{.Names}}' → read
  docker images --digests → read
  docker logs -f --tail=20 web → read container/web
  docker logs --since 5m web → read container/web
  docker top web → read container/web
  docker stats --no-stream → read
  docker system df → read
  docker volume ls → read
  docker network inspect front → read front
  docker secret ls → read
  docker compose ps → read
  docker compose -f dev.yml -p shop logs web → read service/web
  podman ps --all → read
  nerdctl -n k8s.io ps → read in namespace=k8s.io
  docker inspect web → read web (secrets)
  docker container inspect -f '{{.Config.Env}}' web → read web (held)
  docker config inspect app → read app (secrets)
  docker secret inspect db → read db (secrets)
  docker volume inspect data → read data (secrets)
  docker history --no-trunc web → read image/web (secrets)
  docker compose config → read (secrets)
  docker compose -f dev.yml config --services → read (secrets)
  docker -H tcp://a.example ps → read (held)
  docker --host=tcp://a.example ps → read (held)
  docker --config x ps → read (held)
  docker ps --format '{{ .Label "x" }}{{ .Command }}' → read (held)
  docker ps --frob → read (held)
  DOCKER_HOST=tcp://a.example docker ps → read (held)
  docker ps $(cat x) → read (held)
  docker run --rm nginx → execute image/nginx
  docker run -it -v /:/mnt alpine sh -c 'rm -rf /mnt' → execute image/alpine
  docker run --frob alpine → execute image/alpine (held)
  docker exec -it web sh → execute container/web
  docker compose exec web env → execute service/web
  docker compose up -d → execute
  docker compose down → delete
  docker rm -f web → delete container/web
  docker --context x rm web → delete container/web in context=x
  docker container rm web db → delete container/web,container/db
  docker rmi nginx → delete image/nginx
  docker volume rm data → delete volume/data
  docker system prune -af → delete
  docker stop web → write container/web
  docker pull nginx → write image/nginx
  docker push acme/web:1 → write image/acme/web:1
  docker build -t web . → execute
  docker cp web:/etc/hosts ./hosts → execute web:/etc/hosts,./hosts
  sh -c 'docker rm web' → delete container/web
  xargs docker rm → delete container/{} (held)
`);

export const helm = rowsOf(`
  helm list → read
  helm -n shop list → read in namespace=shop
  helm --kube-context c list → read in context=c
  helm ls -A -o json → read in namespace=*
  helm status web -n shop → read release/web in namespace=shop
  helm history --max 5 web → read release/web
  helm search repo nginx --versions → read
  helm show chart bitnami/nginx → read bitnami/nginx
  helm show values bitnami/nginx --version 1.2.3 → read bitnami/nginx
  helm repo list → read
  helm version --short → read
  helm get metadata web → read release/web
  helm get values web → read release/web (secrets)
  helm -n shop get manifest web → read release/web in namespace=shop (secrets)
  helm get all web --revision=3 → read release/web (secrets)
  helm get hooks web → read release/web (secrets)
  helm status web -o json → read release/web (secrets)
  helm show values https://a.example/x.tgz → read https://a.example/x.tgz (held)
  helm show chart oci://a.example/x → read oci://a.example/x (held)
  helm show chart ./chart → read ./chart (held)
  helm show chart bitnami/nginx --repo https://a.example → read bitnami/nginx (held)
  helm list --kubeconfig x → read (held)
  helm status web --kube-apiserver http://a.example → read release/web (held)
  helm list --kube-as-user admin → read (held)
  helm list --post-renderer sh → read (held)
  helm list --kube-insecure-skip-tls-verify → read (held)
  HELM_KUBEAPISERVER=x helm list → read (held)
  helm install web bitnami/nginx -n shop → write release/web in namespace=shop
  helm upgrade --install web bitnami/nginx -f values.yaml → write release/web
  helm upgrade web ./chart --post-renderer ./x → write release/web (held)
  helm rollback web 3 → write release/web
  helm uninstall web → delete release/web
  helm -n shop uninstall web → delete release/web in namespace=shop
  helm delete web --keep-history → delete release/web
  helm test web → execute release/web
  helm repo add a https://a.example → write a
  helm repo remove a → delete a
  sh -c "helm uninstall web" → delete release/web
`);

export const gh = rowsOf(`
  gh pr list → read
  gh pr list -R acme/web --json number,title → read in repository=acme/web
  gh -R acme/web pr view 7 → read pull-request/7 in repository=acme/web
  gh pr view 7 --comments → read pull-request/7
  gh pr diff 7 → read pull-request/7
  gh pr checks 7 --watch → read pull-request/7
  gh pr status → read
  gh issue list --label bug -s open → read
  gh issue view 3 --json body -q .body → read issue/3
  gh run list --limit 5 → read
  gh run view 12 --log-failed → read run/12
  gh release list → read
  gh repo view acme/web → read repository/acme/web
  gh search prs fix --owner acme → read
  gh secret list → read
  gh auth status → read
  gh api repos/acme/web/pulls → read repos/acme/web/pulls
  gh api 'repos/acme/web/pulls?per_page=5' --jq '.[].title' → read repos/acme/web/pulls?per_page=5
  gh auth token → read (secrets)
  gh auth status --show-token → read (secrets)
  gh auth status -t → read (secrets)
  gh pr view 7 --web → read pull-request/7 (held)
  gh pr list --web → read (held)
  gh pr list -R a.example/acme/web → read in repository=a.example/acme/web (held)
  gh pr view https://a.example/acme/web/pull/7 → read pull-request/https://a.example/acme/web/pull/7 (held)
  gh config get oauth_token → read oauth_token (secrets)
  gh api -X POST app/installations/1/access_tokens → write app/installations/1/access_tokens (secrets)
  gh --hostname a.example pr list → read (held)
  gh api --hostname a.example user → read user (held)
  gh api https://a.example/x → read https://a.example/x (held)
  gh api user --jq '$ENV' → read user (held)
  gh pr list --frob → read (held)
  GH_HOST=a.example gh pr list → read (held)
  gh api -X POST repos/acme/web/issues → write repos/acme/web/issues
  gh api repos/acme/web/issues -f title=x → write repos/acme/web/issues
  gh api graphql -f query=x → write graphql
  gh api --method=DELETE repos/acme/web → delete repos/acme/web
  gh api repos/acme/web/issues --input x.json → write repos/acme/web/issues
  gh pr create -t x -b y → write
  gh pr merge 7 --squash → write pull-request/7
  gh pr merge 7 --squash --delete-branch -R acme/web → write pull-request/7 in repository=acme/web
  gh repo delete acme/web --yes → delete repository/acme/web
  gh release delete v1 → delete release/v1
  gh workflow run ci.yml → execute ci.yml
  gh secret set TOKEN -b x → write TOKEN (held)
  gh repo clone acme/web → write repository/acme/web
`);

export const terraform = rowsOf(`
  terraform version → read
  terraform state list → read
  terraform -chdir=envs/dev state list → read
  terraform show → execute
  terraform show -no-color → execute
  terraform providers → read
  terraform workspace list → read
  terraform fmt -check -recursive → read
  tofu state list module.web → read
  terraform output → read (secrets)
  terraform output -json → read (secrets)
  terraform output -raw db_password → read db_password (secrets)
  terraform state pull → read (secrets)
  terraform state show aws_db_instance.db → read aws_db_instance.db (secrets)
  terraform show -json → execute (secrets)
  terraform show --json → execute (secrets)
  terraform show planfile → execute (held)
  terraform state list -state=x → read (held)
  terraform plan → execute
  terraform plan -out plans/today → execute
  terraform plan -out=tfplan -no-color -refresh=false → execute
  terraform -chdir=d plan → execute
  terraform validate → execute
  terraform plan -out=main.tf → execute (held)
  terraform plan -var-file=x.tfvars → execute (held)
  terraform plan -generate-config-out=x.tf → execute (held)
  terraform plan -frob → execute (held)
  TF_CLI_ARGS=-destroy terraform plan → execute (held)
  terraform plan -destroy → delete
  terraform plan --destroy → delete
  terraform apply → write
  terraform apply tfplan → write plan/tfplan
  terraform apply -auto-approve → write
  terraform apply -destroy → delete
  terraform -chdir=envs/prod destroy -auto-approve → delete
  terraform init → execute
  terraform state rm module.web → delete module.web
  terraform workspace delete dev → delete workspace/dev
  terraform fmt → write
  terraform import aws_s3_bucket.b b → write aws_s3_bucket.b
`);

export const aws = rowsOf(`
  aws s3 ls → read
  aws --profile p s3 ls → read in profile=p
  aws s3 ls s3://bucket/path --profile p → read s3://bucket/path in profile=p
  aws sts get-caller-identity → read
  aws ec2 describe-instances → read
  aws ec2 describe-instances --region eu-west-1 --instance-ids i-1 i-2 → read i-1,i-2 in region=eu-west-1
  aws ec2 describe-instances --filters Name=tag:Name,Values=web --query 'Reservations[].Instances[].InstanceId' --output text → read
  aws --region eu-west-1 rds describe-db-instances --no-cli-pager → read in region=eu-west-1
  aws logs get-log-events --log-group-name g --log-stream-name s → read g
  aws cloudwatch list-metrics → read
  aws iam get-role --role-name ci → read ci
  aws dynamodb describe-table --table-name orders → read orders
  aws secretsmanager list-secrets → read
  aws ssm get-parameter --name x → read x
  aws s3api list-objects-v2 --bucket b → read b
  aws ec2 wait instance-running --instance-ids i-1 → read i-1
  aws secretsmanager get-secret-value --secret-id db → read db (secrets)
  aws --profile p secretsmanager get-secret-value --secret-id db → read db in profile=p (secrets)
  aws secretsmanager batch-get-secret-value --filters Key=name,Values=db → read (secrets)
  aws ssm get-parameter --name x --with-decryption → read x (secrets)
  aws ssm get-parameters --with-decryption --names a b → read a,b (secrets)
  aws sts get-session-token → read (secrets)
  aws ecr get-login-password → read (secrets)
  aws ec2 get-password-data --instance-id i-1 → read i-1 (secrets)
  aws ec2 describe-instance-attribute --attribute userData --instance-id i-1 → read i-1 (secrets)
  aws lambda get-function --function-name f → read f (secrets)
  aws eks get-token --cluster-name c → read c (secrets)
  aws rds generate-db-auth-token --hostname h → read (secrets)
  aws configure get aws_secret_access_key → read (held)
  aws iam create-access-key --user-name ci → write ci (secrets)
  aws ec2 create-key-pair --key-name k → write (secrets)
  aws sts assume-role --role-arn r --role-session-name s → execute (secrets)
  aws ec2 describe-instances --endpoint-url http://a.example → read (held)
  aws ec2 describe-instances --cli-input-json file://x → read (held)
  aws ec2 describe-instances --filters file://x → read (held)
  aws ec2 describe-instances --debug → read (held)
  aws s3 ls --no-verify-ssl → read (held)
  aws s3 ls --frob → read (held)
  aws ec2 describe-instances --endpoint http://a.example → read (held)
  aws ec2 describe-instances --no-verify → read (held)
  aws ssm get-parameter --name x --with-d → read x (held)
  AWS_ENDPOINT_URL=http://a.example aws s3 ls → read (held)
  aws s3api get-object --bucket b --key k out → not a known command (held)
  aws frob describe-things → not a known command (held)
  aws ec2 terminate-instances --instance-ids i-1 → delete i-1
  aws s3 rm s3://b/x --recursive → delete s3://b/x
  aws s3 rb s3://b --force → delete s3://b
  aws --profile p s3 rm s3://b/x → delete s3://b/x in profile=p
  aws s3 cp ./x s3://b/x → write ./x,s3://b/x
  aws s3 sync . s3://b --delete → delete .,s3://b
  aws s3 mb s3://b → write s3://b
  aws iam attach-role-policy --role-name r --policy-arn p → write r,p
  aws dynamodb delete-table --table-name orders → delete orders
  aws ec2 create-tags --resources i-1 --tags Key=a,Value=b → write
  aws lambda invoke --function-name f out.json → execute f,out.json
`);

export const gcloud = rowsOf(`
  gcloud compute instances list → read
  gcloud --project p compute instances list → read in project=p
  gcloud compute instances list --project=p --format=json → read in project=p
  gcloud compute instances list --filter='name~web' --limit 5 → read
  gcloud compute instances list --format='table(name,zone)' → read
  gcloud container clusters describe c --region europe-west1 → read c
  gcloud projects list → read
  gcloud sql instances list → read
  gcloud run services list --region=europe-west1 → read
  gcloud secrets list → read
  gcloud secrets versions list db → read db
  gcloud config get-value project → read project
  gcloud auth list → read
  gcloud storage ls gs://bucket → read gs://bucket
  gcloud logging read 'severity>=ERROR' --limit=5 → read severity>=ERROR
  gcloud secrets versions access latest --secret=db → read latest (secrets)
  gcloud --project p secrets versions access 3 --secret db → read 3 in project=p (secrets)
  gcloud auth print-access-token → read (secrets)
  gcloud auth print-identity-token → read (secrets)
  gcloud auth application-default print-access-token → read (secrets)
  gcloud compute instances list --impersonate-service-account=x → read (held)
  gcloud compute instances list --flags-file=x → read (held)
  gcloud compute instances list --access-token-file x → read (held)
  gcloud compute instances list --log-http → read (held)
  gcloud compute instances list --account x → read in context=x
  gcloud compute instances list --frob → read (held)
  CLOUDSDK_CONFIG=x gcloud projects list → read (held)
  gcloud frob list → not a known command (held)
  gcloud compute instances delete web --zone z → delete web
  gcloud compute instances delete web --quiet → delete web
  gcloud --project p projects delete x → delete x in project=p
  gcloud container clusters create c → write c
  gcloud compute instances stop web → write web
  gcloud compute ssh web → execute web
  gcloud projects add-iam-policy-binding p --member m --role r → write p
  gcloud storage rm -r gs://bucket/x → delete gs://bucket/x
  gcloud storage cp ./x gs://bucket/x → write ./x,gs://bucket/x
  sh -c 'gcloud compute instances delete web' → delete web
`);

export const az = rowsOf(`
  az vm list → read
  az vm list -g shop -o table → read in group=shop
  az vm show -g shop -n web → read web in group=shop
  az --subscription s vm list → read in subscription=s
  az group list --query '[].name' → read
  az aks list -o json → read
  az account show → read
  az account list → read
  az network vnet list → read
  az resource list --resource-group shop → read in group=shop
  az keyvault list → read
  az keyvault secret list --vault-name v → read
  az role assignment list → read
  az storage account list → read
  az keyvault secret show --vault-name v -n db → read db (secrets)
  az keyvault secret download --vault-name v --name db -f x → read db (secrets)
  az --subscription s keyvault secret show -n db → read db in subscription=s (secrets)
  az account get-access-token → read (secrets)
  az aks get-credentials -g shop -n c → read c in group=shop (secrets)
  az acr credential show -n r → read r (secrets)
  az storage account keys list -n s → read s (secrets)
  az webapp config appsettings list -n w -g shop → read w in group=shop (secrets)
  az vm list --debug → read (held)
  az vm list --frob x → read (held)
  az vm list -o /tmp/x → read (held)
  az rest --url https://a.example → not a known command (held)
  az frob list → not a known command (held)
  AZURE_CONFIG_DIR=x az vm list → read (held)
  az vm delete -g shop -n web --yes → delete web in group=shop
  az group delete -n shop → delete group/shop
  az vm start -g shop -n web → write web in group=shop
  az vm create -g shop -n web --image x → write web in group=shop
  az role assignment create --assignee a --role r → write
  az vm run-command invoke -g shop -n web --command-id x → execute web in group=shop
  sh -c 'az group delete -n shop' → delete group/shop
`);

/** Lines that are one effect as a whole, whose command is not known. */
export const unknown = `
  kubectl frob
  kubectl --frob get pods
  kubectl -A get pods
  kubectl -- get pods
  kubectl $VERB pods
  kubectl
  k get pods
`
  .trim()
  .split(/\s*\n\s*/);
