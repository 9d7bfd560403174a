/** The price table that ships: what `prices.file` names unless it says otherwise. */

/** The default of `prices.file`. */
export const shippedPriceFile = 'config/prices.yaml';

/** The name under which a host that reads no other files serves its text, as if it were a pack. */
export const shippedPrices = 'prices';
