/**
 * Notifies people of an approval within seconds: new deliveries reach `notify` through their table's stream. A schedule
 * retries failed deliveries.
 */
import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

interface NotificationsProps {
  readonly deliveries: ITable;
  readonly notifier: IFunction;
  /** Queue for the positions of failed batches. Their deliveries remain due, and the schedule sends them. */
  readonly deadLetters: IQueue;
}

export class Notifications extends Construct {
  constructor(scope: Construct, id: string, { deliveries, notifier, deadLetters }: NotificationsProps) {
    super(scope, id);
    new EventSourceMapping(this, 'Mapping', {
      target: notifier,
      eventSourceArn: deliveries.tableStreamArn!,
      startingPosition: StartingPosition.LATEST,
      batchSize: 10,
      parallelizationFactor: 10,
      // A slow channel does not delay the others: failed deliveries become due again, so only a crash returns a batch.
      retryAttempts: 1,
      maxRecordAge: Duration.minutes(5),
      onFailure: new SqsDlq(deadLetters),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { NewImage: { state: { S: FilterRule.isEqual('due') } } },
        }),
      ],
    });
  }
}
