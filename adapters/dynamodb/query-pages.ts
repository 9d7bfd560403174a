/** A query that goes on until nothing is left, as the items come. */
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type Item, stored } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** A reader that has enough ends the loop, and no further page is asked for. */
export async function* queried(client: StoreOptions['client'], input: QueryCommandInput): AsyncGenerator<Item, void> {
  let next: Item | undefined;
  do {
    const command = new QueryCommand({ ...input, ...(next && { ExclusiveStartKey: next }) });
    const page = await stored(client.send(command));
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}
