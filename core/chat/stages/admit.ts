/** Lets a call in: its reservation beside one read of its session. */
import { blockedBy, sessionBlocked } from '#core/behavior/assess.ts';
import type { ContentPolicy } from '#core/content-policy/ports.ts';
import { assertSessionOwner } from '#core/identity/sessions.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { limitHeaders } from '#core/limits/headers.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import { keyPartOf } from '#core/limits/limits-of-key.ts';
import type { Limits, ReserveOutcome } from '#core/limits/ports.ts';
import { reserveCost } from '#core/limits/prices.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import { type ChatCallState, ended } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';
import { isLookedUp } from './response-cache.ts';

/**
 * The first of two sequential store steps of a call.
 * @throws GatewayError `rate_limit_error`, `budget_exceeded` (nothing is consumed), `forbidden` (another key's session),
 * `session_blocked` (kill switch), `service_unavailable` (fail closed).
 */
export async function admit(ports: ChatPorts, state: ChatCallState, policy: ContentPolicy): Promise<void> {
  const { call } = state;
  const { id: tenant } = call.tenant;
  const scored = call.principal.kind === 'agent';
  const store = Promise.all([
    reserve(ports, state, policy),
    ports.evidence.head(tenant, call.sessionId),
    scored ? ports.keyRisks.of(tenant, call.principal.key_id) : undefined,
  ]);
  store.catch(() => {}); // reported by the await below
  // The request before filters change it; estimated while the store works.
  state.requestSha256 = digestOf(call.body);
  const [reserved, head, key] = await store;
  state.standing = { session: head?.risk, key };
  state.head = head ?? null;
  state.reserved = reserved.ok;
  Object.assign(state.headers, limitHeaders(reserved));
  // Before any refusal is written down: it would be written into the session.
  assertSessionOwner(head, call.principal);
  if (!reserved.ok) throw refused(ports, state, reserved);
  for (const { tier } of reserved.budgets) if (tier !== 'ok') ports.telemetry.count('svc_budget_tier_total', { tier });
  assertNotBlocked(ports, state);
  refuseUnallowed(state);
}

/** What the tenant may not have is a decision, so it is recorded like one; a model that no provider serves is not. */
function refuseUnallowed(state: ChatCallState): void {
  const { refusal, model } = state.call;
  if (!refusal) return;
  ended(state, 'refused', refusal);
  Object.assign(state, { decision: 'block', matchedRule: `model:${model}` });
  throw refusal;
}

/** Filters look at larger requests in a worker, or with turns for other work between. */
const quickTokens = 4 * 1024;

/**
 * Whether the provider is called as soon as the call is let in [limit.begun]: its start is then noted with the reservation, a
 * write less. Filters that look at once change nothing: a call that they block is settled like any other.
 */
const isCalledImmediately = ({ call }: ChatCallState, policy: ContentPolicy): boolean =>
  (policy.inputIdle || (policy.inputQuick && call.inputTokens <= quickTokens && call.batch === undefined)) &&
  !isLookedUp(call, call.body) &&
  call.refusal === undefined;

function reserve(ports: ChatPorts, state: ChatCallState, policy: ContentPolicy): Promise<ReserveOutcome> {
  const { call } = state;
  const { configuration, identities } = call.snapshot;
  state.startNoted = isCalledImmediately(state, policy);
  const limits = limitsOf(configuration, call.tenant.id, call.resolvedModel);
  const key = keyPartOf(identities, call.principal, call.resolvedModel);
  const named = { tenant: call.tenant.id, id: call.envelopeId, session_id: call.sessionId };
  // What the caller may not have is counted as a request and costs nothing: no budget and no price answers in its place.
  if (call.refusal) {
    const part = key && { ...key, limits: withoutBudgets(key.limits) };
    return ports.counters.reserve({ ...named, tokens: 0, cost_microusd: 0, limits: withoutBudgets(limits), key: part });
  }
  const budgets = [...limits.budgets, ...(key?.limits.budgets ?? [])];
  const usage = { input_tokens: call.inputTokens, output_tokens: call.maxTokens };
  return ports.counters.reserve({
    ...named,
    tokens: call.inputTokens + call.maxTokens,
    cost_microusd: reserveCost(configuration, call.resolvedModel, usage, { budgets }, surchargeOf(call.body)),
    limits,
    key,
    begun: state.startNoted,
  });
}

const withoutBudgets = (limits: Limits): Limits => ({ ...limits, budgets: [] });

function refused(
  ports: ChatPorts,
  state: ChatCallState,
  outcome: Extract<ReserveOutcome, { ok: false }>,
): GatewayError {
  const { code, message, what, retryAfterSeconds } = outcome;
  const error = new GatewayError(code, message, { retryAfterSeconds });
  ended(state, 'refused', error);
  if (code !== 'budget_exceeded') return error;
  Object.assign(state, { decision: 'block', matchedRule: `budget:${what}` });
  ports.telemetry.count('svc_budget_tier_total', { tier: 'exhausted' });
  return error;
}

/** The behavioural kill switch: of the session, and of its key over all its sessions. */
function assertNotBlocked({ clock }: ChatPorts, state: ChatCallState): void {
  const { behavior } = state.call.snapshot.configuration;
  const stopped = blockedBy(behavior, state.standing ?? { session: undefined, key: undefined }, clock.now());
  if (!stopped) return;
  const error = sessionBlocked(stopped);
  ended(state, 'blocked', error);
  Object.assign(state, { decision: 'block', matchedRule: stopped.matched_rule });
  throw error;
}
