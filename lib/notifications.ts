/** People hear of an approval within seconds: what is enqueued reaches `notify` by the stream of its table. The schedule retries. */
import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
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
  readonly deliveries: Table;
  readonly notifier: IFunction;
  /** Receives the position of batches the function failed on: the deliveries stay due, and the schedule sends them. */
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
      // A channel that does not answer delays no other: what fails is due again, so a batch is given back by a crash only.
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
