/**
 * Who may ask at all [admin.rate-limit] [auth.failures-limited]: so many requests a second of each key on the admin
 * surface, so many wrong keys of each client address. Kept by each process for itself, because a refusal must cost
 * nothing (decision 0045).
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/ports.ts';
import { TokenBuckets } from './token-buckets.ts';

/** A key that waited may send what it may in five seconds at once: consoles and scripts ask in bursts. */
const burstSeconds = 5;

/** Wrong keys of one address: so many at once, then one a second. */
export const wrongKeyRate = { burst: 100, perSecond: 1 } as const;

/** Keys that are remembered with the address they were used from. */
const maxCallers = 10_000;

export class Admissions {
  readonly #clock: Clock;
  readonly #rejected: () => void;
  readonly #requests = new TokenBuckets();
  readonly #failures = new TokenBuckets();
  #refused = 0;
  readonly #callers = new RecentMap<string, true>({ max: maxCallers });

  /** @param rejected counts a request with a wrong credential where others can see it */
  constructor(clock: Clock, rejected: () => void = () => {}) {
    this.#clock = clock;
    this.#rejected = rejected;
  }

  /**
   * Counts a request of the admin surface.
   * @throws GatewayError `rate_limit_error`.
   */
  request(keyId: string, perSecond: number): void {
    const shape = { burst: perSecond * burstSeconds, perSecond };
    const wait = this.#requests.take(keyId, shape, this.#clock.now());
    if (wait === undefined) return;
    throw new GatewayError(
      'rate_limit_error',
      `This key sends more than ${perSecond} requests a second to the admin surface, the most one key may send; wait ${wait} s.`,
      { retryAfterSeconds: wait },
    );
  }

  /**
   * Counts a wrong key.
   * @throws GatewayError `rate_limit_error` when the address has sent too many.
   */
  failed(address: string): void {
    this.#refused++;
    this.#rejected();
    if (this.#failures.take(networkOf(address), wrongKeyRate, this.#clock.now()) !== undefined) throw tooManyFailures();
  }

  /** Requests with a wrong credential since this was last asked. */
  takeRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }

  /**
   * A key was right. While its address is over the limit of wrong keys, only keys that were used from there before pass:
   * an attacker who guesses learns nothing, and valid keys from there go on.
   * @throws GatewayError `rate_limit_error`.
   */
  succeeded(address: string, keyId: string): void {
    const network = networkOf(address);
    const caller = `${network} ${keyId}`;
    if (this.#callers.get(caller)) return;
    if (this.#failures.empty(network, wrongKeyRate, this.#clock.now())) throw tooManyFailures();
    this.#callers.set(caller, true);
  }
}

const tooManyFailures = () =>
  new GatewayError(
    'rate_limit_error',
    `More than ${wrongKeyRate.burst} wrong keys came from this address; one a second is looked at from now on.`,
    { retryAfterSeconds: 1 },
  );

/** One customer holds a whole /64 of IPv6 addresses. */
const networkOf = (address: string): string =>
  address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address;
