/** Specification of the table for the data planes. */
import type { TableSpec } from '#core/contracts/tables.ts';

declare module '#core/contracts/tables.ts' {
  interface FeatureTables {
    readonly federation: TableSpec;
  }
}

export const table: TableSpec = {
  holds: 'data planes of a control plane: their last status, and the position of each of their chains',
  partitionKey: 'plane',
  sortKey: 'id',
};
