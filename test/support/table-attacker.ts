/**
 * Somebody with full access to the tables and the gateway's own code, but to no file and no key: rewrites a session's
 * rows so that they hold among themselves.
 */
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { entryPutItem, headKey, headPutItem, toHead } from '#adapters/dynamodb/evidence-table.ts';
import { fromItem, toItem } from '#adapters/dynamodb/items.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';

export class TableAttacker {
  readonly #client: DynamoDBClient;
  readonly #tables: Record<TableName, string>;
  readonly #tenant: string;

  constructor(store: { client: DynamoDBClient; tables: Record<TableName, string> }, tenant = 'default') {
    this.#client = store.client;
    this.#tables = store.tables;
    this.#tenant = tenant;
  }

  async entries(session: string): Promise<EvidenceEntry[]> {
    const { Items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#tables.evidence,
        KeyConditionExpression: 'chain = :chain',
        ExpressionAttributeValues: toItem({ ':chain': `${this.#tenant}#${session}` }),
      }),
    );
    return Items.map((item) => JSON.parse(item.entry?.S ?? '') as EvidenceEntry);
  }

  async head(session: string): Promise<SessionHead> {
    const Key = headKey(this.#tenant, session);
    const { Item } = await this.#client.send(new GetItemCommand({ TableName: this.#tables.sessions, Key }));
    return toHead(Item ?? {});
  }

  /** Puts this story in place of the session's, hashed and headed as if it had happened. */
  async tell(session: string, story: readonly EntryDraft[]): Promise<void> {
    const { owner_key } = await this.head(session);
    await this.remove(session);
    let head: SessionHead | undefined;
    for (const draft of story) {
      const entry = sealEntry({ ...draft, session_id: session }, head);
      head = advanceHead(head, entry, owner_key);
      await this.#put(entryPutItem(this.#tables.evidence, entry, 'writer').Put);
    }
    if (head) await this.setHead(head);
  }

  /** Appends an entry as the gateway would. */
  async append(session: string, draft: EntryDraft): Promise<void> {
    const head = await this.head(session);
    const entry = sealEntry({ ...draft, session_id: session }, head);
    await this.#put(entryPutItem(this.#tables.evidence, entry, 'writer').Put);
    await this.setHead(advanceHead(head, entry));
  }

  async setHead(head: SessionHead): Promise<void> {
    await this.#put(headPutItem(this.#tables.sessions, undefined, head).Put);
  }

  /** Writes attributes into an approval's row. */
  setApproval(id: string, set: Readonly<Record<string, unknown>>): Promise<void> {
    return this.set('approvals', { id }, set);
  }

  /** Writes attributes into any row. */
  async set(table: TableName, key: Readonly<Record<string, string>>, set: Readonly<Record<string, unknown>>) {
    const names = Object.keys(set);
    await this.#client.send(
      new UpdateItemCommand({
        TableName: this.#tables[table],
        Key: toItem(key) as never,
        UpdateExpression: `SET ${names.map((_, i) => `#n${i} = :v${i}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#n${i}`, name])),
        ExpressionAttributeValues: toItem(Object.fromEntries(names.map((name, i) => [`:v${i}`, set[name]]))) as never,
      }),
    );
  }

  /** The rows of a table whose `id` begins so. */
  async rows(table: TableName, prefix: string): Promise<Readonly<Record<string, unknown>>[]> {
    const { Items = [] } = await this.#client.send(new ScanCommand({ TableName: this.#tables[table] }));
    return Items.map((item) => fromItem(item as never)).filter(({ id }) => String(id).startsWith(prefix));
  }

  /** Puts a whole row in place of another. */
  async put(table: TableName, row: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#put({ TableName: this.#tables[table], Item: toItem(row) });
  }

  /** Deletes entries and head. */
  async remove(session: string): Promise<void> {
    for (const { index } of await this.entries(session)) await this.removeEntry(session, index);
    const Key = headKey(this.#tenant, session);
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tables.sessions, Key }));
  }

  async removeRow(table: TableName, key: Readonly<Record<string, string>>): Promise<void> {
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tables[table], Key: toItem(key) as never }));
  }

  async removeEntry(session: string, index: number): Promise<void> {
    const Key = toItem({ chain: `${this.#tenant}#${session}`, position: String(index).padStart(12, '0') });
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tables.evidence, Key }));
  }

  async #put(
    put: { TableName: string | undefined; Item: Record<string, unknown> | undefined } | undefined,
  ): Promise<void> {
    const { TableName, Item } = put!;
    await this.#client.send(new PutItemCommand({ TableName, Item: Item as never }));
  }
}
