/** Lets a call in: its reservation beside one read of its session (architecture: one chat's life; contract §5). */
import type { SessionHead } from '#core/evidence/ports.ts';
import { assertSessionOwner } from '#core/identity/sessions.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { limitHeaders } from '#core/limits/headers.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import type { ReserveOutcome } from '#core/limits/ports.ts';
import { reserveCost } from '#core/limits/prices.ts';
import type { ChatCall } from '../call.ts';
import { type Course, ended } from '../course.ts';
import type { ChatPorts } from '../ports.ts';

/**
 * The first of two sequential store steps of a call.
 * @throws GatewayError `rate_limit_error`, `budget_exceeded` (nothing is consumed), `forbidden` (another key's session),
 * `session_blocked` (kill switch), `service_unavailable` (fail closed).
 */
export async function admit(ports: ChatPorts, course: Course): Promise<void> {
  const { call } = course;
  const [reserved, head] = await Promise.all([
    reserve(ports, call),
    ports.evidence.head(call.tenant.id, call.sessionId),
  ]);
  course.head = head ?? null;
  course.reserved = reserved.ok;
  Object.assign(course.headers, limitHeaders(reserved));
  if (!reserved.ok) throw refused(course, reserved);
  for (const { tier } of reserved.budgets) if (tier !== 'ok') ports.telemetry.count('svc_budget_tier_total', { tier });
  assertSessionOwner(head, call.principal);
  assertNotBlocked(course, head);
}

function reserve(ports: ChatPorts, call: ChatCall): Promise<ReserveOutcome> {
  const { configuration } = call.snapshot;
  const limits = limitsOf(configuration, call.tenant.id, call.resolvedModel);
  const usage = { input_tokens: call.inputTokens, output_tokens: call.maxTokens };
  return ports.counters.reserve({
    tenant: call.tenant.id,
    id: call.envelopeId,
    session_id: call.sessionId,
    tokens: call.inputTokens + call.maxTokens,
    cost_microusd: reserveCost(configuration, call.resolvedModel, usage, limits),
    limits,
  });
}

function refused(course: Course, outcome: Extract<ReserveOutcome, { ok: false }>): GatewayError {
  const { code, message, what, retryAfterSeconds } = outcome;
  const error = new GatewayError(code, message, { retryAfterSeconds });
  ended(course, 'refused', error);
  if (code === 'budget_exceeded') Object.assign(course, { decision: 'block', matchedRule: `budget:${what}` });
  return error;
}

/** The behavioural kill switch (spec §1 stage 3, §7.2). */
function assertNotBlocked(course: Course, head: SessionHead | undefined): void {
  const { behavior } = course.call.snapshot.configuration;
  if (!behavior.enabled || !head?.risk || head.risk.score < behavior.kill_switch_score) return;
  const error = new GatewayError(
    'session_blocked',
    `Session ${head.session_id} is blocked: its risk score ${head.risk.score} has reached ${behavior.kill_switch_score}.`,
  );
  ended(course, 'blocked', error);
  Object.assign(course, { decision: 'block', matchedRule: `behavior:${head.risk.rule}` });
  throw error;
}
