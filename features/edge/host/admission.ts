/** Admits requests to the edge, using load shedding, token buckets, and a circuit breaker for each upstream. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { authenticate, type Headers } from '#core/configuration/identity/authenticate.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import { TokenBuckets } from '#core/limits/token-buckets.ts';
import { admit, type BreakerState, type CallOutcome, closedBreaker, settle } from '#core/models/routing/breaker.ts';
import type { EdgeUpstream } from '../routing.ts';
import { isShed, type Priority, priorityOf } from '../shedding.ts';

interface EdgeAdmissionPorts {
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** Returns the number of open connections on all of the edge's listeners. */
  readonly connections: () => number;
}

/** Callback to call once, with the request's outcome at its upstream. */
type Settle = (outcome: CallOutcome) => void;

/**
 * Circuit breaker settings: if half of twenty calls within ten seconds cannot reach the upstream, it gets no calls for
 * five seconds.
 */
const breaker = { min_requests: 20, error_rate: 0.5, window_seconds: 10, open_seconds: 5 };
const shedRetrySeconds = 1;

export class EdgeAdmission {
  readonly #ports: EdgeAdmissionPorts;
  readonly #buckets = { address: new TokenBuckets(), key: new TokenBuckets() };
  readonly #breakers = new Map<EdgeUpstream, BreakerState>();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #sampling: NodeJS.Timeout;
  #delayMs = 0;

  constructor(ports: EdgeAdmissionPorts) {
    this.#ports = ports;
    // If a counter first appears with a shed request, charts and alarms cannot see a rise.
    for (const priority of ['normal', 'low']) ports.telemetry.count('svc_edge_loadshed_total', { priority }, 0);
    this.#delay.enable();
    // Each second is measured separately, so that one long pause does not cause minutes of shedding.
    this.#sampling = setInterval(() => {
      this.#delayMs = this.#delay.percentile(90) / 1e6;
      this.#delay.reset();
    }, 1_000).unref();
  }

  /**
   * Admits a request. @throws GatewayError `service_unavailable` (shed, or the circuit breaker is open) or
   * `rate_limit_error`, with the number of seconds to wait.
   */
  enter(upstream: EdgeUpstream, headers: Headers, address: string, snapshot: Snapshot): Settle {
    this.#shed(headers, snapshot);
    this.#limit(headers, address, snapshot);
    return this.#permit(upstream);
  }

  stop(): void {
    clearInterval(this.#sampling);
    this.#delay.disable();
  }

  #shed(headers: Headers, { configuration, identities }: Snapshot): void {
    const mayBeCritical = () => {
      try {
        return identities.critical.has(authenticate(headers, identities).key_id);
      } catch {
        return false; // an invalid credential, refused later
      }
    };
    const priority: Priority = priorityOf(firstValue(headers['x-priority']), mayBeCritical);
    const load = { connections: this.#ports.connections(), eventLoopDelayMs: this.#delayMs };
    if (!isShed(priority, load, configuration.edge)) return;
    this.#ports.telemetry.count('svc_edge_loadshed_total', { priority });
    throw new GatewayError(
      'service_unavailable',
      `The edge is busy and refuses requests of ${priority} priority; retry in ${shedRetrySeconds} s.`,
      { retryAfterSeconds: shedRetrySeconds },
    );
  }

  #limit(headers: Headers, address: string, { configuration }: Snapshot): void {
    const { per_address, per_key } = configuration.edge.rate_limit;
    const now = this.#ports.clock.now();
    const credential = firstValue(headers['x-api-key']) ?? firstValue(headers.authorization);
    const shape = ({ per_second, burst }: typeof per_key) => ({ perSecond: per_second, burst });
    const wait =
      this.#buckets.address.take(address, shape(per_address), now) ??
      (credential === undefined ? undefined : this.#buckets.key.take(sha256(credential), shape(per_key), now));
    if (wait === undefined) return;
    throw new GatewayError('rate_limit_error', `Too many requests at the edge; retry in ${wait} s.`, {
      retryAfterSeconds: wait,
    });
  }

  #permit(upstream: EdgeUpstream): Settle {
    const now = () => this.#ports.clock.now();
    const { state, permit } = admit(this.#breakers.get(upstream) ?? closedBreaker, now());
    this.#breakers.set(upstream, state);
    if (permit === undefined)
      throw new GatewayError(
        'service_unavailable',
        `The upstream ${upstream} does not answer; retry in ${breaker.open_seconds} s.`,
        {
          retryAfterSeconds: breaker.open_seconds,
        },
      );
    return (outcome) =>
      void this.#breakers.set(
        upstream,
        settle(this.#breakers.get(upstream) ?? closedBreaker, permit, outcome, now(), breaker),
      );
  }
}

const firstValue = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];
