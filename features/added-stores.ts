/** Stores of features, by the name of their port. A feature with a store adds a line here. */

export type { FeatureStores } from '#core/operations/ports.ts';
export { planes } from './federation/adapters/planes.ts';
