/**
 * Limits each key's requests per second on the admin surface [admin.rate-limit], and the number of wrong keys from each
 * client address [auth.before-body]. Each process counts on its own, because a refusal must not cost anything (decision
 * 0045).
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/ports.ts';
import { TokenBuckets } from './token-buckets.ts';

/**
 * Size of a burst: an idle key may send five seconds' worth of requests at the same time, because consoles and scripts
 * send in bursts.
 */
const burstSeconds = 5;

/** Rate of wrong keys allowed per address: an initial burst, then one per second. */
export const wrongKeyRate = { burst: 100, perSecond: 1 } as const;

/** Maximum number of key and address pairs that are remembered. */
const maxCallers = 10_000;

export class Admissions {
  readonly #clock: Clock;
  readonly #rejected: () => void;
  readonly #requests = new TokenBuckets();
  readonly #failures = new TokenBuckets();
  #refused = 0;
  readonly #callers = new RecentMap<string, true>({ max: maxCallers });

  /** @param rejected counts, in the metrics, a request with an invalid credential */
  constructor(clock: Clock, rejected: () => void = () => {}) {
    this.#clock = clock;
    this.#rejected = rejected;
  }

  /**
   * Counts a request on the admin surface.
   * @throws GatewayError `rate_limit_error`.
   */
  request(keyId: string, perSecond: number): void {
    const shape = { burst: perSecond * burstSeconds, perSecond };
    const wait = this.#requests.take(keyId, shape, this.#clock.now());
    if (wait === undefined) return;
    throw new GatewayError(
      'rate_limit_error',
      `This key sends more than ${perSecond} requests per second to the admin surface, the most one key may send; wait ${wait} s.`,
      { retryAfterSeconds: wait },
    );
  }

  /**
   * Counts a wrong key.
   * @throws GatewayError `rate_limit_error` if the address has sent too many of them.
   */
  failed(address: string): void {
    this.#refused++;
    this.#rejected();
    if (this.#failures.take(networkOf(address), wrongKeyRate, this.#clock.now()) !== undefined) throw tooManyFailures();
  }

  /**
   * Checks that the store may be read for a key that came from this address and is not in the configuration.
   * @throws GatewayError `rate_limit_error` in the same cases as `succeeded`.
   */
  lookUp(address: string, keyId: string): void {
    const network = networkOf(address);
    if (this.#callers.get(`${network} ${keyId}`)) return;
    if (this.#failures.empty(network, wrongKeyRate, this.#clock.now())) throw tooManyFailures();
  }

  /** Returns the number of requests with an invalid credential since the previous call. */
  takeRefused(): number {
    const refused = this.#refused;
    this.#refused = 0;
    return refused;
  }

  /**
   * Records a valid key. While its address exceeds the limit for wrong keys, only keys that were already used from that
   * address are accepted. An attacker who guesses keys learns nothing, and known keys keep working.
   * @throws GatewayError `rate_limit_error`.
   */
  succeeded(address: string, keyId: string): void {
    this.lookUp(address, keyId);
    this.#callers.set(`${networkOf(address)} ${keyId}`, true);
  }
}

const tooManyFailures = () =>
  new GatewayError(
    'rate_limit_error',
    `More than ${wrongKeyRate.burst} wrong keys came from this address; only one per second is checked now.`,
    { retryAfterSeconds: 1 },
  );

/** Returns the network of an address. For IPv6 this is the /64, because a customer usually has a whole one. */
const networkOf = (address: string): string =>
  address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address;
