/** `aws`: in known services, describing and listing is a read, except for operations that return secrets or user data. */
import { type Command, type CommandProgram, commandsOf } from './command-program.ts';

const open = { open: 'remote' } as const;
const reads = { ...open, does: 'read' } as const satisfies Command;
const prints = { ...reads, secrets: true } as const satisfies Command;
const described = (services: string): string =>
  commandsOf(services.trim().replaceAll(/\s+/g, ', '), 'describe-* list-*');
const copying = {
  does: 'write',
  says: 'copies',
  flags:
    '--recursive --dryrun --quiet --only-show-errors --no-progress --follow-symlinks --no-follow-symlinks --size-only --exact-timestamps --force-glacier-transfer',
  values: {
    word: '--exclude --include --acl --storage-class --content-type --cache-control --sse --source-region --metadata-directive --page-size --expires --metadata',
  },
  changes: { delete: '--delete' },
  operands: ['from', 'to'],
} as const satisfies Command;

/** What is acted on, by the options that name it. */
const named =
  '--instance-ids --instance-id --bucket --table-name --function-name --cluster --cluster-name --db-instance-identifier --db-cluster-identifier --stack-name --role-name --user-name --policy-arn --secret-id --queue-url --topic-arn --key-id --repository-name --group-id --volume-id --log-group-name --name --names';

export const aws: CommandProgram = {
  syntax: 'anywhere',
  flags: '--no-paginate --no-cli-pager --no-cli-auto-prompt --no-sign-request --color',
  values: {
    word: '--profile --region',
    format: '--output',
    remote: '--query',
    number: '--cli-read-timeout --cli-connect-timeout --max-items --page-size',
    unread: '--endpoint-url --ca-bundle --cli-input-json --cli-input-yaml --cli-binary-format --generate-cli-skeleton',
  },
  refused: '--no-verify-ssl --debug --cli-auto-prompt',
  scopes: { profile: '--profile', region: '--region' },
  objects: named,
  commands: {
    [described(`ec2 rds eks elbv2 elb cloudwatch logs autoscaling application-autoscaling route53 sqs sns acm cloudfront efs elasticache dynamodb kms cloudtrail
      ecr ecr-public kinesis backup guardduty inspector2 config resource-groups service-quotas iam s3control ecs es opensearch redshift docdb neptune athena
      codedeploy wafv2 shield lambda ssm`)]: reads,
    [`${commandsOf('s3api', 'list-buckets list-objects list-objects-v2 list-object-versions list-multipart-uploads head-bucket head-object get-bucket-location get-bucket-policy get-bucket-policy-status get-bucket-acl get-bucket-versioning get-bucket-encryption get-bucket-lifecycle-configuration get-bucket-logging get-bucket-tagging get-bucket-cors get-public-access-block')},
      ${commandsOf('iam', 'get-user get-role get-policy get-policy-version get-role-policy get-user-policy get-group get-group-policy get-instance-profile get-account-summary get-account-password-policy simulate-principal-policy')},
      ${commandsOf('cloudwatch', 'get-metric-data get-metric-statistics get-dashboard')},
      ${commandsOf('logs', 'get-log-events filter-log-events get-query-results tail')},
      ${commandsOf('ce', 'get-cost-and-usage get-cost-forecast get-dimension-values')},
      ${commandsOf('ecr', 'batch-get-image get-repository-policy get-lifecycle-policy')},
      ${commandsOf('sqs', 'get-queue-attributes get-queue-url')},
      ${commandsOf('sns', 'get-topic-attributes get-subscription-attributes')},
      ${commandsOf('route53', 'get-hosted-zone get-change')},
      ${commandsOf('kms', 'get-key-policy get-key-rotation-status get-public-key')},
      ${commandsOf('cloudformation', 'list-stacks list-stack-resources describe-stack-resource describe-stack-resources describe-stack-events get-template-summary validate-template')},
      ${commandsOf('stepfunctions', 'list-state-machines list-executions')}, events list-rules, events list-event-buses, wafv2 get-web-acl,
      ${commandsOf('cloudtrail', 'lookup-events get-trail-status')},
      ${commandsOf('secretsmanager', 'list-secrets describe-secret list-secret-version-ids get-resource-policy')},
      ${commandsOf('ec2', 'get-console-screenshot get-ebs-encryption-by-default search-transit-gateway-routes')},
      sts get-caller-identity, sts get-access-key-info`]: reads,
    'ec2 wait, rds wait, eks wait, ecs wait, cloudformation wait': { ...reads, operands: ['word'] },
    's3 ls': {
      does: 'read',
      flags: '--recursive --human-readable --summarize',
      values: { word: '--request-payer' },
      operands: ['object?'],
    },
    // They hand out secrets, credentials, user data or environments.
    [`${commandsOf('secretsmanager', 'get-secret-value batch-get-secret-value get-random-password')},
      ${commandsOf('ssm', 'get-access-token list-commands list-association-versions describe-association describe-maintenance-window-tasks get-command-invocation')},
      ${commandsOf('sts', 'get-session-token get-federation-token get-delegated-access-token get-web-identity-token')},
      ${commandsOf('ecr', 'get-login-password get-login get-authorization-token')}, ecr-public get-login-password, ecr-public get-authorization-token,
      ${commandsOf('ec2', 'get-password-data describe-instance-attribute describe-launch-template-versions get-launch-template-data describe-spot-fleet-requests describe-spot-instance-requests describe-vpn-connections get-vpn-connection-device-sample-configuration describe-verified-access-trust-providers describe-bundle-tasks describe-conversion-tasks describe-import-image-tasks describe-import-snapshot-tasks')},
      ${commandsOf('lambda', 'get-function get-function-configuration list-functions list-versions-by-function get-durable-execution')},
      ${commandsOf('ecs', 'describe-task-definition describe-daemon-task-definition describe-tasks describe-express-gateway-service')},
      ${commandsOf('iam', 'list-virtual-mfa-devices get-saml-provider get-server-certificate')},
      ${commandsOf('eks', 'get-token describe-eks-anywhere-subscription list-eks-anywhere-subscriptions')},
      ${commandsOf('rds', 'generate-db-auth-token describe-option-groups')}, wafv2 list-api-keys, autoscaling describe-launch-configurations,
      ${commandsOf('kms', 'decrypt generate-data-key generate-data-key-pair generate-data-key-without-plaintext')},
      codeartifact get-authorization-token, cognito-identity get-credentials-for-identity, sso get-role-credentials, configure get, configure list,
      configure export-credentials, s3 presign, redshift get-cluster-credentials, redshift get-cluster-credentials-with-iam`]:
      prints,
    // Without decryption a secure string stays encrypted.
    [commandsOf('ssm', 'get-parameter get-parameters get-parameters-by-path get-parameter-history')]: {
      ...reads,
      flags: '--with-decryption --no-with-decryption --recursive --no-recursive',
      secrets: /(?:^| )--with-decryption(?: |$)/,
    },
    's3 cp, s3 sync': copying,
    's3 mv': { ...copying, says: 'moves' },
    's3 rm': {
      does: 'delete',
      flags: '--recursive --dryrun --quiet --only-show-errors',
      values: { word: '--exclude --include --page-size' },
      operands: ['object'],
      risk: { destroys: /(?:^| )--recursive(?: |$)/ },
    },
    's3 rb': { does: 'delete', flags: '--force', operands: ['object'], risk: { destroys: true } },
    's3 mb': { does: 'write', says: 'creates', operands: ['object'] },
    [`${commandsOf('rds', 'delete-*')}, dynamodb delete-table, ec2 terminate-instances, cloudformation delete-stack, kms schedule-key-deletion, eks delete-cluster`]:
      { ...open, does: 'delete', risk: { destroys: true } },
    [commandsOf('iam', 'attach-* put-* create-* add-* update-* pass-*')]: {
      ...open,
      does: 'write',
      says: 'changes rights:',
      risk: { rights: true },
    },
    // They print a key that they make.
    'iam create-access-key, iam create-service-specific-credential, iam reset-service-specific-credential, ec2 create-key-pair, iot create-keys-and-certificate, lightsail download-default-key-pair':
      { ...open, does: 'write', says: 'makes a key:', secrets: true, risk: { rights: true } },
    'sts assume-role, sts assume-role-with-saml, sts assume-role-with-web-identity, sts assume-root': {
      ...open,
      does: 'execute',
      says: 'takes the role of',
      secrets: true,
      risk: { rights: true },
    },
  },
  verbs: {
    'delete-* terminate-* remove-* deregister-* purge-* detach-* revoke-* disassociate-* release-* batch-delete-*': {
      ...open,
      does: 'delete',
    },
    'create-* put-* update-* modify-* add-* attach-* associate-* set-* tag-* untag-* register-* enable-* disable-* authorize-* copy-* restore-* import-* allocate-* replace-* upload-* publish-* change-* batch-write-*':
      { ...open, does: 'write', says: 'changes' },
    'run-* start-* stop-* reboot-* invoke send-* execute-*': { ...open, does: 'execute' },
  },
};
