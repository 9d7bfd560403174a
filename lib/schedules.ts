/** Schedules for all functions that have a `schedule` in `core/contracts/functions.ts`. */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';

interface SchedulesProps {
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
  /** Enabled optional functions. */
  readonly optional: readonly FunctionName[];
  /**
   * False while tables are being restored, because a schedule would write to chains whose ends have not been restored
   * yet.
   */
  readonly enabled: boolean;
  /** Queue for ticks that could not be delivered. */
  readonly deadLetters: IQueue;
}

export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    for (const [name, spec] of Object.entries(functions) as [FunctionName, FunctionSpec][]) {
      if (!spec.schedule || (spec.optional && !props.optional.includes(name))) continue;
      const every = Duration.minutes(spec.schedule.everyMinutes);
      // Lambda keeps an event for at most six hours.
      const worthwhile = every.toMinutes() > 360 ? Duration.hours(6) : every;
      const target = props.functions[name];
      // The next tick makes up for a missed one, so a late tick is dropped.
      target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: worthwhile });
      new Rule(this, name, {
        description: spec.purpose,
        schedule: Schedule.rate(every),
        enabled: props.enabled,
        targets: [
          new LambdaFunction(target, { deadLetterQueue: props.deadLetters, retryAttempts: 1, maxEventAge: worthwhile }),
        ],
      });
    }
  }
}
