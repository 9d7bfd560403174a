/** Commands of the SDK by class, since a bundler changes the names of classes, and the text of their inputs and answers on the wire. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

/** The operations on rows that the table adapters use. */
export const rowOperations: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [GetItemCommand, 'GetItem'],
  [PutItemCommand, 'PutItem'],
  [UpdateItemCommand, 'UpdateItem'],
  [DeleteItemCommand, 'DeleteItem'],
  [QueryCommand, 'Query'],
  [BatchGetItemCommand, 'BatchGetItem'],
  [BatchWriteItemCommand, 'BatchWriteItem'],
  [TransactWriteItemsCommand, 'TransactWriteItems'],
]);

/** An attribute of type `B` holds a text on the wire, one that is named `B` an object. */
function revived(name: string, value: unknown): unknown {
  if (name === 'B' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
  if (name !== 'BS' || !Array.isArray(value)) return value;
  return value.map((bytes) => new Uint8Array(Buffer.from(bytes, 'base64')));
}

const mayHoldBytes = /"BS?":/;

/** What a text of the wire says, with bytes as bytes. */
export const fromWire = (text: string): unknown =>
  mayHoldBytes.test(text) ? JSON.parse(text, revived) : JSON.parse(text);

/** The text of an input, with bytes in base64. */
export function toWire(input: object): string {
  const text = JSON.stringify(input);
  return mayHoldBytes.test(text) ? JSON.stringify(input, bytesAsText) : text;
}

/** `this` has the bytes still: a Buffer makes an object of itself before its replacer sees it. */
function bytesAsText(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const given = this[name];
  if (!ArrayBuffer.isView(given)) return value;
  return Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString('base64');
}
