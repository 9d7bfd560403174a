/** The header that names what of a request the gateway left out. */

/** Names come from the caller. */
export const leftOutHeader = (names: readonly string[]): Record<string, string> =>
  names.length === 0
    ? {}
    : {
        'x-left-out': names
          .join(', ')
          .replace(/[^\x20-\x7e]/g, '?')
          .slice(0, 500),
      };
