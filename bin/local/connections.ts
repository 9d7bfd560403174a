/**
 * Open connections of a listener. Where there are too many, one without a request makes room: first those that never carried a request
 * that was let in, the oldest of them first [http.connections] [edge.connections].
 */
import type { Socket } from 'node:net';

/** Why the edge ended a connection. */
type Ended = 'full' | 'handshake' | 'protocol' | 'unread';

export interface ConnectionsOptions {
  /** How many may be open. */
  readonly most: () => number;
  /** Is called with the number of open connections, each time it changes. */
  readonly changed?: (open: number) => void;
  readonly ended?: (why: Ended) => void;
}

interface Connection {
  readonly socket: Socket;
  /** Requests that were let in and are not over. */
  requests: number;
}

/** A request on a connection. */
export interface Carried {
  /** The request was let in: its connection does not make room until it is over. */
  letIn(): void;
  over(): void;
}

/** A connection and the TLS over it are two sockets with the same ports. */
type Ports = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/** Of the connections, as many may wait for their first request before one that has carried one makes room: a caller who comes has time to send it. */
const shareOfNew = 4;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Connection>();
  /** Without a request that was ever let in; the oldest comes first. */
  readonly #new = new Map<string, Connection>();
  /** Without a request now; the one that waits longest comes first. */
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

  /** Ends a connection if there is one too many: the new one itself if all others carry a request. */
  opened(socket: Socket): void {
    const key = keyOf(socket);
    const connection = { socket, requests: 0 };
    this.#open.set(key, connection);
    this.#new.set(key, connection);
    this.#options.changed?.(this.size);
    socket.once('close', () => {
      for (const connections of [this.#open, this.#new, this.#idle])
        if (connections.get(key) === connection) connections.delete(key);
      this.#options.changed?.(this.size);
    });
    if (this.size > this.#options.most()) this.#makeRoom();
  }

  /** A request came over a connection; one of another listener is not counted. */
  carries(over: Ports): Carried {
    const key = keyOf(over);
    const connection = this.#open.get(key);
    let isIn = false;
    return {
      letIn: () => {
        if (!connection || isIn) return;
        isIn = true;
        connection.requests += 1;
        this.#new.delete(key);
        this.#idle.delete(key);
      },
      over: () => {
        if (!connection || !isIn) return;
        isIn = false;
        connection.requests -= 1;
        if (connection.requests === 0 && this.#open.get(key) === connection) this.#idle.set(key, connection);
      },
    };
  }

  #makeRoom(): void {
    const fewNew = this.#new.size <= this.#options.most() / shareOfNew;
    const [first] = fewNew && this.#idle.size > 0 ? this.#idle : this.#new;
    if (!first) return;
    const [key, { socket }] = first;
    this.#new.delete(key);
    this.#idle.delete(key);
    this.#options.ended?.('full');
    socket.destroy();
  }
}

const keyOf = ({ remoteAddress, remotePort, localPort }: Ports): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;
