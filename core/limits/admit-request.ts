/**
 * Counts requests that have no tokens or cost [limit.rate] toward the requests per minute of their tenant and key, as
 * is done for chat calls.
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
  /** Response headers with the remaining limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** Resolves when the request has been booked. Never rejects. */
  readonly booked: Promise<void>;
}

/** Refusal of a request because of a limit, with the state of the limits. */
export class RequestRefusal extends GatewayError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(refusal: Extract<ReserveOutcome, { ok: false }>) {
    super(refusal.code, refusal.message, { retryAfterSeconds: refusal.retryAfterSeconds });
    this.headers = limitHeaders(refusal);
  }
}

/** Result for a caller who has no limits [limit.none]. Its requests are not counted. */
const uncounted: AdmittedRequest = { headers: {}, booked: Promise.resolve() };

/**
 * Counts a request toward the limits of its tenant and key.
 * @throws RequestRefusal (nothing is consumed); GatewayError `forbidden` if the key has its own limits in another
 * tenant, `service_unavailable` if the counter store does not respond (fails closed).
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
  // No evidence entry has this id, so healing looks for it in a session that does not exist.
  const outcome = await counters.reserve({ tenant, id, session_id: id, tokens: 0, cost_microusd: 0, limits, key });
  if (!outcome.ok) throw new RequestRefusal(outcome);
  const booked = counters.settle(tenant, id, { tokens: 0, cost_microusd: 0, counted: true });
  return {
    headers: limitHeaders(outcome),
    booked: booked.catch((fault: Error) =>
      telemetry.log('warn', 'a counted request was not settled; its reservation expires', { error: fault.message }),
    ),
  };
}

/** Returns only the request limit, because these requests cost no tokens and no money. */
const requestsOf = ({ holder, requests_per_minute }: Limits): Limits => ({
  ...(holder && { holder }),
  ...(requests_per_minute !== undefined && { requests_per_minute }),
  budgets: [],
});
