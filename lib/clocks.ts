/**
 * Approval and rollout clocks: the state machines in `state-machines/`, with the functions `approval-steps` and
 * `sweep`. They share a role and a log group, because the stack is near its resource limit.
 */
import { readFileSync } from 'node:fs';
import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { allow } from './access.ts';
import { accept } from './findings.ts';
import { type EmulatorLimits, type GatewaySettings, rolloutMachineName, stateMachineName } from './settings.ts';

interface ClocksProps {
  readonly settings: GatewaySettings;
  /** The function that runs every step of an approval. */
  readonly steps: IFunction;
  /** The function that judges and advances rollouts. */
  readonly sweep: IFunction;
}

export class Clocks extends Construct {
  readonly approvals: StateMachine;

  constructor(scope: Construct, id: string, { settings, steps, sweep }: ClocksProps) {
    super(scope, id);
    const destination = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/vendedlogs/states/${stateMachineName(settings)}`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const common = {
      stateMachineType: StateMachineType.STANDARD,
      role: new Role(this, 'Role', {
        // Step Functions assumes it only for this account's machines.
        assumedBy: new ServicePrincipal('states.amazonaws.com', {
          conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
        }),
        inlinePolicies: {
          steps: new PolicyDocument({
            statements: [allow(['lambda:InvokeFunction'], [steps.functionArn, sweep.functionArn])],
          }),
        },
      }),
      tracingEnabled: true,
      // Execution data contains the task token, so it is not logged.
      logs: { destination, level: LogLevel.ALL, includeExecutionData: false },
      removalPolicy: RemovalPolicy.DESTROY,
    };
    this.approvals = new StateMachine(this, 'Machine', {
      ...common,
      stateMachineName: stateMachineName(settings),
      definitionBody: definition('approval', settings.emulator),
      definitionSubstitutions: { ApprovalStepsArn: steps.functionArn, Partition: Aws.PARTITION },
    });
    new StateMachine(this, 'RolloutMachine', {
      ...common,
      stateMachineName: rolloutMachineName(settings),
      definitionBody: definition('rollout', settings.emulator),
      definitionSubstitutions: { SweepArn: sweep.functionArn, Partition: Aws.PARTITION },
    });
    accept(this, { 'AwsSolutions-IAM5[Resource::*]': 'Log delivery and X-Ray support no narrower resource.' });
  }
}

/** Fixed wait, because the emulator does not evaluate expressions in `Seconds`. */
const emulatorWaitSeconds = 5;

interface Definition {
  readonly States: Record<string, Record<string, unknown>>;
}

/**
 * Returns the definition file. An execution fails if a task names another partition than its own, so the partition is
 * substituted. For the emulator, every computed timeout and wait is replaced with a literal.
 */
function definition(name: 'approval' | 'rollout', limits: EmulatorLimits | undefined): DefinitionBody {
  const text = readFileSync(new URL(`../state-machines/${name}.asl.json`, import.meta.url), 'utf8');
  const parsed = JSON.parse(text) as Definition;
  if (limits) {
    for (const state of Object.values(parsed.States)) {
      if (typeof state.TimeoutSeconds === 'string') state.TimeoutSeconds = limits.approvalTimeoutSeconds;
      if (typeof state.Seconds === 'string') state.Seconds = emulatorWaitSeconds;
    }
  }
  return DefinitionBody.fromString(JSON.stringify(parsed).replaceAll('"arn:aws:', '"arn:${Partition}:'));
}
