/** The restore plan: how each table is treated, and the commands in order [cli.status]. */
import { UsageError } from '#agentctl/failure.ts';
import type { TableName, TableSpec } from '#core/contracts/tables.ts';
import { fields, text } from '#core/kernel/json-fields.ts';
import { tables } from '#features/tables.ts';

interface RestoreStep {
  readonly title: string;
  readonly why?: string;
  readonly commands: readonly string[];
}

interface RestorePlan {
  readonly from: string;
  readonly to: string;
  readonly steps: readonly RestoreStep[];
  /** Treatment of each table, with its reason. */
  readonly tables: Readonly<Record<TableName, string>>;
  /** Notes on pending approvals. */
  readonly pending: readonly string[];
}

/** Tables that are left empty, with the reason. Every other table is restored. */
const leftEmpty: Readonly<Partial<Record<TableName, string>>> = {
  connections: 'open WebSockets, which ended with the first deployment',
  cancellations: 'requests to cancel calls that are no longer running',
  traces: 'the last traces of its processes',
};

/** Points to watch after a table has been restored. */
const afterwards: Readonly<Partial<Record<TableName, string>>> = {
  evidence: 'later entries come back from the archive by `agentctl restore entries`',
  sessions: 'heads, risk and cost of sessions are updated as entries are restored',
  approvals: 'the sweep records expired leases with the outcome unknown, and drops dead task tokens',
  actions: 'actions without an outcome are closed as unknown by the sweep, never repeated',
  config: 'the version in force is an earlier one: the check names later ones',
  credentials: 'rows of later credentials are lost: the check names them, revoke them at their issuers',
  observations:
    'projections, derived from evidence: `agentctl rebuild-projections`; and the head of the log, which moves forward with `agentctl restore entries`',
  counters: 'open reservations expire; spent budgets are lower than in evidence: the check names them',
  deliveries: 'messages that were due are sent, perhaps for the second time',
  mcp: 'sessions of upstream servers are opened again',
};

const pending = [
  'Pending approvals count: a vote decides on the row. The task token of the first deployment is dead, so the sweep takes over the work of its execution: expiry, and the call under on_approval: execute.',
  'Approvals that were given and not used are signed by the first vote key: formerVoteKeys keeps them usable.',
  'An approval that was decided after the restored time is pending again: `agentctl restore check` names it; deny it.',
];

interface PlanOptions {
  readonly to: string;
  readonly from: { readonly at: string } | { readonly vault: string };
}

/** Builds the plan. @param stacks outputs by stack name. @throws UsageError if they do not come from a deployment. */
export function restorePlan(stacks: unknown, { to, from }: PlanOptions): RestorePlan {
  const name = Object.keys(fields(stacks))
    .find((stack) => stack.endsWith('-stores'))
    ?.slice(0, -'-stores'.length);
  if (name === undefined)
    throw new UsageError(
      'the file has no outputs of <name>-stores; give the file written by cdk deploy --outputs-file',
    );
  if (name === to) throw new UsageError(`--to is ${to}, the name of the first deployment; give another name`);
  const stores = fields(fields(stacks)[`${name}-stores`]);
  const output = (key: string): string => {
    const value = text(stores[key]);
    if (value === undefined) throw new UsageError(`the outputs of ${name}-stores lack ${key}`);
    return value;
  };
  const apis = Object.entries(fields(fields(stacks)[`${name}-services`])).filter(([key]) => /ApiId$/.test(key));
  const keys = (prefix: string): string =>
    Object.keys(stores)
      .filter((key) => new RegExp(`^${prefix}\\d*$`).test(key))
      .map((key) => `arn:aws:kms:<region>:<account>:key/${output(key)}`)
      .join(',');
  const restored = (Object.entries(tables) as [TableName, TableSpec][]).filter(([table]) => !leftEmpty[table]);
  const deploy = [
    `npx cdk deploy --all -c name=${to} -c formerSigningKeys=${keys('SigningKeyId')}`,
    `-c formerVoteKeys=${keys('VoteKeyId')}`,
    ...(keys('LogKeyId') ? [`-c formerLogKeys=${keys('LogKeyId')} -c logKeyOverlap=off`] : []),
  ].join(' ');
  return {
    from: name,
    to,
    steps: [
      {
        title: 'Stop the callers',
        commands: apis
          .filter(([key]) => !key.startsWith('WebSocket'))
          .map(
            ([, id]) =>
              `aws apigateway update-stage --rest-api-id ${id} --stage-name gateway --patch-operations 'op=replace,path=/*/*/throttling/rateLimit,value=0'`,
          ),
      },
      {
        title: 'Restore the tables, all to one time',
        why: 'A decision, its approval and its evidence were written in one transaction.',
        commands: restored.map(([table]) => restoreCommand(`${name}-${table}`, `${to}-${table}`, from)),
      },
      {
        title: 'Reapply the settings that a restored table lacks, once each table is ACTIVE',
        commands: restored.flatMap(([table, spec]) => settingCommands(`${to}-${table}`, spec)),
      },
      {
        title: 'Deploy the second deployment, which adopts them',
        why: 'With restoring=on, no schedule runs, and the role that you copy with may write to the archive.',
        commands: [
          `${deploy} --import-existing-resources -c restoring=arn:aws:iam::<account>:role/<yours> --outputs-file restored.json`,
        ],
      },
      {
        title: 'Copy the buckets',
        why: 'An object is put only on the condition that it is absent, which a sync does not send. Checkpoints and the log are in the archive.',
        commands: ['ObjectBucketName', 'ArchiveBucketName'].map((key) => copyCommand(output(key), `<${key} of ${to}>`)),
      },
      {
        title: 'Copy the values of the secrets',
        commands: ['admin', 'keys', 'slack', 'github', 'brokers', 'webhooks', 'providers'].map(
          (secret) =>
            `aws secretsmanager put-secret-value --secret-id ${to}/${secret} --secret-string "$(aws secretsmanager get-secret-value --secret-id ${name}/${secret} --query SecretString --output text)"`,
        ),
      },
      {
        title: 'Restore the entries that only the archive contains, for each tenant, and check',
        why: 'The act is recorded. Do it before anything else writes: a chain that has continued can no longer be restored.',
        commands: [
          `./agentctl bootstrap --name ${to}`,
          './agentctl restore entries --url <AdminUrl> --key <admin token>',
          './agentctl restore check --url <AdminUrl> --key <admin token> --published <checkpoint of a witness>',
        ],
      },
      {
        title: 'Start the schedules, and protect and tag the adopted tables',
        commands: [deploy],
      },
      {
        title: 'Count the restored entries, and point the callers to the new addresses',
        commands: ['./agentctl rebuild-projections --url <AdminUrl> --key <admin token>'],
      },
    ],
    tables: Object.fromEntries(
      (Object.keys(tables) as TableName[]).map((table) => [table, treatmentOf(table)]),
    ) as Record<TableName, string>,
    pending,
  };
}

function treatmentOf(table: TableName): string {
  const reason = leftEmpty[table];
  if (reason !== undefined) return `left empty: ${reason}`;
  const note = afterwards[table];
  return note === undefined ? 'restored' : `restored; ${note}`;
}

function restoreCommand(source: string, target: string, from: PlanOptions['from']): string {
  if ('at' in from)
    return `aws dynamodb restore-table-to-point-in-time --restore-date-time ${from.at} --source-table-name ${source} --target-table-name ${target}`;
  const newest = `aws backup list-recovery-points-by-backup-vault --backup-vault-name ${from.vault} --by-resource-type DynamoDB --query "reverse(sort_by(RecoveryPoints[?ends_with(ResourceArn, '/${source}')], &CreationDate))[0].RecoveryPointArn" --output text`;
  return `aws backup start-restore-job --iam-role-arn <role of AWS Backup> --metadata targetTableName=${target} --recovery-point-arn "$(${newest})"`;
}

const settingCommands = (table: string, { stream, ttl }: TableSpec): string[] => [
  ...(stream
    ? [
        `aws dynamodb update-table --table-name ${table} --stream-specification StreamEnabled=true,StreamViewType=${stream}`,
      ]
    : []),
  ...(ttl
    ? [
        `aws dynamodb update-time-to-live --table-name ${table} --time-to-live-specification Enabled=true,AttributeName=${ttl}`,
      ]
    : []),
  `aws dynamodb update-continuous-backups --table-name ${table} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true`,
];

const copyCommand = (from: string, to: string): string =>
  `aws s3api list-objects-v2 --bucket ${from} --query 'Contents[].[Key]' --output text | while read -r key; do aws s3api copy-object --if-none-match '*' --copy-source "${from}/$key" --bucket ${to} --key "$key"; done`;
