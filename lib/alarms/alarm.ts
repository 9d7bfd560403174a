/** Alarm rows, returned by the files in this folder and created by `lib/alarms.ts`. */
import { Duration } from 'aws-cdk-lib';
import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import type { WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import type { GatewayMetrics } from '../metrics.ts';

/** The watched resources. */
export interface WatchedResources {
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
  readonly apis: Readonly<Record<Route['surface'], RestApiBase>>;
  /** API for callers with IAM credentials, if any. */
  readonly iam?: RestApiBase;
  readonly webSocket: WebSocketApi;
  readonly stateMachine: IStateMachine;
  readonly rolloutMachine: IStateMachine;
  readonly deadLetters: IQueue;
}

export interface AlarmInputs {
  readonly watched: WatchedResources;
  /** The gateway's own metrics. */
  readonly own: GatewayMetrics;
}

/** `page`: callers are not served, or evidence is at risk. `ticket`: an operator handles it on a working day. */
export type Severity = 'page' | 'ticket';

/** Name of a composite alarm. Alarms with the same cause send only one message, that of the composite alarm. */
export type CompositeName = 'service-unavailable' | 'capacity';

export interface AlarmRow {
  readonly name: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly severity: Severity;
  /** Heading in `docs/how-to/runbook.md`. */
  readonly runbook: string;
  /**
   * Number of breaching periods, and of evaluated periods.
   * @default [1, 1]
   */
  readonly periods?: readonly [breaching: number, of: number];
  /**
   * Raises the alarm below the threshold, and if there is no data because the schedule stopped. With `after-first`, an
   * alarm without data before the first run is quiet.
   */
  readonly heartbeat?: 'always' | 'after-first';
  readonly within?: CompositeName;
}

export const fiveMinutes = Duration.minutes(5);
export const summed = { period: fiveMinutes, statistic: 'Sum' };

/** Two of three periods, so that a single failure raises no alarm. */
export const sustained = [2, 3] as const;

/**
 * Returns the percentage of failures in five minutes [watch.alarms].
 * @param atLeast fewer failures than this count as 0 %, because one failure in two calls is not a meaningful rate.
 */
export const failedPercent = (label: string, failed: IMetric, all: IMetric, atLeast: number): MathExpression =>
  new MathExpression({
    label,
    period: fiveMinutes,
    expression: `IF(failed >= ${atLeast}, 100 * failed / all, 0)`,
    usingMetrics: { failed, all },
  });
