/** How long HTTP/1.1 listeners keep idle connections open. */

/** Timeout that responses announce in `Keep-Alive: timeout=10`. */
export const keptOpenMs = 10_000;

/**
 * Additional time before the connection is closed. A client on a busy machine may send its next request on a connection
 * it still considers open, and the request is lost if the connection is being closed [http.connections].
 */
export const keptOpenReserveMs = 30_000;

/** Maximum time for headers and body together. Slow bodies are ended earlier: see `StalledTransfers`. */
export const longestRequestMs = 600_000;
