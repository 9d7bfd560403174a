/**
 * Imports the store of a release before 0.9, whose server stored wire JSON in SQLite. The new file appears once it is
 * whole; the former one is kept under another name.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parseItem } from './item-text.ts';
import { openEmbeddedStore } from './store.ts';

/** Items between two checks of the disk. */
const groupItems = 1_000;

interface FormerTable {
  readonly table_name: string;
  readonly key_schema: string;
  readonly attribute_definitions: string;
  readonly gsi_definitions: string | null;
}

/**
 * Imports `former` into `path` unless there is a store already.
 * @returns the number of imported items; undefined if there was no former store
 * @throws Error in one line for a file that is not a readable former store; it is left unchanged
 */
export async function importFormerStore(
  former: string,
  path: string,
  onItems?: (done: number) => void,
): Promise<number | undefined> {
  if (existsSync(path) || !existsSync(former)) return undefined;
  const unfinished = `${path}.importing`;
  for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true });
  const items = await copied(former, unfinished, onItems).catch((cause: Error) => {
    throw new Error(
      `The store of an earlier release, ${former}, was not taken over: ${cause.message}. ` +
        'Move it away to start empty, or run the release that made it.',
      { cause },
    );
  });
  renameSync(unfinished, path);
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(former + suffix)) renameSync(former + suffix, `${former}.imported${suffix}`);
  return items;
}

async function copied(former: string, path: string, onItems?: (done: number) => void): Promise<number> {
  const source = new DatabaseSync(former, { timeout: 2_000 });
  const target = openEmbeddedStore({ path });
  try {
    let count = 0;
    const tables = source.prepare('SELECT * FROM _tables').all() as unknown as FormerTable[];
    for (const table of tables) {
      await target.execute('CreateTable', definitionOf(table));
      const rows = source.prepare(`SELECT item_json FROM "${table.table_name.replaceAll('"', '""')}"`).iterate();
      let last: Promise<object> | undefined;
      for (const row of rows as Iterable<{ item_json: string }>) {
        const Item = parseItem(row.item_json);
        last = target.execute('PutItem', { TableName: table.table_name, Item });
        if (++count % groupItems > 0) continue;
        await last;
        onItems?.(count);
      }
      await last;
    }
    return count;
  } finally {
    source.close();
    target.close();
  }
}

function definitionOf(table: FormerTable): object {
  const indexes = JSON.parse(table.gsi_definitions ?? 'null') as object[] | null;
  return {
    TableName: table.table_name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: JSON.parse(table.key_schema),
    AttributeDefinitions: JSON.parse(table.attribute_definitions),
    ...(indexes?.length && { GlobalSecondaryIndexes: indexes }),
  };
}
