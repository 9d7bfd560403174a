/** `gcloud`: listing and describing resources that hold no secrets is a read. */
import { type Command, type CommandProgram, commandsOf } from './command-program.ts';

const reads = {
  does: 'read',
  flags: '--uri --show-events --include-children',
  values: {
    remote: '--filter --sort-by',
    number: '--limit --page-size',
    word: '--region --zone --zones --regions --location --cluster --instance --service --platform --topic --organization --folder --order --freshness',
  },
  operands: ['object*'],
} as const satisfies Command;
const prints = { ...reads, open: 'remote', secrets: true } as const satisfies Command;
const open = { open: 'remote', operands: ['object*'] } as const;

export const gcloud: CommandProgram = {
  syntax: 'anywhere',
  flags: '-q --quiet -h --no-user-output-enabled',
  values: {
    word: '--project --account --verbosity --billing-project --configuration',
    format: '--format',
    unread: '--access-token-file --impersonate-service-account --flags-file --trace-token --flatten',
  },
  refused: '--log-http',
  // Another account is for a person, as another cluster is.
  scopes: { project: '--project', context: '--account --configuration' },
  commands: {
    [`${commandsOf(
      `compute disks, compute networks, compute firewall-rules, compute images, compute snapshots, compute zones, compute regions, compute addresses,
      compute forwarding-rules, compute backend-services, compute url-maps, compute machine-types, compute networks subnets, compute routers,
      compute target-pools, container clusters, container node-pools, projects, sql databases, pubsub topics, pubsub subscriptions, iam service-accounts,
      iam roles, dns managed-zones, dns record-sets, storage buckets, storage objects, logging logs, logging sinks, monitoring dashboards, artifacts repositories,
      artifacts docker images, redis instances, spanner instances, bigtable instances, services, organizations, billing accounts, sql backups, sql operations`,
      'list describe',
    )}, compute instances list, sql instances list, run services list, run revisions list, functions list, app services list, app versions list, builds list, secrets list,
    secrets describe, secrets versions list, projects get-iam-policy, iam service-accounts get-iam-policy, scheduler jobs list, kms keys list, kms keyrings list,
    auth list, config get-value, config get, config configurations list, storage ls, logging read`]: reads,
    // Of functions and the like it would show the environment.
    'compute instances describe, sql instances describe': reads,
    [`secrets versions access, auth print-access-token, auth print-identity-token, auth application-default print-access-token, config config-helper,
    sql generate-login-token, kms decrypt, compute reset-windows-password, container clusters get-credentials`]: prints,
    'projects add-iam-policy-binding, projects set-iam-policy, organizations add-iam-policy-binding, organizations set-iam-policy, iam service-accounts add-iam-policy-binding, iam service-accounts set-iam-policy, iam service-accounts keys create, iam roles create, iam roles update':
      { ...open, does: 'write', says: 'changes rights:', risk: { rights: true } },
    'storage cp, storage mv, storage rsync': {
      does: 'write',
      says: 'copies',
      flags: '-r -R --recursive --no-clobber -n',
      operands: ['from', 'to'],
    },
    'storage rm': {
      does: 'delete',
      flags: '-r -R --recursive -a --all-versions',
      operands: ['object+'],
      risk: { destroys: /(?:^| )(?:-r|-R|--recursive)(?: |$)/ },
    },
  },
  verbs: {
    'delete destroy purge remove-* disable': { ...open, does: 'delete', risk: { destroys: /(?:^| )delete(?: |$)/ } },
    'create update add-* set-* enable patch resize start stop reset restart import move deploy': {
      ...open,
      does: 'write',
      says: 'changes',
    },
    'ssh scp run exec execute submit call connect': { ...open, does: 'execute' },
  },
};
