/** A tool call counts against its tenant's requests a minute, as chat calls do. */
import { GatewayError } from '#core/kernel/errors.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import type { McpPorts } from '../ports.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';

/** @throws GatewayError `rate_limit_error` (nothing is consumed), `service_unavailable` (fail closed). */
export async function admit(ports: McpPorts, caller: Caller, exchange: Exchange): Promise<void> {
  const { tenant } = caller.principal;
  const { requests_per_minute } = limitsOf(caller.snapshot.configuration, tenant, '');
  if (requests_per_minute === undefined) return;
  const id = ports.ids.uuid();
  const outcome = await ports.counters.reserve({
    ...{ tenant, id, session_id: caller.sessionId, tokens: 0, cost_microusd: 0 },
    limits: { requests_per_minute, budgets: [] },
  });
  if (!outcome.ok) {
    throw new GatewayError(outcome.code, outcome.message, { retryAfterSeconds: outcome.retryAfterSeconds });
  }
  exchange.later(ports.counters.settle(tenant, id, { tokens: 0, cost_microusd: 0, counted: true }));
}
