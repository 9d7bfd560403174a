/**
 * Releases a new version of a function: a tenth of the calls for five minutes, then all of them. If one of the
 * function's alarms is raised in the meantime, calls return to the previous version [cloud.staged-release].
 * CloudFormation waits for the release and, if it fails, rolls back the stack.
 */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import { allow } from './access.ts';
import { accept } from './findings.ts';
import { type GatewaySettings, liveAlias } from './settings.ts';

interface StagedReleaseProps {
  readonly settings: GatewaySettings;
  /** Aliases by function name. */
  readonly aliases: Readonly<Record<string, Alias>>;
}

/**
 * Functions whose callers wait for a response, in groups that are released one after another. The others change
 * immediately: shifting every function at the same time would exceed the rate limits of CodeDeploy's role, and each
 * release costs two resources.
 */
const groups: readonly (readonly FunctionName[])[] = [
  ['approvals', 'approval-callback', 'test-action', 'mcp'],
  ['chat-completions', 'messages', 'ws', 'ws-worker'],
];

/**
 * A function's errors per minute. A refused call is a response, not an error, so these are faults of the release or of
 * AWS.
 */
const errorsThatStopARelease = 3;

export class StagedRelease extends Construct {
  constructor(scope: Construct, id: string, { settings, aliases }: StagedReleaseProps) {
    super(scope, id);
    const staged = groups.flat().map((name) => [name, aliases[name]!] as const);
    const application = new LambdaApplication(this, 'Application', { applicationName: settings.name });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: {
        shifting: new PolicyDocument({
          statements: [
            allow(
              ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              staged.flatMap(([, { lambda }]) => [lambda.functionArn, `${lambda.functionArn}:${liveAlias}`]),
            ),
            allow(['cloudwatch:DescribeAlarms'], ['*']),
          ],
        }),
      },
    });
    accept(role, { 'AwsSolutions-IAM5[Resource::*]': 'The state of alarms can be read for all of them only.' });
    for (const [name, alias] of staged) {
      const alarm = new Alarm(this, `${name}-errors`, {
        alarmDescription: `${name}: a release in progress is rolled back; see docs/how-to/runbook.md#release-taken-back`,
        metric: alias.metricErrors({ period: Duration.minutes(1), statistic: 'Sum' }),
        threshold: errorsThatStopARelease,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      new LambdaDeploymentGroup(this, name, {
        application,
        alias,
        alarms: [alarm],
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        // The role's permissions above are complete.
        role: role.withoutPolicyUpdates(),
      });
    }
    for (const [n, group] of groups.entries())
      for (const name of group)
        for (const earlier of groups[n - 1] ?? [])
          resourceOf(aliases[name]!).addDependency(resourceOf(aliases[earlier]!));
  }
}

const resourceOf = ({ node }: Alias) => node.defaultChild as CfnAlias;
