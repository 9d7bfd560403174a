/**
 * Feeds the stream of the evidence table to `project`: evidence is the log, and all views of the past are projections
 * of it.
 */
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

interface ProjectionProps {
  readonly source: Table;
  readonly projector: IFunction;
  /** Receives the position of batches that could not be projected. Their entries stay in the table. */
  readonly deadLetters: IQueue;
}

export class Projection extends Construct {
  constructor(scope: Construct, id: string, { source, projector, deadLetters }: ProjectionProps) {
    super(scope, id);
    new EventSourceMapping(this, 'Mapping', {
      target: projector,
      eventSourceArn: source.tableStreamArn!,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Entries of one session stay in order, since they share a partition key.
      parallelizationFactor: 10,
      maxBatchingWindow: Duration.seconds(1),
      // A bad entry must not block its shard: halve the batch until it is alone, then set it aside.
      bisectBatchOnError: true,
      retryAttempts: 8,
      reportBatchItemFailures: true,
      onFailure: new SqsDlq(deadLetters),
      filters: [FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT') })],
    });
  }
}
