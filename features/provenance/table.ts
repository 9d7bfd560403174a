/** Specification of the table for the session records. */
import type { TableSpec } from '#core/contracts/tables.ts';

declare module '#core/contracts/tables.ts' {
  interface FeatureTables {
    readonly provenance: TableSpec;
  }
}

export const table: TableSpec = {
  holds:
    'keyed digests of the values in sessions, without text: session = tenant#session, entry = #head, r#<envelope_id> or w#<digest>',
  partitionKey: 'session',
  sortKey: 'entry',
  ttl: 'ttl',
};
