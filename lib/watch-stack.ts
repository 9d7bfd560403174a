/** The gateway's monitoring: alarms and two dashboards. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import type { AlarmRow, WatchedResources } from './alarms/alarm.ts';
import { Alarms } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import { Overview } from './overview.ts';
import {
  deadLetterName,
  functionName,
  type GatewaySettings,
  rolloutMachineName,
  stateMachineName,
} from './settings.ts';

interface GatewayWatchProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly watched: Omit<WatchedResources, 'rolloutMachine'>;
  /** Alarms from stacks that features add. */
  readonly added: readonly AlarmRow[];
}

export class GatewayWatch extends Stack {
  constructor(scope: Construct, id: string, props: GatewayWatchProps) {
    super(scope, id, props);
    const { settings, added } = props;
    const watched = { ...props.watched, ...byName(this, settings) };
    const alarms = new Alarms(this, 'Alarms', { settings, watched, added });
    if (settings.dashboards) {
      new Overview(this, 'Overview', { settings, watched, alarms: alarms.all });
      new Dashboard(this, 'Dashboard', { settings, watched });
    }
    new CfnOutput(this, 'PageTopicArn', { value: alarms.topics.page.topicArn });
    new CfnOutput(this, 'TicketTopicArn', { value: alarms.topics.ticket.topicArn });
  }
}

/**
 * Returns metrics with literal resource names for this stack. An import from the services stack would lock that stack:
 * an export in use cannot be removed, so no release could remove or rename a function.
 */
function byName(
  scope: Construct,
  settings: GatewaySettings,
): Pick<WatchedResources, 'functions' | 'stateMachine' | 'rolloutMachine' | 'deadLetters'> {
  const queue = Stack.of(scope).formatArn({ service: 'sqs', resource: deadLetterName(settings) });
  const watchedFunctions = Object.keys(functions).map((name) => [
    name,
    LambdaFunction.fromFunctionName(scope, `Of-${name}`, functionName(settings, name as FunctionName)),
  ]);
  return {
    functions: Object.fromEntries(watchedFunctions) as WatchedResources['functions'],
    stateMachine: StateMachine.fromStateMachineName(scope, 'OfApprovals', stateMachineName(settings)),
    rolloutMachine: StateMachine.fromStateMachineName(scope, 'OfRollouts', rolloutMachineName(settings)),
    deadLetters: Queue.fromQueueArn(scope, 'OfDeadLetters', queue),
  };
}
