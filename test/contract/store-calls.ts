/** A DynamoDB client that reports each call and lets a test intervene. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Loose } from '../support/loose.ts';

export interface StoreCall {
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  readonly input: Loose;
}

/** Sends the call and returns the store's response. */
type Send = (call?: StoreCall) => Promise<Loose>;

/** @param between is called with each call and a function that sends it; by default it just sends the call. */
export function watched(
  client: DynamoDBClient,
  between: (call: StoreCall, send: Send) => unknown = (_, send) => send(),
) {
  const calls: StoreCall[] = [];
  const send = async (command: { constructor: new (input: unknown) => unknown; input: unknown }) => {
    const call = { operation: command.constructor.name.replace(/Command$/, ''), input: command.input };
    calls.push(call);
    const Command = command.constructor;
    return between(call, (other = call) => client.send(new Command(other.input) as never));
  };
  return {
    client: { send } as unknown as DynamoDBClient,
    calls,
    /** Returns the calls made so far for one operation. */
    of: (operation: string) => calls.filter((call) => call.operation === operation),
  };
}
