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
