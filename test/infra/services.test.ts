/** The functions, clocks and streams of the synthesized services. */
import { readFileSync } from 'node:fs';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import { functions } from '#features/functions.ts';
import { tables } from '#features/tables.ts';
import type { Loose } from '../support/loose.ts';
import { functionId, liveReference, ofType, reference, synthesize } from './synthesized.ts';

const { services } = synthesize();
const rows = Object.entries(functions) as [string, FunctionSpec][];

describe.each(rows)('function %s', (name, spec) => {
  const { Properties } = ofType(services, 'AWS::Lambda::Function')[functionId(services, name)]!;

  it('runs its own bundle on Node 24 and arm64, within its limits', () => {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: spec.timeoutSeconds,
      MemorySize: spec.memoryMb,
    });
    expect(Properties.TracingConfig).toEqual(spec.sandboxed ? undefined : { Mode: 'Active' });
    expect(reference(Properties.Role)).toContain(`${name.replaceAll('-', '')}Role`);
  });

  it('has the names of its tables, queues and readable secrets in its environment', () => {
    if (spec.sandboxed) return expect(Properties.Environment).toBeUndefined();
    const { Variables } = Properties.Environment;
    const expected = [
      'GATEWAY_URL',
      'MCP_URL',
      ...(spec.runsCommands ? ['SANDBOX_FUNCTION'] : []),
      ...(spec.postsToConnections ? ['CONNECTIONS_URL'] : []),
      ...(spec.handsOverTo ? ['WS_WORKER_FUNCTION'] : []),
      ...(Object.keys(tables) as TableName[]).map(tableEnvironment),
      ...[
        ...['OBJECT_BUCKET', 'ARCHIVE_BUCKET', 'SIGNING_KEY_ID', 'VOTE_KEY_ID', 'LOG_KEY_ID'],
        ...['APPROVAL_STATE_MACHINE_ARN', 'ADMIN_URL', 'STAGE', 'GATEWAY_NAME'],
      ],
      ...(spec.tables.traces ? ['SHARED_TRACES'] : []),
      ...(spec.startsRollouts ? ['ROLLOUT_STATE_MACHINE_ARN'] : []),
      ...(spec.secrets ?? []).map((secret) => `SECRET_${secret.toUpperCase()}`),
    ];
    expect(Object.keys(Variables).sort()).toEqual(expected.sort());
    for (const surface of ['Admin', 'Gateway', 'Mcp'])
      expect(reference(Variables[`${surface.toUpperCase()}_URL`])).toMatch(
        new RegExp(`^https://\\{${surface}Api[^}]*\\}\\.execute-api\\.\\{Region\\}\\.\\{URLSuffix\\}/gateway$`),
      );
    for (const secret of spec.secrets ?? [])
      expect(Variables[`SECRET_${secret.toUpperCase()}`]).toBe(`agent-governance/${secret}`);
  });
});

describe('the timers for approvals and rollouts', () => {
  const all = Object.values(ofType(services, 'AWS::StepFunctions::StateMachine')).map(({ Properties }) => Properties);
  const named = (name: string) => all.find(({ StateMachineName }) => StateMachineName === name)!;
  const machine = named('agent-governance-approval');

  /** Returns the definition of a state machine as CloudFormation creates it in a partition. */
  const definitionIn = (partition: string, { DefinitionString, DefinitionSubstitutions: given }: typeof machine) => {
    expect(given.Partition).toEqual({ Ref: 'AWS::Partition' });
    return JSON.parse(DefinitionString.replaceAll(`\${Partition}`, partition)) as Loose;
  };

  it('[cloud.name] every task of a timer names the partition it is deployed in', () => {
    const tasks = all.flatMap((each) => Object.values<Loose>(definitionIn('aws-us-gov', each).States));
    const arns = tasks.flatMap(({ Resource }) => Resource ?? []);
    expect(new Set(arns)).toEqual(
      new Set(['', '.waitForTaskToken'].map((end) => `arn:aws-us-gov:states:::lambda:invoke${end}`)),
    );
  });

  it('[rollout.states] the rollout timer is defined by its file, and invokes the sweep', () => {
    const rollouts = named('agent-governance-rollout');
    const file = JSON.parse(readFileSync('state-machines/rollout.asl.json', 'utf8')) as unknown;
    expect(definitionIn('aws', rollouts)).toEqual(file);
    expect(reference(rollouts.DefinitionSubstitutions.SweepArn)).toBe(liveReference(services, 'sweep'));
    expect(rollouts.LoggingConfiguration).toMatchObject({ Level: 'ALL', IncludeExecutionData: false });
  });

  it('the approval timer is defined by the file in state-machines/, and invokes the approval steps', () => {
    const file = JSON.parse(readFileSync('state-machines/approval.asl.json', 'utf8')) as unknown;
    expect(definitionIn('aws', machine)).toEqual(file);
    expect(reference(machine.DefinitionSubstitutions.ApprovalStepsArn)).toBe(liveReference(services, 'approval-steps'));
  });

  it('the approval state machine is Standard, has the name the functions use and tracing, and logs no task tokens', () => {
    expect(machine).toMatchObject({
      StateMachineName: 'agent-governance-approval',
      StateMachineType: 'STANDARD',
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
    });
    const environment = ofType(services, 'AWS::Lambda::Function')[functionId(services, 'test-action')]!.Properties
      .Environment.Variables;
    expect(reference(environment.APPROVAL_STATE_MACHINE_ARN)).toMatch(/:stateMachine:agent-governance-approval$/);
  });

  it('the state machines may invoke only the approval steps and the sweep', () => {
    const role = Object.values(ofType(services, 'AWS::IAM::Role')).find(({ Properties }) =>
      JSON.stringify(Properties).includes('states.amazonaws.com'),
    );
    const [statement] = role?.Properties.Policies[0].PolicyDocument.Statement ?? [];
    expect(statement).toMatchObject({ Action: 'lambda:InvokeFunction', Effect: 'Allow' });
    expect(statement.Resource.map(reference)).toEqual(
      ['approval-steps', 'sweep'].map((name) => liveReference(services, name as 'sweep')),
    );
  });
});

const rates: Readonly<Record<number, string>> = { 1: 'rate(1 minute)', 1440: 'rate(1 day)' };

it.each(rows.filter(([, spec]) => spec.schedule && !spec.optional))(
  '%s runs on its schedule, and an alarm reports a missed run',
  (name, spec) => {
    const minutes = spec.schedule?.everyMinutes;
    const rule = Object.values(ofType(services, 'AWS::Events::Rule')).find(
      ({ Properties }) => reference(Properties.Targets[0].Arn) === liveReference(services, name),
    );
    expect(rule?.Properties.ScheduleExpression).toBe(rates[minutes ?? 0]);
    expect(rule?.Properties.Targets[0]).toMatchObject({
      RetryPolicy: { MaximumRetryAttempts: 1 },
      DeadLetterConfig: { Arn: expect.anything() },
    });
  },
);

it('projects new evidence and reports changed entries; splits a failing batch, and sets aside the part that fails', () => {
  for (const mapping of mappingsOf('project'))
    expect(mapping).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 8,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    });
  expect(mappingOf('project')).toMatchObject({
    BatchSize: 1_000,
    ParallelizationFactor: 2,
    MaximumBatchingWindowInSeconds: 20,
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT","MODIFY"]}' }] },
  });
});

it("[evidence.checkpoint.queued] passes each shard's queued chains to one process at a time", () => {
  expect(mappingsOf('project')[1]).toMatchObject({
    BatchSize: 1_000,
    ParallelizationFactor: 1,
    MaximumBatchingWindowInSeconds: 5,
    FilterCriteria: {
      Filters: [
        { Pattern: '{"eventName":["INSERT"],"dynamodb":{"Keys":{"series":{"S":[{"prefix":"chain-queue#"}]}}}}' },
      ],
    },
  });
});

function mappingsOf(name: FunctionName) {
  const wanted = liveReference(services, name).slice(1, -1);
  return Object.values(ofType(services, 'AWS::Lambda::EventSourceMapping')).flatMap(({ Properties }) =>
    JSON.stringify(Properties.FunctionName).includes(`"${wanted}"`) ? [Properties] : [],
  );
}

const mappingOf = (name: FunctionName) => mappingsOf(name)[0];

it('[notify.events] sends queued messages to notify immediately, up to ten at a time, and sets aside a failed batch', () => {
  expect(mappingOf('notify')).toMatchObject({
    StartingPosition: 'LATEST',
    BatchSize: 10,
    ParallelizationFactor: 10,
    MaximumRetryAttempts: 1,
    MaximumRecordAgeInSeconds: 300,
    DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    FilterCriteria: {
      Filters: [{ Pattern: '{"eventName":["INSERT"],"dynamodb":{"NewImage":{"state":{"S":["due"]}}}}' }],
    },
  });
  expect(mappingOf('notify')).not.toHaveProperty('MaximumBatchingWindowInSeconds');
});
