/** Times for which listeners of HTTP/1.1 keep a connection without a request. */

/** Time that answers name in `Keep-Alive: timeout=10`. */
export const keptOpenMs = 10_000;

/**
 * Additional time before the connection is closed. A client on a busy machine may send its next request on a connection
 * it still considers open, and the request is lost if the connection is being closed [http.connections].
 */
export const keptOpenReserveMs = 30_000;

/** Maximum time of head and body together. Slow bodies end earlier: see `StalledTransfers`. */
export const longestRequestMs = 600_000;
