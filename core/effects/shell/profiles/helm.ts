/** `helm`: other clusters, users and repositories by address, and programs that change what is rendered, are not read. */
import type { Command, CommandProgram } from './command-program.ts';

const output = { format: '-o --output' } as const;
const release = { operands: ['object'], kind: 'release' } as const;
const chart = {
  does: 'read',
  flags: '--devel --verify',
  values: {
    word: '--version --jsonpath',
    unread: '--repo --ca-file --cert-file --key-file --keyring --username --password',
  },
  operands: ['chart'],
} as const satisfies Command;
/** What charts are rendered and installed with. */
const installing = {
  does: 'write',
  flags: `-a --atomic --create-namespace --dependency-update --devel --disable-openapi-validation --enable-dns --force -g --generate-name --hide-notes
    --hide-secret --no-hooks --render-subchart-notes --replace --skip-crds --skip-schema-validation --take-ownership --verify --wait --wait-for-jobs -i
    --install --cleanup-on-fail --reset-values --reuse-values --reset-then-reuse-values --rollback-on-failure`,
  values: {
    ...output,
    source: '-f --values',
    read: '--set-file',
    word: '--description -l --labels --name-template --set --set-json --set-literal --set-string --version --history-max',
    number: '--timeout',
    unread:
      '--post-renderer --post-renderer-args --repo --ca-file --cert-file --key-file --keyring --username --password --plain-http',
  },
  attached: { word: '--dry-run' },
  operands: ['object', 'word?'],
  kind: 'release',
} as const;

export const helm: CommandProgram = {
  syntax: 'pflag',
  flags: '-h --debug',
  values: {
    word: '-n --namespace --kube-context --color --colour',
    number: '--burst-limit --qps',
    unread:
      '--kube-apiserver --kube-as-group --kube-as-user --kube-ca-file --kube-tls-server-name --kube-token --kubeconfig --registry-config --repository-cache --repository-config --content-cache',
  },
  refused: '--kube-insecure-skip-tls-verify',
  scopes: { namespace: '-n --namespace', context: '--kube-context' },
  everywhere: { namespace: '-A --all-namespaces' },
  commands: {
    'list, ls': {
      does: 'read',
      flags:
        '-A --all-namespaces -a --all -q --short -d --date -r --reverse --deployed --failed --pending --superseded --uninstalled --uninstalling --no-headers',
      values: { ...output, word: '-f --filter -l --selector --time-format', number: '-m --max --offset' },
    },
    'status, history, hist': {
      ...release,
      does: 'read',
      flags: '--show-desc --show-resources',
      // In these forms the status is the whole release, values and all.
      secrets: /^status .*(?:-o|--output)[ =]?(?:json|yaml)/,
      values: { ...output, number: '--max --revision' },
    },
    'get values, get manifest, get all, get hooks, get notes': {
      ...release,
      does: 'read',
      flags: '-a --all',
      values: { ...output, number: '--revision', text: '--template' },
      secrets: true,
    },
    'get metadata': { ...release, does: 'read', values: { ...output, number: '--revision' } },
    'search repo, search hub': {
      does: 'read',
      flags: '-l --versions --devel -r --regexp --fail-on-no-result --list-repo-url',
      values: { ...output, word: '--version', number: '--max-col-width', unread: '--endpoint' },
      operands: ['word*'],
    },
    'show chart, show readme, show values, show crds, show all, inspect chart, inspect readme, inspect values': chart,
    'repo list, repo ls, plugin list, plugin ls': { does: 'read', values: output },
    'dependency list, dependency ls, dep list': { does: 'read', operands: ['source'] },
    version: { does: 'read', flags: '--short -c --client', values: { text: '--template' } },
    install: { ...installing, says: 'installs' },
    upgrade: { ...installing, says: 'upgrades' },
    rollback: {
      ...release,
      does: 'write',
      says: 'rolls back',
      flags: '--cleanup-on-fail --dry-run --force --no-hooks --recreate-pods --wait --wait-for-jobs',
      values: { number: '--history-max --timeout' },
      operands: ['object', 'number?'],
    },
    'uninstall, un, delete, del': {
      does: 'delete',
      says: 'uninstalls',
      flags: '--dry-run --ignore-not-found --keep-history --no-hooks --wait',
      values: { word: '--cascade --description', number: '--timeout' },
      operands: ['object+'],
      kind: 'release',
      risk: { destroys: true },
    },
    test: {
      ...release,
      does: 'execute',
      says: 'runs the tests of',
      flags: '--logs --hide-notes',
      values: { word: '--filter', number: '--timeout' },
    },
    'repo add': {
      does: 'write',
      says: 'adds the repository',
      flags: '--allow-deprecated-repos --force-update --no-update --pass-credentials',
      values: { unread: '--username --password --ca-file --cert-file --key-file' },
      operands: ['object', 'url'],
    },
    'repo update, repo up': { does: 'write', says: 'updates the repository', operands: ['object*'] },
    'repo remove, repo rm': { does: 'delete', says: 'removes the repository', operands: ['object+'] },
    'pull, fetch': {
      does: 'write',
      says: 'downloads',
      flags: '--devel --prov --untar --verify',
      values: { write: '-d --destination --untardir', word: '--version', unread: chart.values.unread },
      operands: ['object+'],
      kind: 'chart',
    },
  },
};
