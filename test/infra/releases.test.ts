/** Deployments that are repeated, coexist and are billed separately. Tested only on templates. */
import type { Template } from 'aws-cdk-lib/assertions';
import { functions } from '#features/functions.ts';
import { buildGateway } from '../../lib/gateway.ts';
import { readSettings } from '../../lib/settings.ts';
import { asked } from './contexts.ts';
import { appNode, emptyApp, ofType, type Resource, type Resources, reference, synthesize } from './synthesized.ts';

const prod = synthesize();
const dev = synthesize({ stage: 'dev' });
const other = synthesize({ name: 'team-b' });
const tagged = synthesize(asked);
const all = (template: Template): Resources => template.toJSON().Resources as Resources;
const settings = (context: Record<string, unknown>) => readSettings(appNode(context));

describe('[cloud.retained] resources that are retained when their stack is deleted', () => {
  /** The account's own role for API Gateway logs stays: it has no name that could collide, and other APIs use it. */
  const shared = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'];
  const kept = (resources: Resources) => [
    ...new Set(
      Object.entries(resources)
        .filter(([id, { Type }]) => !(shared.includes(Type) && id.startsWith('ApiLogging')))
        .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain'))
        .map(([, { Type, DeletionPolicy }]) => `${Type} ${DeletionPolicy}`),
    ),
  ];

  it('data, keys and secrets are retained, unless the deployment that creates them fails', () => {
    expect(kept(all(prod.stores)).sort()).toEqual(
      ['DynamoDB::Table', 'KMS::Key', 'S3::Bucket', 'SecretsManager::Secret'].map(
        (type) => `AWS::${type} RetainExceptOnCreate`,
      ),
    );
  });

  it('functions and APIs are not retained, so that a failed deployment can be repeated', () => {
    expect(kept(all(prod.services))).toEqual([]);
    expect(kept(all(prod.watch))).toEqual([]);
  });

  it('protected tables are created after everything else in their stack', () => {
    const resources = all(prod.stores);
    const others = Object.keys(resources).filter((id) => resources[id]!.Type !== 'AWS::DynamoDB::Table');
    for (const { DependsOn = [] } of Object.values(ofType(prod.stores, 'AWS::DynamoDB::Table')))
      expect([...DependsOn].sort()).toEqual(others.sort());
  });

  it('nothing is retained in a development deployment', () => {
    expect([...kept(all(dev.stores)), ...kept(all(dev.services))]).toEqual([]);
    for (const { Properties } of Object.values(ofType(dev.stores, 'AWS::DynamoDB::Table')))
      expect(Properties.DeletionProtectionEnabled).toBe(false);
    expect(settings({ stage: 'dev' }).archiveDays).toBe(1);
    expect(settings({}).archiveDays).toBe(365);
  });
});

describe('[cloud.name] a second deployment in the same account', () => {
  const build = (name: string) => {
    const { stores, services, watch } = buildGateway(emptyApp({ name }));
    return [stores, services, watch].map(({ stackName }) => stackName);
  };
  const built = [build('agent-governance'), build('team-b')];
  /** Returns every name that must be unique in an account or a region. */
  const physicalNames = (template: Template): string[] =>
    Object.values(all(template)).flatMap(({ Type, Properties = {} }) =>
      Object.entries(Properties)
        .filter(
          ([key]) => /^(?:[A-Z]\w*Name|Name)$/.test(key) && !['StageName', 'MetricName', 'PolicyName'].includes(key),
        )
        .map(([key, value]) => `${Type} ${key} ${reference(value)}`)
        // An alias is unique within its function; the deployment preference is a name given by AWS. Names that contain
        // an API id are not shared either.
        .filter((line) => !/ \{|\{\w+Api\w+\}|Alias Name|DeploymentConfigName/.test(line)),
    );

  it('has its own stacks, and shares no names with the first', () => {
    expect(built).toEqual([
      ['agent-governance-stores', 'agent-governance-services', 'agent-governance-monitoring'],
      ['team-b-stores', 'team-b-services', 'team-b-monitoring'],
    ]);
    const [mine, theirs] = [prod, other].map(({ stores, services, watch }) =>
      [stores, services, watch].flatMap(physicalNames),
    );
    expect(mine!.length).toBeGreaterThan(60);
    expect(mine!.filter((name) => theirs!.includes(name))).toEqual([]);
  });

  it.each(['My-Gateway', 'a b', 'gate.way', '../x', 'a--b', '-a', 'a-', '', 'x'.repeat(27)])(
    'refuses the name %j before anything is synthesized',
    (name) => {
      expect(() => settings({ name })).toThrow(
        '"name" must be at most 26 lower-case letters, digits and single dashes',
      );
    },
  );

  it.each(['dev', 'team-b2', 'x'.repeat(26)])('accepts the name %j', (name) => {
    expect(settings({ name }).name).toBe(name);
  });
});

describe('[cloud.templates] tags', () => {
  const tagsOf = (properties: Record<string, unknown>): Record<string, string> =>
    Array.isArray(properties.Tags)
      ? Object.fromEntries((properties.Tags as { Key: string; Value: string }[]).map(({ Key, Value }) => [Key, Value]))
      : ((properties.Tags as Record<string, string>) ?? {});

  it("name the deployment, its stage and the operator's tags, on every billed resource", () => {
    const billed = ['Lambda::Function', 'DynamoDB::Table', 'S3::Bucket', 'KMS::Key', 'SecretsManager::Secret'];
    const more = ['ApiGateway::RestApi', 'StepFunctions::StateMachine', 'SQS::Queue', 'Logs::LogGroup'];
    for (const type of [...billed, ...more]) {
      const found = [tagged.stores, tagged.services].flatMap((template) =>
        Object.values(ofType(template, `AWS::${type}`)),
      );
      expect(found.length).toBeGreaterThan(0);
      for (const { Properties } of found)
        expect(tagsOf(Properties)).toMatchObject({
          'gateway:name': 'agent-governance',
          'gateway:stage': 'prod',
          team: 'agents',
          'cost-center': '42',
        });
    }
  });

  it.each(['team', '=x', 'aws:team=x', 'team=a;b', { team: 5 }])('refuses %j', (tags) => {
    expect(() => settings({ tags })).toThrow('"tags" must be pairs such as');
  });
});

describe('[cloud.staged-release] a new version of a function', () => {
  const groups = Object.values(ofType(prod.services, 'AWS::CodeDeploy::DeploymentGroup'));
  const aliases = Object.values(ofType(prod.services, 'AWS::Lambda::Alias')) as (Resource & {
    UpdatePolicy?: unknown;
  })[];

  it('first receives a tenth of the calls, and is rolled back if its function fails', () => {
    const staged = aliases.filter(({ UpdatePolicy }) => UpdatePolicy);
    expect(staged.map(({ Properties }) => reference(Properties.FunctionName)).sort()).toEqual(
      ['approvalcallback', 'approvals', 'chatcompletions', 'mcp', 'messages', 'testaction', 'ws', 'wsworker'].map(
        (name) => expect.stringMatching(new RegExp(`^\\{${name}Function`)),
      ),
    );
    expect([groups.length, aliases.length]).toEqual([staged.length, Object.keys(functions).length]);
    for (const { Properties } of groups) {
      expect(Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
      expect(Properties.AlarmConfiguration).toMatchObject({ Enabled: true, Alarms: [{ Name: expect.anything() }] });
      expect(Properties.AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
    }
    for (const { UpdatePolicy } of staged) expect(UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate');
  });

  it('is rolled out in groups of at most four, each of which waits for the previous group', () => {
    const ids = Object.entries(ofType(prod.services, 'AWS::Lambda::Alias')).filter(
      ([, each]) => 'UpdatePolicy' in each,
    );
    const waits = new Map(
      ids.map(([id, { DependsOn = [] }]) => [
        id,
        [DependsOn].flat().filter((other) => ids.some(([each]) => each === other)),
      ]),
    );
    const first = [...waits].flatMap(([id, others]) => (others.length === 0 ? [id] : []));
    expect([first.length, waits.size]).toEqual([4, 8]);
    for (const [id, others] of waits) if (!first.includes(id)) expect(others.sort()).toEqual(first.sort());
  });

  it('is reached by every caller through its alias: no integration, schedule, stream or grant names the function itself', () => {
    const ids = Object.keys(ofType(prod.services, 'AWS::Lambda::Function'));
    const callers = ['ApiGateway::Method', 'ApiGatewayV2::Integration', 'Events::Rule', 'Lambda::EventInvokeConfig'];
    const found = callers.flatMap((type) => Object.values(ofType(prod.services, `AWS::${type}`)));
    expect(found.length).toBeGreaterThan(60);
    for (const { Properties } of found) {
      const text = JSON.stringify({ ...Properties, FunctionName: undefined });
      expect(ids.filter((id) => text.includes(`"${id}"`))).toEqual([]);
    }
  });

  it('receives all calls immediately on request, with the same aliases', () => {
    expect(ofType(dev.services, 'AWS::CodeDeploy::DeploymentGroup')).toEqual({});
    expect(Object.keys(ofType(dev.services, 'AWS::Lambda::Alias'))).toHaveLength(Object.keys(functions).length);
    expect(settings({ release: 'at-once' }).stagedReleases).toBe(false);
    expect(settings({ stage: 'dev', release: 'staged' }).stagedReleases).toBe(true);
    expect(() => settings({ release: 'soon' })).toThrow('"release" must be staged or at-once');
  });
});
