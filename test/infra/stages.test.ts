/** `stage=emulator` compared with the stage for AWS: exactly the expected differences. */
import type { Template } from 'aws-cdk-lib/assertions';
import { ofType, reference, synthesize } from './synthesized.ts';

const aws = synthesize();
const emulator = synthesize({ stage: 'emulator', approvalTimeoutSeconds: 9, endpoint: 'http://127.0.0.1:1' });

type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** Returns the paths at which two templates differ, as `Type path: before → after`. */
function differences(before: Template, after: Template): string[] {
  const [a, b] = [withoutHashes(before), withoutHashes(after)] as Record<string, { Type: string }>[];
  return [...new Set([...Object.keys(a!), ...Object.keys(b!)])].flatMap((id) => {
    const type = (a![id] ?? b![id])!.Type.replace('AWS::', '');
    return compare(a![id] as Json, b![id] as Json, '').map((difference) => `${type} ${difference}`);
  });
}

/**
 * Removes hashes. The ids of deployments and versions end in a hash of their content, whose differences are reported
 * separately. Every resource is tagged with its stage.
 */
const withoutHashes = (template: Template): unknown =>
  JSON.parse(
    JSON.stringify(template.toJSON().Resources)
      .replaceAll(/(Deployment[0-9A-F]{8})[0-9a-f]{32}/g, '$1')
      .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1')
      .replaceAll(/("gateway:stage"(?:,"Value")?:)"\w+"/g, '$1""'),
  );

function compare(a: Json, b: Json, path: string): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (path.endsWith('.Statement') && Array.isArray(a) && Array.isArray(b)) return compareSets(a, b, path);
  if (isObject(a) && isObject(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      compare(a[key], b[key], `${path}.${key}`),
    );
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((item, i) => compare(item, b[i], `${path}[]`));
  if (path.endsWith('DefinitionString'))
    return compare(JSON.parse(String(a)) as Json, JSON.parse(String(b)) as Json, '.Definition');
  return [`${path}: ${brief(a)} → ${brief(b)}`];
}

/**
 * Compares statements by the resources that each of their actions may access, because the CDK merges statements in
 * unpredictable ways.
 */
const compareSets = (a: Json[], b: Json[], path: string): string[] => {
  const [before, after] = [a.flatMap(grants), b.flatMap(grants)];
  const missing = (from: string[], other: string[]) => from.filter((grant) => !other.includes(grant)).map(named);
  return [
    ...missing(before, after).map((grant) => `${path} without ${grant}`),
    ...missing(after, before).map((grant) => `${path} with ${grant}`),
  ];
};

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const brief = (value: Json): string => (typeof value === 'object' && value !== null ? 'present' : String(value));
const list = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);
const grants = (statement: Json): string[] => {
  const { Sid, Action, NotAction, Condition, Resource } = statement as { [key: string]: Json };
  if (JSON.stringify(Condition ?? '').includes('aws:SecureTransport')) return ['refusal of plain HTTP'];
  if (Sid) return [String(Sid)];
  if (NotAction) return [`denial of all but ${String(NotAction)} to code`];
  return list(Action).flatMap((action) =>
    list(Resource).map((resource) => `${String(action)} on ${JSON.stringify(resource)}`),
  );
};
/** Removes the exact resource, which another test checks. */
const named = (grant: string): string => grant.replace(/ on \{.*\}$/, ' on one resource').replace(' on "*"', ' on *');
const distinct = (found: string[]): string[] => [...new Set(found)].sort();

it('[cloud.templates] the stores differ only in protection and in settings that the emulator does not support', () => {
  expect(distinct(differences(aws.stores, emulator.stores))).toEqual(
    [
      ...['DynamoDB::Table', 'KMS::Key', 'S3::Bucket', 'SecretsManager::Secret'].flatMap((type) => [
        `${type} .DeletionPolicy: RetainExceptOnCreate → Delete`,
        `${type} .UpdateReplacePolicy: Retain → Delete`,
      ]),
      'DynamoDB::Table .Properties.DeletionProtectionEnabled: true → false',
      // One bucket policy fewer to depend on.
      'DynamoDB::Table .DependsOn: present → present',
      'S3::BucketPolicy .Properties.PolicyDocument.Statement without NobodyOverwrites',
      'S3::BucketPolicy .Properties.PolicyDocument.Statement without refusal of plain HTTP',
      'S3::BucketPolicy : present → undefined',
    ].sort(),
  );
});

it("[cloud.templates] differs in the services by buffering, a literal time-out, addresses, resources and actions of roles, the sandbox's network", () => {
  const network = [
    ...['CreateNetworkInterface', 'DeleteNetworkInterface', 'DescribeNetworkInterfaces', 'DescribeSubnets'],
    ...['AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses'],
  ].map((action) => `ec2:${action} on *`);
  expect(distinct(differences(aws.services, emulator.services))).toEqual(
    [
      'IAM::Role .Properties.Policies[].PolicyDocument.Statement with bedrock:Converse on one resource',
      'IAM::Role .Properties.Policies[].PolicyDocument.Statement with bedrock:ConverseStream on one resource',
      'IAM::Role .Properties.Policies[].PolicyDocument.Statement with states:SendTaskSuccess on *',
      'IAM::Role .Properties.Policies[].PolicyDocument.Statement without states:SendTaskSuccess on one resource',
      // New versions are shifted in stages only on AWS.
      ...['CloudWatch::Alarm', 'CodeDeploy::Application', 'CodeDeploy::DeploymentGroup', 'IAM::Role'].map(
        (type) => `${type} : present → undefined`,
      ),
      'Lambda::Alias .DependsOn: present → undefined',
      'Lambda::Alias .UpdatePolicy: present → undefined',
      // The sandbox has its empty network only on AWS.
      ...['SecurityGroup', 'Subnet', 'VPC'].map((type) => `EC2::${type} : present → undefined`),
      'Lambda::Function .Properties.VpcConfig: present → undefined',
      ...[...network, 'denial of all but logs:* to code'].map(
        (grant) => `IAM::Role .Properties.Policies[].PolicyDocument.Statement without ${grant}`,
      ),
      'Lambda::Function .Properties.Environment.Variables.STAGE: prod → emulator',
      'Lambda::Function .Properties.Environment.Variables.CONNECTIONS_URL.Fn::Join[]: present → present',
      ...[
        ...['ResponseTransferMode: STREAM → undefined', 'TimeoutInMillis: 900000 → undefined'],
        'Uri.Fn::Join[][]: :lambda:path/2021-11-15/functions/ → :lambda:path/2015-03-31/functions/',
        'Uri.Fn::Join[][]: /response-streaming-invocations → /invocations',
      ].map((difference) => `ApiGateway::Method .Properties.Integration.${difference}`),
      'SQS::QueuePolicy .Properties.PolicyDocument.Statement without refusal of plain HTTP',
      'StepFunctions::StateMachine .Definition.States.Rest.Seconds: {% $states.input.seconds %} → 5',
      'StepFunctions::StateMachine .Definition.States.WaitForDecision.TimeoutSeconds: {% $seconds_left %} → 9',
    ].sort(),
  );
});

it('[cloud.templates] the monitoring stacks differ only in the rule against plain HTTP, computed alarms and composite alarms', () => {
  expect(distinct(differences(aws.watch, emulator.watch))).toEqual([
    // States that a composite alarm reports on AWS are reported by its parts here.
    'CloudWatch::Alarm .Properties.AlarmActions: undefined → present',
    'CloudWatch::Alarm .Properties.OKActions: undefined → present',
    'CloudWatch::Alarm : present → undefined',
    'CloudWatch::CompositeAlarm : present → undefined',
    'CloudWatch::Dashboard .Properties.DashboardBody.Fn::Join[]: present → present',
    'SNS::TopicPolicy : present → undefined',
  ]);
  const left = Object.keys(ofType(emulator.watch, 'AWS::CloudWatch::Alarm'));
  const gone = Object.entries(ofType(aws.watch, 'AWS::CloudWatch::Alarm')).filter(([id]) => !left.includes(id));
  for (const [, { Properties }] of gone) expect(Properties.Metrics).toBeDefined();
});

it("reaches connections at the emulator's address, under the id of the API", () => {
  const functions = Object.values(ofType(emulator.services, 'AWS::Lambda::Function'));
  const urls = functions.flatMap(({ Properties }) => Properties.Environment?.Variables.CONNECTIONS_URL ?? []);
  expect(urls.map(reference)).toEqual(
    Array(2).fill(
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/_aws\/execute-api\/\{WebSocketApi[^}]*\}\/gateway$/),
    ),
  );
});
