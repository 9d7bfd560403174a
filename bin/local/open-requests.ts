/**
 * Open requests of a listener, by the key that sent them: no key takes the connections or the memory that others need, and people get
 * through whatever agents do [http.open-requests].
 */
import type { Principal } from '#core/identity/principal.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { FairShare } from '#core/limits/fair-share.ts';
import type { Carried } from './connections.ts';

type Caller = Pick<Principal, 'key_id' | 'kind'>;

/**
 * Of the connections of a listener. The rest is for WebSockets, which have a bound of their own, and for callers who have not said yet who
 * they are, among them probes of health.
 */
const shares = { agents: 1 / 2, people: 1 / 8 } as const;

/** Of one listener at a time. */
export const mostConnections = 4_096;

/** Bytes of bodies that a process holds at a time. */
export const heldBodyBytes = 256 * 1024 * 1024;

/** Who sends bodies without a key: signed callbacks, the sign-in of the console. */
const unknownCaller = '';

export class OpenRequests {
  readonly #agents: FairShare;
  readonly #people: FairShare;
  readonly #bodies: FairShare;

  /** @param bodies bytes of bodies, of all listeners of the process. */
  constructor(maxConnections: number, bodies: FairShare) {
    this.#agents = new FairShare(Math.floor(maxConnections * shares.agents));
    this.#people = new FairShare(Math.max(1, Math.floor(maxConnections * shares.people)));
    this.#bodies = bodies;
  }

  open(carried: Carried): OpenRequest {
    return new OpenRequest(carried, (caller) => (caller.kind === 'human' ? this.#people : this.#agents), this.#bodies);
  }
}

/** One request, until it is answered. */
export class OpenRequest {
  readonly #carried: Carried;
  readonly #sharesOf: (caller: Caller) => FairShare;
  readonly #bodies: FairShare;
  #caller: Caller | undefined;
  #bytes = 0;

  constructor(carried: Carried, sharesOf: (caller: Caller) => FairShare, bodies: FairShare) {
    this.#carried = carried;
    this.#sharesOf = sharesOf;
    this.#bodies = bodies;
  }

  /** @throws GatewayError `rate_limit_error` if the key has too many requests open. */
  letIn(caller: Caller): void {
    const share = this.#sharesOf(caller);
    if (!share.take(caller.key_id)) throw tooMany(`${share.held(caller.key_id)} requests of this key are open`);
    this.#caller = caller;
    this.#carried.letIn();
  }

  /** @throws GatewayError `rate_limit_error` if the bodies of the key take too much memory. */
  hold(bytes: number): void {
    const holder = this.#caller?.key_id ?? unknownCaller;
    if (!this.#bodies.take(holder, bytes))
      throw tooMany(`Bodies of open requests of this key hold ${this.#bodies.held(holder)} bytes`);
    this.#bytes += bytes;
  }

  over(): void {
    if (this.#caller) this.#sharesOf(this.#caller).give(this.#caller.key_id);
    this.#bodies.give(this.#caller?.key_id ?? unknownCaller, this.#bytes);
    this.#carried.over();
  }
}

const tooMany = (found: string): GatewayError =>
  new GatewayError(
    'rate_limit_error',
    `${found}, and the rest is kept for other keys. Wait for answers, then send the request again.`,
    { retryAfterSeconds: 1 },
  );
