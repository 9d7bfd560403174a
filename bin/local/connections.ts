/**
 * Open connections of a listener. If there are too many, one that has no current request is closed: first those that
 * never carried an admitted request, oldest first [http.connections] [edge.hostile].
 */
import type { Socket } from 'node:net';

/** Reason why the edge ended a connection. */
type EndReason = 'full' | 'handshake' | 'protocol' | 'unread';

export interface ConnectionsOptions {
  /** Returns the maximum number of open connections. */
  readonly most: () => number;
  /** Called with the number of open connections each time it changes. */
  readonly changed?: (open: number) => void;
  readonly ended?: (why: EndReason) => void;
}

interface Connection {
  readonly socket: Socket;
  /** Number of admitted requests that have not ended. */
  requests: number;
}

/** A request on a connection. */
export interface ConnectionRequest {
  /** Admits the request, so that its connection stays open until the request ends. */
  letIn(): void;
  over(): void;
}

/**
 * Addresses and ports that identify a connection: a connection and the TLS socket on it are two sockets with the same
 * ports.
 */
type Ports = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/**
 * Divisor for the share of connections that may be waiting for their first request. Up to a quarter of them, an idle
 * connection is closed before a new one, so that a new caller has time to send its request.
 */
const shareOfNew = 4;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Connection>();
  /** Connections that never had an admitted request, oldest first. */
  readonly #new = new Map<string, Connection>();
  /** Connections without a current request, longest idle first. */
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

  /** Ends a connection if there is one too many. If all others carry a request, that is the new one. */
  opened(socket: Socket): void {
    const key = connectionKey(socket);
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

  /** Registers a request on a connection. Requests on another listener's connections are not counted. */
  carries(over: Ports): ConnectionRequest {
    const key = connectionKey(over);
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

const connectionKey = ({ remoteAddress, remotePort, localPort }: Ports): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;
