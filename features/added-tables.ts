/** Tables that only one feature uses, by name. A feature with such a table adds a line here. */

export type { TableSpec } from '#core/contracts/tables.ts';
export { table as federation } from './federation/table.ts';
export { table as provenance } from './provenance/table.ts';
