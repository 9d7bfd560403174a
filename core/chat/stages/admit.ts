/** Admits a call: reserves against its limits and reads its session in parallel. */

import { sessionOwner } from '#core/actions/governed.ts';
import { assertSessionOwner } from '#core/configuration/identity/sessions.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { limitHeaders } from '#core/limits/headers.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import { keyPartOf } from '#core/limits/limits-of-key.ts';
import type { Limits, ReservedCall, ReserveOutcome } from '#core/limits/ports.ts';
import { reserveCost } from '#core/limits/prices.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { blockedBy, sessionBlocked } from '#core/session/risk/assess.ts';
import type { ChatCall } from '../call.ts';
import type { AdmittedCall, Ruling, RunningCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';
import { isLookedUp } from './response-cache.ts';

/**
 * Runs the first of the two sequential store steps of a call.
 * @throws GatewayError `rate_limit_error`, `budget_exceeded` (nothing is consumed), `forbidden` (another key's
 * session), `session_blocked` (kill switch), `service_unavailable` (fail closed).
 */
export async function admit(ports: ChatPorts, running: RunningCall, policy: ContentPolicy): Promise<AdmittedCall> {
  const { call } = running;
  const { id: tenant } = call.tenant;
  const scored = call.principal.kind === 'agent';
  const startNoted = isCalledImmediately(call, policy);
  const store = Promise.all([
    reserve(ports, call, startNoted),
    ports.evidence.head(tenant, call.sessionId),
    scored ? ports.keyRisks.of(tenant, call.principal.key_id) : undefined,
  ]);
  store.catch(() => {}); // the await below reports it
  // Unfiltered request, processed while the store operations run.
  const requestSha256 = digestOf(call.body);
  const [outcome, head, key] = await store;
  const admitted: AdmittedCall = {
    ...running,
    reserved: outcome.ok,
    startNoted,
    limitHeaders: limitHeaders(outcome),
    head: head ?? null,
    standing: { session: head?.risk, key },
    requestSha256,
  };
  try {
    // Checked before any refusal is recorded, because recording would write to the session.
    assertSessionOwner(head, call.principal);
    if (!outcome.ok) throw limitReached(ports, admitted, outcome);
    for (const { tier } of outcome.budgets) if (tier !== 'ok') ports.telemetry.count('svc_budget_tier_total', { tier });
    assertNotBlocked(ports, admitted);
    if (call.refusal) throw modelNotAllowed(admitted, call.refusal);
  } catch (thrown) {
    throw StageFailure.of(thrown, admitted);
  }
  return admitted;
}

/**
 * Returns the failure for a model that the tenant may not use. Unlike an unserved model, it is recorded as a decision.
 */
const modelNotAllowed = (admitted: AdmittedCall, refusal: GatewayError): StageFailure =>
  new StageFailure(refusal, admitted, 'refused', { ruling: blockRuledBy(`model:${admitted.call.model}`) });

const blockRuledBy = (matchedRule: string): Ruling => ({ decision: 'block', matchedRule });

/** Requests larger than this are filtered in a worker, or in slices that let other work run in between. */
const quickTokens = 4 * 1024;

/**
 * Checks whether the provider is called immediately after admission [limit.none]: its start is then recorded with the
 * reservation, which saves a write. Quick filters make no difference, because a call that they block is settled like
 * any other.
 */
const isCalledImmediately = (call: ChatCall, policy: ContentPolicy): boolean =>
  (policy.inputIdle || (policy.inputQuick && call.inputTokens <= quickTokens && call.storing === undefined)) &&
  !isLookedUp(call, call.body) &&
  call.refusal === undefined;

function reserve(ports: ChatPorts, call: ChatCall, begun: boolean): Promise<ReserveOutcome> {
  const { configuration, identities } = call.snapshot;
  const limits = limitsOf(configuration, call.tenant.id, call.resolvedModel);
  const key = keyPartOf(identities, call.principal, call.resolvedModel);
  const named = { tenant: call.tenant.id, id: call.envelopeId, session_id: call.sessionId };
  // A call to a forbidden model counts as a request and costs nothing, so that no budget or price error is reported
  // instead.
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
    begun,
    call: reservedCall(call),
  });
}

const nameCharacters = 256;

const reservedCall = (call: ChatCall): ReservedCall => ({
  key_id: call.principal.key_id,
  agent: call.principal.name.slice(0, nameCharacters),
  operation: call.operation,
  model: call.model.slice(0, nameCharacters).toWellFormed(),
  resolved_model: call.resolvedModel.slice(0, nameCharacters).toWellFormed(),
  stream: call.stream,
  transport: call.transport,
  input_tokens: call.inputTokens,
  policy_version: call.snapshot.version,
  request_id: call.requestId,
  ...(sessionOwner(call.principal) !== undefined && { owns_session: true }),
});

const withoutBudgets = (limits: Limits): Limits => ({ ...limits, budgets: [] });

function limitReached(
  ports: ChatPorts,
  admitted: AdmittedCall,
  { code, message, what, retryAfterSeconds }: Extract<ReserveOutcome, { ok: false }>,
): StageFailure {
  const error = new GatewayError(code, message, { retryAfterSeconds });
  if (code !== 'budget_exceeded') return new StageFailure(error, admitted, 'refused');
  ports.telemetry.count('svc_budget_tier_total', { tier: 'exhausted' });
  return new StageFailure(error, admitted, 'refused', { ruling: blockRuledBy(`budget:${what}`) });
}

/** Enforces the behavioural kill switch for the session, and for its key across all of the key's sessions. */
function assertNotBlocked({ clock }: ChatPorts, admitted: AdmittedCall): void {
  const { behavior } = admitted.call.snapshot.configuration;
  const stopped = blockedBy(behavior, admitted.standing, clock.now());
  if (!stopped) return;
  throw new StageFailure(sessionBlocked(stopped), admitted, 'blocked', { ruling: blockRuledBy(stopped.matched_rule) });
}
