import { isObject } from '#core/kernel/narrow.ts';
/**
 * The AWS calls to which this gateway can narrow a role. Each has its IAM actions and one resource, which is read from
 * the target. Services without resource-level permissions are not included.
 */

/** The resource read from a target. Its strings are raw; the policy compiler escapes them. */
export interface AwsResource {
  /** The resource without the wildcard added by the service. */
  readonly arn: string;
  /** Suffix of the service's ARNs; see `logCall`. */
  readonly suffix?: ':*';
  /** The call's condition keys, each with its only allowed value. */
  readonly equals?: Readonly<Record<string, string>>;
  /** Like `equals`, for multi-valued keys. */
  readonly everyEquals?: Readonly<Record<string, string>>;
}

interface AwsCall {
  readonly actions: readonly [string, ...string[]];
  /** Required form of the target, for refusal messages. */
  readonly form: string;
  read(target: string, parameters: Readonly<Record<string, unknown>>, partition: string): AwsResource | undefined;
}

const bucketName = '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]';
const s3Pattern = new RegExp(`^(?:s3://|arn:(aws[a-z-]*):s3:::)(${bucketName})/(.{1,1024})$`, 'su');

/**
 * Checks that a key has no dot or empty segments. S3 treats such segments as part of the name, but policies normalise
 * them: `private/../public/a` is evaluated as `public/a`, though it is under `private/` [credential.no-broader].
 */
const isPlainKey = (key: string): boolean => !/(?:^|\/)\.{0,2}\/|(?:^|\/)\.{1,2}$/.test(key);

/** Parses the bucket and key; an ARN has its own partition. */
function s3(target: string, partition: string) {
  const [, named, bucket, key] = s3Pattern.exec(target) ?? [];
  if (bucket === undefined || key === undefined || !isPlainKey(key)) return undefined;
  return { arn: `arn:${named ?? partition}:s3:::${bucket}`, key };
}

const objectCall = (action: string): AwsCall => ({
  actions: [action],
  form: 's3://bucket/key or an object ARN whose key has no empty, "." or ".." segments',
  read(target, _, partition) {
    const found = s3(target, partition);
    return found && { arn: `${found.arn}/${found.key}` };
  },
});

/** The call that lists a bucket. It requires a prefix to narrow it: whole buckets are not listed. */
const listBucket: AwsCall = {
  actions: ['s3:ListBucket'],
  form: 's3://bucket/prefix, without empty, "." or ".." segments',
  read(target, _, partition) {
    const found = s3(target, partition);
    return found && { arn: found.arn, equals: { 's3:prefix': found.key } };
  },
};

/** Returns a call on one resource given by its ARN. */
const onArn = (action: string, service: string, resource: string, form: string): AwsCall => {
  const pattern = arnPattern(service, resource);
  return { actions: [action], form, read: (target) => (pattern.test(target) ? { arn: target } : undefined) };
};

const arnPattern = (service: string, resource: string) =>
  new RegExp(`^arn:aws[a-z-]*:${service}:[a-z]{2}(?:-[a-z]+)+-\\d:\\d{12}:${resource}$`);

const tablePattern = arnPattern('dynamodb', 'table/[A-Za-z0-9_.-]{3,255}');

/**
 * Returns a call on a table. @param from the parameter that contains the item's key. If the key cannot be read, the
 * call may access the whole table.
 */
const tableCall = (action: string, from: 'key' | 'item' = 'key'): AwsCall => ({
  actions: [action],
  form: 'the ARN of a table',
  read(target, parameters) {
    if (!tablePattern.test(target)) return undefined;
    const leading = leadingKey(parameters, from);
    return { arn: target, ...(leading !== undefined && { everyEquals: { 'dynamodb:LeadingKeys': leading } }) };
  },
});

/**
 * Returns the value of the partition key: the member named by `partition_key`, or the only member of the key. It may be
 * plain or in DynamoDB's form, `{"S": "…"}`.
 */
function leadingKey(parameters: Readonly<Record<string, unknown>>, from: 'key' | 'item'): string | undefined {
  const held = parameters[from];
  if (!isObject(held)) return undefined;
  const names = Object.keys(held);
  const only = from === 'key' && names.length === 1 ? names[0] : undefined;
  const name = typeof parameters.partition_key === 'string' ? parameters.partition_key : only;
  const value = name !== undefined && Object.hasOwn(held, name) ? held[name] : undefined;
  const bare = isObject(value) && Object.keys(value).length === 1 ? (value.S ?? value.N) : value;
  return typeof bare === 'string' && bare !== '' ? bare : typeof bare === 'number' ? String(bare) : undefined;
}

const queueForm = 'the ARN of a queue';
const queue = '[A-Za-z0-9_-]{1,75}(?:\\.fifo)?';
const logGroupPattern = arnPattern('logs', 'log-group:[A-Za-z0-9_/.#-]{1,512}(?::\\*)?');

/**
 * Returns a call on a log group. IAM uses the group's ARN with the suffix `:*`. Group names contain no colon, so the
 * pattern matches no other group.
 */
const logCall = (action: string): AwsCall => ({
  actions: [action],
  form: 'the ARN of a log group',
  read: (target) => (logGroupPattern.test(target) ? { arn: target.replace(/:\*$/, ''), suffix: ':*' } : undefined),
});

export const awsCalls: Readonly<Record<string, AwsCall>> = {
  'aws.s3.get_object': objectCall('s3:GetObject'),
  'aws.s3.put_object': objectCall('s3:PutObject'),
  'aws.s3.delete_object': objectCall('s3:DeleteObject'),
  'aws.s3.list_bucket': listBucket,
  'aws.dynamodb.get_item': tableCall('dynamodb:GetItem'),
  'aws.dynamodb.query': tableCall('dynamodb:Query'),
  'aws.dynamodb.put_item': tableCall('dynamodb:PutItem', 'item'),
  'aws.dynamodb.update_item': tableCall('dynamodb:UpdateItem'),
  'aws.dynamodb.delete_item': tableCall('dynamodb:DeleteItem'),
  'aws.sqs.send_message': onArn('sqs:SendMessage', 'sqs', queue, queueForm),
  'aws.sqs.receive_message': onArn('sqs:ReceiveMessage', 'sqs', queue, queueForm),
  'aws.sqs.delete_message': onArn('sqs:DeleteMessage', 'sqs', queue, queueForm),
  'aws.sns.publish': onArn('sns:Publish', 'sns', '[A-Za-z0-9_-]{1,250}(?:\\.fifo)?', 'the ARN of a topic'),
  'aws.lambda.invoke': onArn(
    'lambda:InvokeFunction',
    'lambda',
    'function:[A-Za-z0-9_-]{1,64}(?::[A-Za-z0-9_-]{1,128})?',
    'the ARN of a function, its alias or version',
  ),
  'aws.secretsmanager.get_secret_value': onArn(
    'secretsmanager:GetSecretValue',
    'secretsmanager',
    'secret:[A-Za-z0-9/_+=.@-]{1,512}-[A-Za-z0-9]{6}',
    'the full ARN of a secret, including its last six characters',
  ),
  'aws.ssm.get_parameter': onArn(
    'ssm:GetParameter',
    'ssm',
    'parameter/(?!(?:[^:]*/)?\\.{0,2}(?:/|$))[A-Za-z0-9_.-][A-Za-z0-9_./-]{0,1010}',
    'the ARN of a parameter',
  ),
  'aws.logs.filter_log_events': logCall('logs:FilterLogEvents'),
  'aws.ecs.describe_services': onArn(
    'ecs:DescribeServices',
    'ecs',
    'service/[A-Za-z0-9_-]{1,255}/[A-Za-z0-9_-]{1,255}',
    'the ARN of a service in its cluster',
  ),
  'aws.states.start_execution': onArn(
    'states:StartExecution',
    'states',
    'stateMachine:[A-Za-z0-9_-]{1,80}',
    'the ARN of a state machine',
  ),
};
