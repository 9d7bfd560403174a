/** A delivery in the form its table's stream carries. The local run passes the same form to the same function. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { fromItem, type Item, toItem } from '../aws/dynamodb/items.ts';
import { toDelivery, toDeliveryRow } from './deliveries-table.ts';

/** Returns a stream record's delivery, or undefined unless it is new: changes and recorded callbacks are skipped. */
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
