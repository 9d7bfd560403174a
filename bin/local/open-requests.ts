/**
 * Open requests of a listener, by key and tenant. No key or tenant can take the connections or memory that others need,
 * and people are served even if agents use up their share [http.connections].
 */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { CallerShares, type Sharer } from '#core/limits/caller-shares.ts';
import type { ConnectionRequest } from './connections.ts';

type Caller = Sharer & Pick<Principal, 'kind'>;

/**
 * Shares of a listener's connections. The rest is for WebSockets, which have a separate limit, and for callers that are
 * not identified yet, such as health probes.
 */
const shares = { agents: 1 / 2, people: 1 / 8 } as const;

/** Maximum number of connections for one listener. */
export const mostConnections = 4_096;

/** Maximum number of body bytes that a process holds at the same time. */
export const heldBodyBytes = 256 * 1024 * 1024;

/** Sharer for callers without a key: signed callbacks, and sign-ins to the console. */
const unknownCaller: Sharer = { key_id: '', tenant: '' };

export class OpenRequests {
  readonly #agents: CallerShares;
  readonly #people: CallerShares;
  readonly #bodies: CallerShares;

  /** @param bodies body bytes, counted across all listeners of the process. */
  constructor(maxConnections: number, bodies: CallerShares) {
    this.#agents = new CallerShares(Math.floor(maxConnections * shares.agents));
    this.#people = new CallerShares(Math.max(1, Math.floor(maxConnections * shares.people)));
    this.#bodies = bodies;
  }

  open(carried: ConnectionRequest): OpenRequest {
    return new OpenRequest(carried, (caller) => (caller.kind === 'human' ? this.#people : this.#agents), this.#bodies);
  }
}

/** A request still waiting for its response. */
export class OpenRequest {
  readonly #carried: ConnectionRequest;
  readonly #sharesOf: (caller: Caller) => CallerShares;
  readonly #bodies: CallerShares;
  #caller: Caller | undefined;
  #bytes = 0;

  constructor(carried: ConnectionRequest, sharesOf: (caller: Caller) => CallerShares, bodies: CallerShares) {
    this.#carried = carried;
    this.#sharesOf = sharesOf;
    this.#bodies = bodies;
  }

  /**
   * Admits the request. @throws GatewayError `rate_limit_error` if the key or its tenant has too many requests open.
   */
  letIn(caller: Caller): void {
    const excess = this.#sharesOf(caller).take(caller);
    if (excess) throw tooMany(`${excess.held} requests of this ${excess.of} are open`, excess.of);
    this.#caller = caller;
    this.#carried.letIn();
  }

  /**
   * Reserves memory for its body. @throws GatewayError `rate_limit_error` if the bodies of the key or its tenant take
   * too much.
   */
  hold(bytes: number): void {
    const excess = this.#bodies.take(this.#caller ?? unknownCaller, bytes);
    if (excess) throw tooMany(`Bodies of this ${excess.of}'s open requests take up ${excess.held} bytes`, excess.of);
    this.#bytes += bytes;
  }

  over(): void {
    if (this.#caller) this.#sharesOf(this.#caller).give(this.#caller);
    this.#bodies.give(this.#caller ?? unknownCaller, this.#bytes);
    this.#carried.over();
  }
}

const tooMany = (found: string, of: 'key' | 'tenant'): GatewayError =>
  new GatewayError(
    'rate_limit_error',
    `${found}, and the remaining capacity is reserved for other ${of}s. Wait for responses, then send the request again.`,
    { retryAfterSeconds: 1 },
  );
