/** A delivery as the stream of its table carries it, and as the local run hands it to the same function. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { toDelivery, toDeliveryItem } from './deliveries-table.ts';
import type { Item } from './items.ts';

/** Undefined for what is not a fresh delivery: changes of it, and remembered callbacks. */
export function unmarshalledDelivery({ eventName, dynamodb }: DynamoDBRecord): Delivery | undefined {
  const image = dynamodb?.NewImage as Item | undefined;
  return eventName === 'INSERT' && image?.envelope_id !== undefined ? toDelivery(image) : undefined;
}

export const recordOfDelivery = (delivery: Delivery): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { NewImage: toDeliveryItem(delivery) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'] & object },
});
