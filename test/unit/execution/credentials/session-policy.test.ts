// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its escapes and variables so
import { awsCalls } from '#core/execution/credentials/aws-calls.ts';
import { compileSessionPolicy } from '#core/execution/credentials/session-policy.ts';
import { envelope } from './sample.ts';

const expiresMs = Date.UTC(2026, 0, 1, 0, 10, 0, 500);
const compile = (tool: string, target: string, parameters: Record<string, unknown> = {}, partition?: string) =>
  compileSessionPolicy({ ...envelope, tool, target, parameters }, { expiresMs, ...(partition && { partition }) });
const at = 'eu-central-1:111122223333';
const table = `arn:aws:dynamodb:${at}:table/orders`;
const time = { DateLessThan: { 'aws:CurrentTime': '2026-01-01T00:10:00Z' } };

describe('the session policy of an action', () => {
  test.each<[string, string, Record<string, unknown>, string, string, object]>([
    ['aws.s3.get_object', 's3://b-1/a/b.csv', {}, 's3:GetObject', 'arn:aws:s3:::b-1/a/b.csv', {}],
    ['aws.s3.put_object', 'arn:aws:s3:::b-1/a', {}, 's3:PutObject', 'arn:aws:s3:::b-1/a', {}],
    ['aws.s3.delete_object', 's3://b-1/a/', {}, 's3:DeleteObject', 'arn:aws:s3:::b-1/a/', {}],
    ['aws.s3.get_object', 's3://b-1/a*b?c${d}', {}, 's3:GetObject', 'arn:aws:s3:::b-1/a${*}b${?}c${$}{d}', {}],
    [
      'aws.s3.list_bucket',
      's3://b-1/in/$*',
      {},
      's3:ListBucket',
      'arn:aws:s3:::b-1',
      { StringEquals: { 's3:prefix': 'in/${$}*' } },
    ],
    ['aws.dynamodb.get_item', table, { key: { id: { S: 'u1' } } }, 'dynamodb:GetItem', table, leading('u1')],
    ['aws.dynamodb.query', table, { key: { id: 7 } }, 'dynamodb:Query', table, leading('7')],
    [
      'aws.dynamodb.update_item',
      table,
      { key: { id: 'u', at: 1 }, partition_key: 'id' },
      'dynamodb:UpdateItem',
      table,
      leading('u'),
    ],
    [
      'aws.dynamodb.put_item',
      table,
      { item: { id: { N: '5' } }, partition_key: 'id' },
      'dynamodb:PutItem',
      table,
      leading('5'),
    ],
    ['aws.dynamodb.delete_item', table, { key: { id: 'u', at: 1 } }, 'dynamodb:DeleteItem', table, {}],
    ['aws.sqs.send_message', `arn:aws:sqs:${at}:jobs.fifo`, {}, 'sqs:SendMessage', `arn:aws:sqs:${at}:jobs.fifo`, {}],
    [
      'aws.lambda.invoke',
      `arn:aws:lambda:${at}:function:f:live`,
      {},
      'lambda:InvokeFunction',
      `arn:aws:lambda:${at}:function:f:live`,
      {},
    ],
    [
      'aws.logs.filter_log_events',
      `arn:aws:logs:${at}:log-group:/app/x`,
      {},
      'logs:FilterLogEvents',
      `arn:aws:logs:${at}:log-group:/app/x:*`,
      {},
    ],
    [
      'aws.ssm.get_parameter',
      `arn:aws:ssm:${at}:parameter/app/x`,
      {},
      'ssm:GetParameter',
      `arn:aws:ssm:${at}:parameter/app/x`,
      {},
    ],
    [
      'aws.ecs.describe_services',
      `arn:aws:ecs:${at}:service/c/s`,
      {},
      'ecs:DescribeServices',
      `arn:aws:ecs:${at}:service/c/s`,
      {},
    ],
  ])('%s on %s', (tool, target, parameters, action, resource, conditions) => {
    expect(compile(tool, target, parameters)).toMatchObject({
      policy: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: [action], Resource: resource, Condition: { ...time, ...conditions } }],
      },
      actions: [action],
    });
  });

  function leading(value: string) {
    const key = 'dynamodb:LeadingKeys';
    return { 'ForAllValues:StringEquals': { [key]: value }, Null: { [key]: 'false' } };
  }

  test('a partition key of any text is one', () => {
    expect(compile('aws.dynamodb.get_item', table, { key: { id: 'x' } })).toHaveProperty('policy');
  });

  test("an s3 address is in the role's own partition", () => {
    expect(compile('aws.s3.get_object', 's3://bucket/k', {}, 'aws-us-gov')).toMatchObject({
      resource: 'arn:aws-us-gov:s3:::bucket/k',
    });
  });

  test('is ASCII as it is sent, whatever the target holds', () => {
    const compiled = compile('aws.s3.get_object', 's3://bucket/größe/日本.txt');
    if ('refused' in compiled) throw new Error(compiled.refused);
    expect(compiled.text).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(compiled.text)).toEqual(compiled.policy);
  });

  test.each<readonly [string, string]>([
    ['aws.iam.create_user', 'x'],
    ['aws.s3.get_bucket_policy', 's3://bucket/k'],
    ['scm.create_pull_request', 'acme/web'],
    ['AWS.S3.GET_OBJECT', 's3://bucket/k'],
    ['constructor', 's3://bucket/k'],
    ['__proto__', 's3://bucket/k'],
    ['aws.s3.get_object', 's3://bucket'],
    ['aws.s3.get_object', 's3://bucket/'],
    ['aws.s3.get_object', 's3://*/k'],
    ['aws.s3.get_object', `s3://bucket/${'*'.repeat(1000)}`],
    ['aws.s3.list_bucket', 's3://bucket'],
    ...['private/../public/a', '/public/a', 'public//a', './a', 'a/.', 'a/..', '..', '../a'].flatMap((key) => [
      ['aws.s3.put_object', `s3://bucket/${key}`] as const,
      ['aws.s3.get_object', `arn:aws:s3:::bucket/${key}`] as const,
      ['aws.s3.list_bucket', `s3://bucket/${key}`] as const,
    ]),
    ...['prod/../dev/x', 'prod//x', 'prod/', 'a/./b', '..', 'a/..'].map(
      (name) => ['aws.ssm.get_parameter', `arn:aws:ssm:${at}:parameter/${name}`] as const,
    ),
    ['aws.dynamodb.get_item', 'orders'],
    ['aws.dynamodb.get_item', `${table}/index/by_time`],
    ['aws.dynamodb.get_item', `arn:aws:dynamodb:${at}:table/*`],
    ['aws.dynamodb.get_item', `arn:aws:dynamodb:*:111122223333:table/orders`],
    ['aws.sqs.send_message', `arn:aws:sqs:${at}:jo?s`],
    ['aws.secretsmanager.get_secret_value', `arn:aws:secretsmanager:${at}:secret:db`],
    ['aws.lambda.invoke', `arn:aws:lambda:${at}:function:f:*`],
    ['aws.ssm.get_parameter', `arn:aws:ssm:${at}:parameter/\${aws:username}`],
    ['aws.logs.filter_log_events', `arn:aws:logs:${at}:log-group:*`],
    ['aws.sqs.send_message', `arn:aws:sqs:${at}:jobs\n`],
  ])('[credential.no-broader] %s on %s is refused', (tool, target) => {
    expect(compile(tool, target)).toEqual({ refused: expect.any(String) });
  });

  test.each([
    ['aws.s3.get_object', 's3://bucket/a..b/.c/d./...'],
    ['aws.s3.list_bucket', 's3://bucket/a/b/'],
    ['aws.ssm.get_parameter', `arn:aws:ssm:${at}:parameter/prod/.db/a..b`],
    ['aws.ssm.get_parameter', `arn:aws:ssm:${at}:parameter/x`],
  ])('[credential.no-broader] %s on %s has a policy', (tool, target) => {
    expect(compile(tool, target)).not.toHaveProperty('refused');
  });

  test('every call of the table has one service and no wildcard', () => {
    for (const [tool, { actions }] of Object.entries(awsCalls)) {
      const [, service = ''] = tool.split('.');
      for (const action of actions) expect(action).toMatch(new RegExp(`^${service}:[A-Z][A-Za-z]+$`));
    }
  });
});
