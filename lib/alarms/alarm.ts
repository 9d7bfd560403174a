/** What an alarm is made from: rows that the files beside this one return, and `lib/alarms.ts` makes. */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { FargateService } from 'aws-cdk-lib/aws-ecs';
import type { ApplicationTargetGroup } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import type { GatewayMetrics } from '../metrics.ts';

/** Everything that is watched. */
export interface Watched {
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
  readonly apis: Readonly<Record<Route['surface'], RestApi>>;
  /** The API of callers with IAM credentials, where there is one. */
  readonly iam?: RestApi;
  /** The streaming plane, where there is one. */
  readonly streaming?: { readonly targets: ApplicationTargetGroup; readonly service: FargateService };
  readonly webSocket: WebSocketApi;
  readonly stateMachine: IStateMachine;
  readonly deadLetters: IQueue;
}

export interface AlarmInputs {
  readonly watched: Watched;
  /** The gateway's own metrics. */
  readonly own: GatewayMetrics;
}

/** `page`: callers are not served, or evidence is at risk. `ticket`: an operator looks at it on a working day. */
export type Severity = 'page' | 'ticket';

/** Alarms that one cause raises together send one message: that of the composite alarm of this name. */
export type CompositeName = 'service-unavailable' | 'capacity';

export interface AlarmRow {
  readonly name: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly severity: Severity;
  /** Heading in `docs/how-to/runbook.md`. */
  readonly runbook: string;
  /**
   * In how many of how many periods the condition must hold.
   * @default [1, 1]
   */
  readonly periods?: readonly [breaching: number, of: number];
  /** The alarm is raised below the threshold, and when there is no data: nothing runs any more. */
  readonly heartbeat?: true;
  readonly within?: CompositeName;
}

export const fiveMinutes = Duration.minutes(5);
export const summed = { period: fiveMinutes, statistic: 'Sum' };

/** A condition that holds for ten of fifteen minutes is not a single failure. */
export const sustained = [2, 3] as const;

/**
 * How many percent of something failed in five minutes [watch.rates].
 * @param atLeast failures below this count as 0 %: one of two calls is not a rate.
 */
export const failedPercent = (label: string, failed: IMetric, all: IMetric, atLeast: number): MathExpression =>
  new MathExpression({
    label,
    period: fiveMinutes,
    expression: `IF(failed >= ${atLeast}, 100 * failed / all, 0)`,
    usingMetrics: { failed, all },
  });
