/** Runs a query to its end and yields the items as they arrive. */
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type Item, stored } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** Yields the items. If the reader ends the loop, no further page is requested. */
export async function* queried(client: StoreOptions['client'], input: QueryCommandInput): AsyncGenerator<Item, void> {
  let next: Item | undefined;
  do {
    const command = new QueryCommand({ ...input, ...(next && { ExclusiveStartKey: next }) });
    const page = await stored(client.send(command));
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}
