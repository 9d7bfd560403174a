/** The format of a database file, checked before anything in the file is changed. */
import type { DatabaseSync } from 'node:sqlite';

/** Version of the format: rows without their keys, each table's key definition recorded in `tables`. */
export const storeFormat = 3;

/** @throws Error with a one-line message for a file with another format, or of another program */
export function assertFormat(db: DatabaseSync): void {
  const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (found === storeFormat) return;
  if (found !== 0) throw new Error(`its format is ${found}, and this version reads only format ${storeFormat}`);
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (tables > 0) throw new Error('it is the database of another program');
}
