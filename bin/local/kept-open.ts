/** How long listeners of HTTP/1.1 keep a connection that carries no request. */

/** The time that answers name in `Keep-Alive: timeout=10`. */
export const keptOpenMs = 10_000;

/**
 * The connection is closed this much later than answers say. A client on a busy machine sends its next request on a
 * connection that it still takes for open, and a request that meets the end of its connection is lost [local.idle-connections].
 */
export const keptOpenReserveMs = 30_000;

/** Head and body of a request together. Bodies that come too slowly end before: see `StalledTransfers`. */
export const longestRequestMs = 600_000;
