/** A delivery in the format of its table's stream. The local run passes the same format to the same function. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { fromItem, type Item, toItem } from '../aws/dynamodb/items.ts';
import { toDelivery, toDeliveryRow } from './deliveries-table.ts';

/**
 * Returns the delivery in a stream record, or undefined unless it is new: changes and recorded callbacks are skipped.
 */
export function unmarshalledDelivery({ eventName, dynamodb }: DynamoDBRecord): Delivery | undefined {
  const image = dynamodb?.NewImage as Item | undefined;
  return eventName === 'INSERT' && image?.envelope_id !== undefined ? toDelivery(fromItem(image)) : undefined;
}

export const recordOfDelivery = (delivery: Delivery): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: {
    NewImage: toItem(toDeliveryRow(delivery)) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'] & object,
  },
});
