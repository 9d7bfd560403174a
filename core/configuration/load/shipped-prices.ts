/** The shipped price table, which `prices.file` names by default. */

/** The default of `prices.file`. */
export const shippedPriceFile = 'config/prices.yaml';

/** Name under which a host that reads no other files provides the price table, as if it were a pack. */
export const shippedPrices = 'prices';
