/** `kubectl`: options that make it reach another cluster, act as another user or read templates from files are not read. */
import type { Command, CommandProgram } from './command-program.ts';

const output = { format: '-o --output' } as const;
const selecting = '-l --selector';
/** Objects by name, by kind or by the files that hold them. */
const objects = {
  flags:
    '-R --recursive --all -A --all-namespaces --local --overwrite --allow-missing-template-keys --show-managed-fields',
  values: {
    ...output,
    word: `${selecting} --field-selector --field-manager`,
    source: '-f --filename -k --kustomize',
    text: '--template',
  },
  attached: { word: '--dry-run' },
  operands: ['resource*'],
} as const;
const writes = { ...objects, does: 'write' } as const satisfies Command;
const printing = {
  flags: `-A --all-namespaces -R --recursive --ignore-not-found --no-headers --show-kind --show-labels --show-managed-fields --server-print
    --allow-missing-template-keys --output-watch-events -w --watch --watch-only --show-events`,
  values: {
    ...output,
    word: `${selecting} --field-selector -L --label-columns --sort-by --subresource`,
    text: '--template',
    number: '--chunk-size',
    unread: '-f --filename -k --kustomize --raw',
  },
  operands: ['resource*'],
} as const;
/** Where pods run a command, or a port is opened. */
const inPods = {
  does: 'execute',
  flags: '-i -t -q --stdin --tty --quiet',
  values: { word: '-c --container --pod-running-timeout --address', unread: '-f --filename' },
  kind: 'pod',
} as const;
const settings = {
  does: 'read',
  flags: '--no-headers',
  values: output,
  operands: ['word*'],
} as const satisfies Command;

export const kubectl: CommandProgram = {
  syntax: 'pflag',
  flags: '-h --match-server-version --disable-compression --warnings-as-errors',
  values: {
    word: '-n --namespace --context --vmodule --log-flush-frequency',
    number: '-v --v --request-timeout',
    unread: `--as --as-group --as-uid --as-user-extra --cache-dir --certificate-authority --client-certificate --client-key --cluster --kubeconfig --kuberc
      --password --profile --profile-output -s --server --tls-server-name --token --user --username`,
  },
  refused: '--insecure-skip-tls-verify',
  scopes: { namespace: '-n --namespace', context: '--context' },
  everywhere: { namespace: '-A --all-namespaces' },
  commands: {
    get: { ...printing, does: 'read', prints: 'values', secrets: /--raw[= ]\S*\bsecrets\b/i },
    describe: { ...printing, does: 'read', prints: 'description' },
    logs: {
      does: 'read',
      flags:
        '-p --previous -f --follow --timestamps --all-containers --all-pods --prefix --ignore-errors --insecure-skip-tls-verify-backend',
      values: {
        word: `-c --container ${selecting} --since-time`,
        number: '--tail --since --limit-bytes --max-log-requests --pod-running-timeout',
      },
      operands: ['resource*'],
      kind: 'pod',
    },
    top: {
      does: 'read',
      flags: '-A --all-namespaces --containers --no-headers --sum --use-protocol-buffers --show-capacity --show-swap',
      values: { word: `${selecting} --field-selector --sort-by` },
      operands: ['resource*'],
    },
    'rollout status, rollout history': {
      does: 'read',
      flags: '-w --watch -R --recursive',
      values: { ...output, word: selecting, number: '--revision --timeout', unread: '-f --filename -k --kustomize' },
      operands: ['resource+'],
    },
    wait: {
      does: 'read',
      flags: '--all -A --all-namespaces -R --recursive --local',
      values: { ...output, word: `--for ${selecting} --field-selector`, number: '--timeout', unread: '-f --filename' },
      operands: ['resource+'],
    },
    explain: { does: 'read', flags: '--recursive', values: { word: '--api-version -o --output' }, operands: ['word'] },
    'version, api-versions, cluster-info': { does: 'read', flags: '--client', values: output },
    'api-resources': {
      does: 'read',
      flags: '--cached --namespaced --no-headers',
      values: { ...output, word: '--api-group --categories --sort-by --verbs' },
    },
    'auth can-i': {
      does: 'read',
      flags: '-A --all-namespaces --list --no-headers -q --quiet',
      values: { word: '--subresource' },
      operands: ['word*'],
    },
    'auth whoami': { does: 'read', values: output },
    'config current-context, config get-contexts, config get-clusters, config get-users': settings,
    'config view': {
      ...settings,
      flags: '--flatten --merge --minify --raw --allow-missing-template-keys',
      values: { ...output, text: '--template' },
      // Alone it leaves secrets out.
      secrets: /(?:^| )--(?:raw|flatten)(?:[= ]|$)/,
    },
    'config use-context, config set-context, config set, config set-cluster, config rename-context': {
      does: 'write',
      values: { word: '--cluster --user' },
      operands: ['word*'],
    },
    'config set-credentials': { does: 'write', open: 'word', operands: ['word'] },
    'config unset, config delete-context, config delete-cluster, config delete-user': {
      does: 'delete',
      operands: ['word'],
    },
    'apply, replace': {
      ...writes,
      says: 'applies',
      flags: `${objects.flags} --force --force-conflicts --server-side --save-config --wait --openapi-patch`,
      values: {
        ...objects.values,
        word: `${objects.values.word} --prune-allowlist --cascade --validate`,
        number: '--grace-period --timeout',
      },
      changes: { delete: '--prune --force' },
    },
    create: {
      ...writes,
      says: 'creates',
      flags: `${objects.flags} --save-config --edit --windows-line-endings`,
      values: { ...objects.values, read: '--from-file --from-env-file --cert --key' },
      open: 'word',
      risk: { rights: /^create (?:(?:cluster)?rolebinding|(?:cluster)?role|token|serviceaccount|sa)\b/ },
      operands: ['word*'],
    },
    'create token': {
      does: 'execute',
      says: 'issues a token for',
      open: 'word',
      secrets: true,
      risk: { rights: true },
      operands: ['object'],
      kind: 'serviceaccount',
    },
    'label, annotate': {
      ...writes,
      says: 'labels',
      flags: `${objects.flags} --list`,
      operands: ['resource', 'resource*'],
    },
    patch: {
      ...writes,
      says: 'patches',
      values: {
        ...objects.values,
        word: `${objects.values.word} -p --patch --type --subresource`,
        read: '--patch-file',
      },
    },
    'scale, autoscale': {
      ...writes,
      says: 'scales',
      values: {
        ...objects.values,
        number: '--replicas --current-replicas --resource-version --timeout --min --max --cpu-percent',
        word: `${objects.values.word} --name`,
      },
    },
    'set image, set env, set resources, set selector, set serviceaccount, set subject': {
      ...writes,
      says: 'changes',
      values: {
        ...objects.values,
        word: `${objects.values.word} -c --containers -e --env --limits --requests --from --keys --prefix --serviceaccount --user --group`,
      },
      operands: ['resource', 'word*'],
      risk: { rights: /^set (?:subject|serviceaccount)\b/ },
    },
    'rollout restart': { ...writes, says: 'restarts' },
    'rollout undo': { ...writes, says: 'rolls back', values: { ...objects.values, number: '--to-revision' } },
    'rollout pause, rollout resume': { ...writes, says: 'pauses or resumes' },
    expose: {
      ...writes,
      says: 'exposes',
      values: {
        ...objects.values,
        word: `${objects.values.word} --port --target-port --protocol --type --name --external-ip --labels --load-balancer-ip --cluster-ip`,
      },
    },
    'cordon, uncordon': {
      does: 'write',
      says: 'cordons or uncordons',
      attached: { word: '--dry-run' },
      values: { word: selecting },
      operands: ['object*'],
      kind: 'node',
    },
    taint: { ...writes, says: 'taints', operands: ['resource', 'resource', 'word*'] },
    drain: {
      does: 'delete',
      says: 'evicts all pods from',
      flags: '--delete-emptydir-data --disable-eviction --force --ignore-daemonsets',
      values: {
        word: `${selecting} --pod-selector`,
        number: '--grace-period --timeout --skip-wait-for-delete-timeout --chunk-size',
      },
      attached: { word: '--dry-run' },
      operands: ['object*'],
      kind: 'node',
      risk: { destroys: true },
    },
    delete: {
      ...objects,
      does: 'delete',
      flags: `${objects.flags} --force --ignore-not-found --now --wait -i --interactive`,
      values: { ...objects.values, number: '--grace-period --timeout', word: `${objects.values.word} --raw` },
      attached: { word: '--dry-run --cascade' },
      risk: {
        destroys:
          /^delete (?:.* )?(?:ns|namespaces?|pvc?|persistentvolume(?:claim)?s?|deploy\S*|sts|statefulsets?|no|nodes?|crds?|customresourcedefinitions?)(?:[ /.,]|$)|(?:^| )--all(?: |$)/,
      },
    },
    edit: { ...objects, does: 'execute', says: 'opens an editor on' },
    'exec, attach': {
      ...inPods,
      says: 'runs a command in',
      operands: ['resource?', 'word*'],
      risk: { rights: /--privileged/ },
    },
    'port-forward': { ...inPods, says: 'opens ports of', operands: ['resource', 'word+'] },
    cp: {
      does: 'execute',
      says: 'copies',
      flags: '--no-preserve',
      values: { word: '-c --container', number: '--retries' },
      operands: ['from', 'to'],
    },
    'run, debug': {
      does: 'execute',
      says: 'starts',
      flags: '-i -t -q --stdin --tty --quiet --rm --attach',
      open: 'word',
      kind: 'pod',
      operands: ['resource', 'word*'],
      risk: { rights: /--privileged|--profile[= ]sysadmin/ },
    },
    proxy: { does: 'execute', says: 'opens the cluster to', values: { word: '-p --port --address' } },
    'certificate approve, certificate deny': {
      ...writes,
      says: 'decides',
      kind: 'certificatesigningrequest',
      risk: { rights: /^certificate approve/ },
    },
    diff: { does: 'execute', says: 'compares', flags: objects.flags, values: objects.values },
  },
  kinds: {
    all: '',
    pod: 'po pods',
    service: 'svc services',
    deployment: 'deploy deployments',
    replicaset: 'rs replicasets',
    statefulset: 'sts statefulsets',
    daemonset: 'ds daemonsets',
    replicationcontroller: 'rc replicationcontrollers',
    job: 'jobs',
    cronjob: 'cj cronjobs',
    node: 'no nodes',
    namespace: 'ns namespaces',
    event: 'ev events',
    endpoints: 'ep endpoint',
    endpointslice: 'endpointslices',
    ingress: 'ing ingresses',
    ingressclass: 'ingressclasses',
    networkpolicy: 'netpol networkpolicies',
    horizontalpodautoscaler: 'hpa horizontalpodautoscalers',
    poddisruptionbudget: 'pdb poddisruptionbudgets',
    persistentvolume: 'pv persistentvolumes',
    persistentvolumeclaim: 'pvc persistentvolumeclaims',
    storageclass: 'sc storageclasses',
    volumeattachment: 'volumeattachments',
    limitrange: 'limits limitranges',
    resourcequota: 'quota resourcequotas',
    priorityclass: 'pc priorityclasses',
    serviceaccount: 'sa serviceaccounts',
    role: 'roles',
    rolebinding: 'rolebindings',
    clusterrole: 'clusterroles',
    clusterrolebinding: 'clusterrolebindings',
    customresourcedefinition: 'crd crds customresourcedefinitions',
    certificatesigningrequest: 'csr certificatesigningrequests',
    lease: 'leases',
    configmap: 'cm configmaps',
    secret: 'secrets',
  },
  ownKinds: 'configmap',
};
