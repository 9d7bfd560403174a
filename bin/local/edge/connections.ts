/** Open connections of the edge, and which of them wait for nothing: where there are too many, those end first [edge.connections]. */
import type { Socket } from 'node:net';

/** Why the edge ended a connection. */
type Ended = 'full' | 'handshake' | 'protocol' | 'unread';

export interface ConnectionsOptions {
  /** How many may be open. */
  readonly most: () => number;
  /** How many are open, each time it changes. */
  readonly changed: (open: number) => void;
  readonly ended: (why: Ended) => void;
}

interface Connection {
  readonly socket: Socket;
  /** Requests that are being answered. */
  requests: number;
}

/** A connection and the TLS over it are two sockets with the same ports. */
type Ports = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Connection>();
  /** Without a request; the one that waits longest comes first. */
  readonly #idle = new Map<string, Connection>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  *sockets(): Iterable<Socket> {
    for (const { socket } of this.#open.values()) yield socket;
  }

  /** Ends the connection that has been idle longest where there is one too many: the new one itself where all others are in use. */
  opened(socket: Socket): void {
    const key = keyOf(socket);
    const connection = { socket, requests: 0 };
    this.#open.set(key, connection);
    this.#idle.set(key, connection);
    this.#options.changed(this.size);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
      if (this.#idle.get(key) === connection) this.#idle.delete(key);
      this.#options.changed(this.size);
    });
    if (this.size > this.#options.most()) this.#endLongestIdle();
  }

  /** @returns to be called when the request has ended. */
  begins(over: Ports): () => void {
    const key = keyOf(over);
    const connection = this.#open.get(key);
    if (!connection) return () => {};
    connection.requests += 1;
    this.#idle.delete(key);
    return () => {
      connection.requests -= 1;
      if (connection.requests === 0 && this.#open.get(key) === connection) this.#idle.set(key, connection);
    };
  }

  #endLongestIdle(): void {
    const [longest] = this.#idle;
    if (!longest) return;
    const [key, { socket }] = longest;
    this.#idle.delete(key);
    this.#options.ended('full');
    socket.destroy();
  }
}

const keyOf = ({ remoteAddress, remotePort, localPort }: Ports): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;
