/** The clock of approvals: the state machine of `state-machines/approval.asl.json` around the `approval-steps` function. */
import { readFileSync } from 'node:fs';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { allow } from './access.ts';
import { accept } from './findings.ts';
import { type EmulatorLimits, type GatewaySettings, stateMachineName } from './settings.ts';

const definitionFile = new URL('../state-machines/approval.asl.json', import.meta.url);

export interface ApprovalsProps {
  readonly settings: GatewaySettings;
  /** The function that performs every step. */
  readonly steps: IFunction;
}

export class Approvals extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { settings, steps }: ApprovalsProps) {
    super(scope, id);
    const logs = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/vendedlogs/states/${stateMachineName(settings)}`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stateMachine = new StateMachine(this, 'Machine', {
      stateMachineName: stateMachineName(settings),
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(definition(settings.emulator)),
      definitionSubstitutions: { ApprovalStepsArn: steps.functionArn },
      role: new Role(this, 'Role', {
        // Step Functions assumes it for machines of this account only.
        assumedBy: new ServicePrincipal('states.amazonaws.com', {
          conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
        }),
        inlinePolicies: {
          steps: new PolicyDocument({ statements: [allow(['lambda:InvokeFunction'], [steps.functionArn])] }),
        },
      }),
      tracingEnabled: true,
      // Execution data holds the task token: it is in no log.
      logs: { destination: logs, level: LogLevel.ALL, includeExecutionData: false },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    accept(this, { 'AwsSolutions-IAM5[Resource::*]': 'Log delivery and X-Ray know no narrower resource.' });
  }
}

interface Definition {
  readonly States: Record<string, Record<string, unknown>>;
}

/** The file as it is; on the emulator with every computed time-out replaced by a literal one. */
function definition(limits: EmulatorLimits | undefined): string {
  const parsed = JSON.parse(readFileSync(definitionFile, 'utf8')) as Definition;
  if (limits) {
    for (const state of Object.values(parsed.States)) {
      if (typeof state.TimeoutSeconds === 'string') state.TimeoutSeconds = limits.approvalTimeoutSeconds;
    }
  }
  return JSON.stringify(parsed);
}
