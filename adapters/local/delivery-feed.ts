/** Passes new deliveries to `notify` immediately, as the table's stream does on AWS: in batches, one after another. */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { recordOfDelivery } from '#adapters/tables/delivery-record.ts';
import type { Delivery, DeliveryStore } from '#core/approvals/notifications/ports.ts';

export interface DeliveryFeed {
  readonly enqueued: (delivery: Delivery) => void;
  /** Lets running deliveries finish. */
  stop(): Promise<void>;
}

const batchSize = 10;

/** @param report called for a failed batch. Its deliveries stay due, and the schedule sends them. */
export function deliveryFeed(
  handler: (event: DynamoDBStreamEvent) => Promise<unknown>,
  report: (fault: unknown) => void,
): DeliveryFeed {
  const queue: Delivery[] = [];
  let running: Promise<void> | undefined;
  const run = async () => {
    for (let batch = queue.splice(0, batchSize); batch.length > 0; batch = queue.splice(0, batchSize))
      await handler({ Records: batch.map(recordOfDelivery) }).catch(report);
    running = undefined;
  };
  return {
    enqueued(delivery) {
      queue.push(delivery);
      running ??= Promise.resolve().then(run);
    },
    stop: async () => void (await running),
  };
}

/** Returns a store that reports every new delivery. */
export const observedDeliveries = (store: DeliveryStore, enqueued: (delivery: Delivery) => void): DeliveryStore => ({
  ...store,
  async enqueue(delivery) {
    await store.enqueue(delivery);
    enqueued(delivery);
  },
});
