/** A tool call counts against the requests a minute of its tenant and its key, as chat calls do. */
import { GatewayError } from '#core/kernel/errors.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import { keyPartOf } from '#core/limits/limits-of-key.ts';
import type { Limits } from '#core/limits/ports.ts';
import type { McpPorts } from '../ports.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';

/** @throws GatewayError `rate_limit_error` (nothing is consumed), `service_unavailable` (fail closed). */
export async function admit(ports: McpPorts, caller: Caller, exchange: Exchange): Promise<void> {
  const { tenant } = caller.principal;
  const { configuration, identities } = caller.snapshot;
  const limits = requestsOf(limitsOf(configuration, tenant, ''));
  const part = keyPartOf(identities, caller.principal, '');
  const key = part?.limits.requests_per_minute === undefined ? undefined : { ...part, limits: requestsOf(part.limits) };
  if (limits.requests_per_minute === undefined && !key) return;
  const id = ports.ids.uuid();
  const outcome = await ports.counters.reserve({
    ...{ tenant, id, session_id: caller.sessionId, tokens: 0, cost_microusd: 0 },
    limits,
    key,
  });
  if (!outcome.ok) {
    throw new GatewayError(outcome.code, outcome.message, { retryAfterSeconds: outcome.retryAfterSeconds });
  }
  exchange.later(ports.counters.settle(tenant, id, { tokens: 0, cost_microusd: 0, counted: true }));
}

/** Tools cost no tokens and no money that the gateway counts. */
const requestsOf = ({ holder, requests_per_minute }: Limits): Limits => ({
  ...(holder && { holder }),
  ...(requests_per_minute !== undefined && { requests_per_minute }),
  budgets: [],
});
