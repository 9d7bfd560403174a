/** A DynamoDB client that tells of each call and lets a test come between. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface StoreCall {
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs of many commands, asserted by the tests
  readonly input: any;
}

/** Sends the call itself; answers what the store answers. */
// biome-ignore lint/suspicious/noExplicitAny: outputs of many commands
type Send = (call?: StoreCall) => Promise<any>;

/** @param between is given each call and how to send it; by default it just sends. */
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
    /** The calls of one operation so far. */
    of: (operation: string) => calls.filter((call) => call.operation === operation),
  };
}
