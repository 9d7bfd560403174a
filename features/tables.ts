/** All tables by name: those of core and of the features. */
import { tables as coreTables, type TableName, type TableSpec } from '#core/contracts/tables.ts';
import * as added from './added-tables.ts';

export const tables: Readonly<Record<TableName, TableSpec>> = { ...coreTables, ...added };
