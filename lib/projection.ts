/**
 * Feeds the evidence table's stream to `project`: evidence is the log, and all views of the past are projections of it.
 * The chains that it queues come back through the observations table's stream, where each tenant's chains are delivered
 * to one process.
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
import { chainBatches, chainQueuePrefix, entryBatches } from '#core/contracts/evidence-streams.ts';

interface ProjectionProps {
  readonly source: ITable;
  /** The table that contains the queue of chains. */
  readonly queue: ITable;
  readonly projector: IFunction;
  /** Queue for the positions of batches that could not be projected. Their entries stay in the table. */
  readonly deadLetters: IQueue;
}

export class Projection extends Construct {
  constructor(scope: Construct, id: string, { source, queue, projector, deadLetters }: ProjectionProps) {
    super(scope, id);
    const shared = {
      target: projector,
      startingPosition: StartingPosition.TRIM_HORIZON,
      // A bad record must not block its shard: the batch is halved until the record is alone, then the record is set
      // aside.
      bisectBatchOnError: true,
      retryAttempts: 8,
      reportBatchItemFailures: true,
      onFailure: new SqsDlq(deadLetters),
    };
    new EventSourceMapping(this, 'Mapping', {
      ...shared,
      eventSourceArn: source.tableStreamArn!,
      ...batches(entryBatches),
      // A changed entry is reported. Removed entries are archived and were retained long enough (`archive-check`).
      filters: [FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY') })],
    });
    new EventSourceMapping(this, 'Chains', {
      ...shared,
      eventSourceArn: queue.tableStreamArn!,
      ...batches(chainBatches),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { Keys: { series: { S: FilterRule.beginsWith(chainQueuePrefix) } } },
        }),
      ],
    });
  }
}

const batches = ({ mostRecords, windowSeconds, lanes }: typeof entryBatches) => ({
  batchSize: mostRecords,
  maxBatchingWindow: Duration.seconds(windowSeconds),
  parallelizationFactor: lanes,
});
