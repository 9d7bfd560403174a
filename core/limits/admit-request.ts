/**
 * Lets a request in that takes neither tokens nor money [limit.requests]: it counts against the requests a minute of its tenant
 * and its key, as chat calls do.
 */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Ids, Telemetry } from '#core/kernel/ports.ts';
import { limitHeaders } from './headers.ts';
import { limitsOf } from './limits-of.ts';
import { keyPartOf } from './limits-of-key.ts';
import type { Counters, Limits, ReserveOutcome } from './ports.ts';

export interface RequestLimitPorts {
  readonly counters: Counters;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

export interface AdmittedRequest {
  /** What is left of the limits, for the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Settles when the request is booked. Never rejects. */
  readonly booked: Promise<void>;
}

/** A request that a limit refuses, with the state of the limits. */
export class RequestRefused extends GatewayError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(refusal: Extract<ReserveOutcome, { ok: false }>) {
    super(refusal.code, refusal.message, { retryAfterSeconds: refusal.retryAfterSeconds });
    this.headers = limitHeaders(refusal);
  }
}

/** Nothing is counted where nothing limits the caller's requests [limit.none]. */
const uncounted: AdmittedRequest = { headers: {}, booked: Promise.resolve() };

/**
 * @throws RequestRefused (nothing is consumed); GatewayError `forbidden` for a key with limits of its own in another tenant,
 * `service_unavailable` where the counters do not answer: fail closed.
 */
export async function admitRequest(
  { counters, ids, telemetry }: RequestLimitPorts,
  { principal, snapshot }: { readonly principal: Principal; readonly snapshot: Snapshot },
): Promise<AdmittedRequest> {
  const { tenant } = principal;
  const { configuration, identities } = snapshot;
  const limits = requestsOf(limitsOf(configuration, tenant, ''));
  const part = keyPartOf(identities, principal, '');
  const key = part?.limits.requests_per_minute === undefined ? undefined : { ...part, limits: requestsOf(part.limits) };
  if (limits.requests_per_minute === undefined && !key) return uncounted;
  const id = ids.uuid();
  // No entry of evidence has this id, so the session that is named for healing is one that does not exist.
  const outcome = await counters.reserve({ tenant, id, session_id: id, tokens: 0, cost_microusd: 0, limits, key });
  if (!outcome.ok) throw new RequestRefused(outcome);
  const booked = counters.settle(tenant, id, { tokens: 0, cost_microusd: 0, counted: true });
  return {
    headers: limitHeaders(outcome),
    booked: booked.catch((fault: Error) =>
      telemetry.log('warn', 'a counted request was not settled; its reservation expires', { error: fault.message }),
    ),
  };
}

/** Such a request costs no tokens and no money that the gateway counts. */
const requestsOf = ({ holder, requests_per_minute }: Limits): Limits => ({
  ...(holder && { holder }),
  ...(requests_per_minute !== undefined && { requests_per_minute }),
  budgets: [],
});
