/** The streaming plane as a template: off by default, its permissions, its isolation, and how it scales and drains. */

import { functions } from '#features/functions.ts';
import { buildGateway } from '../../../lib/gateway.ts';
import { readSettings } from '../../../lib/settings.ts';
import { certificate, namedPlane, ownPlane as on } from '../../../test/infra/contexts.ts';
import { appNode, emptyApp, ofType, reference, roleOf, synthesize } from '../../../test/infra/synthesized.ts';
import { planeFunctions } from '../functions.ts';
import { streamingPlane } from '../stack/stack.ts';

const {
  services,
  watch,
  stacks: { streaming },
} = synthesize(on);
const off = synthesize();
const named = synthesize(namedPlane).stacks.streaming;
const one = (type: string, template = streaming!) => {
  const found = Object.values(ofType(template, type));
  expect(found).toHaveLength(1);
  return found[0]!.Properties;
};
const container = () => one('AWS::ECS::TaskDefinition').ContainerDefinitions[0];

it('[plane.container] is in its own stack, created only on request', () => {
  expect(off.stacks.streaming).toBeUndefined();
  expect(Object.keys(streaming!.toJSON().Resources).length).toBeLessThan(100);
});

it.each([
  [{ streamingPlane: 'lambda' }, '"streamingPlane" must be off or fargate'],
  [{ streamingPlane: 'fargate' }, '"streamingPlane=fargate" needs "streamingCertificate"'],
  [{ ...on, streamingHost: 'stream' }, '"streamingHost" must be one host'],
  [{ ...on, stage: 'emulator' }, 'leave it out with stage=emulator'],
  [{ streamingPlane: 'fargate', stage: 'dev', streamingHost: 'a.example.com' }, 'needs "streamingCertificate"'],
  [{ ...namedPlane, streamingSubnetIds: '' }, '"streamingSubnetIds" names two or more subnets'],
  [{ streamingMaxTasks: 5 }, '"streamingMaxTasks" has no effect without "streamingPlane=fargate". Add that'],
  [{ ...on, streamingMinTasks: 0 }, '"streamingMinTasks" must be a whole number from 1'],
  [{ ...on, streamingMinTasks: 5, streamingMaxTasks: 4 }, '"streamingMaxTasks" must be a whole number from 5'],
])('[plane.container] refuses %j', (context, message) => {
  const node = appNode(context);
  expect(() => streamingPlane.planned(node, readSettings(node))).toThrow(message);
});

describe('[cloud.least-privilege] the task role', () => {
  interface Statement {
    readonly Effect: string;
    readonly Action: string | string[];
    readonly Resource: unknown;
  }
  const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
  /**
   * Returns the grants except those for log groups, which only functions have. Both stacks import the same tables and
   * buckets.
   */
  const grants = (role: { readonly Properties: { readonly Policies: unknown } }): string[] =>
    (role.Properties.Policies as { PolicyDocument: { Statement: Statement[] } }[])
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .flatMap(({ Action, Resource }) =>
        list(Action).flatMap((action) => list(Resource).map((one) => `${action} ${reference(one)}`)),
      )
      .filter((grant) => !grant.startsWith('logs:'));
  const role = Object.values(ofType(streaming!, 'AWS::IAM::Role')).find(({ Properties }) =>
    String(Properties.Description).startsWith('streaming plane'),
  )!;

  it('has exactly the grants of the functions it serves', () => {
    const served = planeFunctions.flatMap((name) => grants(roleOf(services, name)));
    expect(new Set(grants(role))).toEqual(new Set(served));
    expect(Object.keys(functions)).toEqual(expect.arrayContaining([...planeFunctions]));
  });

  it('is assumed by tasks and has no additional permissions', () => {
    expect(JSON.stringify(role.Properties.AssumeRolePolicyDocument)).toContain('ecs-tasks.amazonaws.com');
    expect(role.Properties.ManagedPolicyArns).toBeUndefined();
  });
});

it('[plane.container] runs unprivileged: read-only file system, no capabilities, no public address, no secret in its environment', () => {
  const { ReadonlyRootFilesystem, LinuxParameters, StopTimeout, Environment, Secrets } = container();
  expect({ ReadonlyRootFilesystem, StopTimeout }).toEqual({ ReadonlyRootFilesystem: true, StopTimeout: 120 });
  expect(LinuxParameters.Capabilities.Drop).toEqual(['ALL']);
  expect(Secrets).toBeUndefined();
  expect(one('AWS::ECS::TaskDefinition').RuntimePlatform.CpuArchitecture).toBe('ARM64');
  expect(one('AWS::ECS::Service').NetworkConfiguration.AwsvpcConfiguration.AssignPublicIp).toBe('DISABLED');
  const names = Environment.map(({ Name }: { Name: string }) => Name);
  expect(names).toEqual(expect.arrayContaining(['TABLE_EVIDENCE', 'SECRET_PROVIDERS', 'PLANE_HOSTS', 'ADMIN_URL']));
  expect(names).not.toContain('OTLP_TRACES_URL');
  expect(names).not.toContain('BEHIND_EDGE');
});

it('[plane.container] drains within the time ECS allows, and a connection may stay idle for as long as an action runs', () => {
  const told = Object.fromEntries(
    container().Environment.map(({ Name, Value }: { Name: string; Value: unknown }) => [Name, Value]),
  );
  expect(Number(told.PLANE_DRAIN_SECONDS)).toBeLessThan(container().StopTimeout);
  expect(told).toMatchObject({ PLANE_HOSTS: 'stream.example.com', PLANE_TLS: 'on', PLANE_IDLE_SECONDS: '310' });
  const attributes = one('AWS::ElasticLoadBalancingV2::LoadBalancer').LoadBalancerAttributes;
  expect(attributes).toEqual(
    expect.arrayContaining([
      { Key: 'idle_timeout.timeout_seconds', Value: '310' },
      { Key: 'deletion_protection.enabled', Value: 'true' },
      { Key: 'routing.http.drop_invalid_header_fields.enabled', Value: 'true' },
    ]),
  );
});

it('[plane.container] uses TLS with the certificate, and plain HTTP only in the dev stage', () => {
  expect(one('AWS::ElasticLoadBalancingV2::Listener')).toMatchObject({
    Port: 443,
    Protocol: 'HTTPS',
    Certificates: [{ CertificateArn: certificate }],
  });
  expect(one('AWS::ElasticLoadBalancingV2::Listener', named)).toMatchObject({ Port: 80, Protocol: 'HTTP' });
});

it('scales by CPU and by calls per task', () => {
  const policies = Object.values(ofType(streaming!, 'AWS::ApplicationAutoScaling::ScalingPolicy')).map(
    ({ Properties }) => Properties.TargetTrackingScalingPolicyConfiguration,
  );
  expect(policies).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ TargetValue: 60 }),
      expect.objectContaining({
        TargetValue: 200,
        CustomizedMetricSpecification: expect.objectContaining({
          MetricName: 'svc_plane_active_calls',
          Namespace: 'AgentGovernance',
          Statistic: 'Average',
          Dimensions: [{ Name: 'deployment', Value: 'agent-governance' }],
        }),
      }),
    ]),
  );
});

it('uses the deployment’s VPC, subnets and security groups', () => {
  expect(ofType(named!, 'AWS::EC2::VPC')).toEqual({});
  const { Subnets, SecurityGroups } = one('AWS::ECS::Service', named).NetworkConfiguration.AwsvpcConfiguration;
  expect(Subnets).toEqual(['subnet-0000000a', 'subnet-0000000b']);
  expect(SecurityGroups).toContain('sg-0a1b2c3d');
  expect(one('AWS::ElasticLoadBalancingV2::LoadBalancer', named).Subnets).toEqual([
    'subnet-0000000c',
    'subnet-0000000d',
  ]);
});

it('can be reached only from private addresses if it is configured as private', () => {
  expect(one('AWS::ElasticLoadBalancingV2::LoadBalancer', named).Scheme).toBe('internal');
  expect(JSON.stringify(ofType(named!, 'AWS::EC2::SecurityGroup'))).not.toContain(
    '"CidrIp":"0.0.0.0/0","Description":"callers"',
  );
});

test('[watch.alarms] an alarm is raised if no task is healthy, if responses fail, or if processors are overloaded', () => {
  const alarms = Object.values(ofType(watch, 'AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
  const named = (name: string) => alarms.find(({ AlarmDescription }) => AlarmDescription.startsWith(`${name} (`));
  expect(named('streaming-no-task')).toMatchObject({
    MetricName: 'HealthyHostCount',
    Threshold: 1,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  });
  // A task that crashes during a call sends no response; the load balancer does.
  for (const metric of ['HTTPCode_Target_5XX_Count', 'HTTPCode_ELB_5XX_Count'])
    expect(JSON.stringify(named('streaming-5xx'))).toContain(metric);
  expect(named('streaming-busy')).toMatchObject({ MetricName: 'CPUUtilization', Namespace: 'AWS/ECS' });
});

test('[cloud.name] the certificate must be in the deployment’s region', () => {
  expect(() => buildGateway(emptyApp(on), { account: '111111111111', region: 'eu-central-1' })).toThrow(
    'Context "streamingCertificate" must contain ARNs of eu-central-1',
  );
});
