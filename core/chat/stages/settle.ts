/**
 * Ends every call: writes its evidence entry and the chain head in one transaction, the second of two sequential store
 * steps before the answer. Only then is the reservation turned into spend: if the process ends in between, the entry
 * settles it, whereas a call without its reservation and its entry would never be recorded [chat.killed].
 */

import { sessionOwner } from '#core/actions/governed.ts';
import { finishExecution } from '#core/approvals/execution.ts';
import { federatedActor } from '#core/configuration/identity/principal.ts';
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import type { Usage } from '#core/contracts/chat.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import type { Change } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isFirstOfMinute } from '#core/kernel/first-of-minute.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { contextOf, lacksLongPrice } from '#core/limits/prices.ts';
import { genAiMetrics } from '#core/models/routing/gen-ai-metrics.ts';
import { followRisk, noteOfBlockedChat } from '#core/session/risk/assess.ts';
import type { ChatCall } from '../call.ts';
import type { EndedCall, RecordedEntry } from '../call-stages.ts';
import { type Charge, chargeOf } from '../call-usage.ts';
import { recordOf } from '../chat-record.ts';
import { headOf, providerOf, rulingOf } from '../known-facts.ts';
import type { ChatPorts } from '../ports.ts';

interface SettledCall {
  /** Undefined for a call that leaves no entry. */
  readonly recorded: RecordedEntry | undefined;
  /** Resolves when the reservation is settled; the answer does not wait for it. */
  readonly settling: Promise<void>;
}

/**
 * Settles a call.
 * @param traceId trace id of the call's span.
 * @throws GatewayError `service_unavailable` if the entry could not be written, so that no caller assumes that the call
 * was recorded. Its reservation stays, so that the sweep records and charges it when the lease ends.
 */
export async function settle(ports: ChatPorts, ended: EndedCall, traceId: string): Promise<SettledCall> {
  const charge = chargeOf(ended.known);
  const recorded = await recordEvidence(ports, ended, charge, traceId).catch(async (thrown) => {
    // This call is recorded, in a session of its own.
    if (isForbidden(thrown)) await settleReservation(ports, ended, charge);
    throw thrown;
  });
  const settling = settleReservation(ports, ended, charge);
  report(ports, ended, charge);
  return { recorded, settling };
}

const isForbidden = (thrown: unknown): thrown is GatewayError =>
  thrown instanceof GatewayError && thrown.code === 'forbidden';

/**
 * Checks whether a call leaves no entry. This applies to refusals by the rate limiter, because callers could otherwise
 * write without limit; to calls into another key's session, whose chain belongs to its owner; and to refusals by a
 * budget after the first per minute.
 */
function leavesNoEntry({ known, ending }: EndedCall, nowMs: number): boolean {
  const { outcome, error } = ending;
  // The entry that put the call in review already exists.
  if (outcome === 'review') return true;
  if (outcome !== 'refused') return false;
  const { matchedRule = '' } = rulingOf(known, ending);
  if (error === 'budget_exceeded') return !isFirstOfMinute(known.call.principal.key_id, matchedRule, nowMs);
  return error === 'rate_limit_error' || error === 'forbidden';
}

async function recordEvidence(
  ports: ChatPorts,
  ended: EndedCall,
  charge: Charge,
  traceId: string,
): Promise<RecordedEntry | undefined> {
  if (leavesNoEntry(ended, ports.clock.now())) return undefined;
  const { known } = ended;
  const { call, standing } = known;
  const scored = call.principal.kind === 'agent';
  return ports.telemetry.leafSpan('evidence.record', { session_id: call.sessionId }, async (span) => {
    const body = recordOf(ended, {
      clock: ports.clock,
      charge,
      traceId,
      evictions: ports.cache.takeEvictions(),
      delivered: deliveryOf(ports, call),
    });
    const draft = {
      tenant: call.tenant.id,
      session_id: call.sessionId,
      timestamp: isoTime(ports.clock.now()),
      kind: 'chat' as const,
      envelope_id: call.envelopeId,
      actor: { key_id: call.principal.key_id, agent: call.principal.name, ...federatedActor(call.principal) },
      body: { ...body, ...behaviorNote(ended) },
    };
    const step = { draft, head: headOf(known), owner: sessionOwner(call.principal) };
    let outcome = await ports.ledger
      .commit({ ...step, changes: consume(ended) })
      .catch((thrown) => recordApart(ports, step, thrown));
    // The lease on the approval has expired, so its outcome is `unknown`; the call is still recorded.
    if (!outcome.ok) outcome = await ports.ledger.commit({ draft });
    if (!outcome.ok) return undefined;
    const { hash, timestamp: at } = outcome.entry;
    span.set({ hash });
    await followRisk(ports, outcome.entry, { before: standing?.session, key: standing?.key, scored });
    return { hash, at, latencyMs: body.latency_ms };
  });
}

/**
 * Records a call whose session was opened by another key while the model was responding. The entry is written to a
 * session of the call's own key and names the other session; the caller is refused.
 * @throws GatewayError the refusal of the commit.
 */
async function recordApart(
  ports: ChatPorts,
  { draft, owner }: { readonly draft: EntryDraft; readonly owner: string | undefined },
  refusal: unknown,
): Promise<never> {
  if (isForbidden(refusal)) {
    const session_id = `refused-${draft.envelope_id}`;
    const body = { ...draft.body, refused_session: draft.session_id };
    await ports.ledger.commit({ draft: { ...draft, session_id, body }, owner });
  }
  throw refusal;
}

/**
 * Returns `unknown` if the host cannot determine whether the caller received the answer. WebSocket posts are
 * acknowledged.
 */
const deliveryOf = ({ hostLimits }: ChatPorts, { transport }: ChatCall): 'unknown' | undefined =>
  transport === 'http' && hostLimits?.seesCallers === false ? 'unknown' : undefined;

/** Returns the behaviour note: a chat that the content policy blocked counts as a refused attempt. */
function behaviorNote({ known, ending }: EndedCall): { behavior?: BehaviorNote } {
  const { call } = known;
  const { behavior } = call.snapshot.configuration;
  const refused = ending.outcome === 'blocked' && rulingOf(known, ending).matchedRule?.startsWith('content:');
  return refused && behavior.enabled && call.principal.kind === 'agent'
    ? { behavior: noteOfBlockedChat(behavior) }
    : {};
}

function consume({ known: { call, approval }, ending: { outcome } }: EndedCall): Change[] {
  if (!approval) return [];
  const holder = { approval: approval.id, tenant: call.tenant.id, owner: call.envelopeId };
  return [finishExecution(holder, outcome === 'completed' || outcome === 'cached' ? 'executed' : 'failed')];
}

/** Settles the reservation. If this fails, it is repaired from the evidence when the lease ends. */
async function settleReservation(ports: ChatPorts, { known }: EndedCall, { usage, cost }: Charge): Promise<void> {
  if (!known.reserved) return;
  const { call } = known;
  try {
    await ports.counters.settle(call.tenant.id, call.envelopeId, {
      tokens:
        usage.input_tokens + usage.output_tokens + (usage.cache_read_tokens ?? 0) + (usage.cache_write_tokens ?? 0),
      cost_microusd: cost.microusd,
      counted: true,
    });
  } catch (thrown) {
    ports.telemetry.log('warn', 'a reservation waits for its lease to end', {
      envelope_id: call.envelopeId,
      error: (thrown as Error).message,
    });
  }
}

function report(ports: ChatPorts, ended: EndedCall, { usage, cost, otherModels }: Charge): void {
  const { telemetry, clock } = ports;
  const { known, status } = ended;
  const { call, progress } = known;
  const { outcome } = ended.ending;
  const latency_ms = clock.now() - known.startedMs;
  telemetry.count('svc_chat_requests_total', { outcome });
  telemetry.count('svc_chat_tokens_total', { direction: 'input' }, usage.input_tokens);
  telemetry.count('svc_chat_tokens_total', { direction: 'output' }, usage.output_tokens);
  telemetry.count('svc_chat_cost_microusd_total', {}, cost.microusd);
  telemetry.observe('svc_chat_latency_ms', latency_ms, {});
  if (progress?.firstTokenMs !== undefined) telemetry.observe('svc_first_token_ms', progress.firstTokenMs, {});
  reportModel(ports, ended, latency_ms / 1000);
  reportOtherModel(ports, known, otherModels);
  warnOfLongContext(ports, call, usage);
  telemetry.log('info', 'chat answered', {
    envelope_id: call.envelopeId,
    request_id: call.requestId,
    tenant: call.tenant.id,
    key_id: call.principal.key_id,
    model: call.resolvedModel,
    provider: providerOf(known),
    outcome,
    status,
    latency_ms,
  });
}

function reportOtherModel({ telemetry }: ChatPorts, known: EndedCall['known'], [replied]: readonly string[]): void {
  if (replied === undefined) return;
  telemetry.count('svc_chat_other_model_total', {});
  telemetry.log(
    'warn',
    'the reply names a model other than the requested one; the more expensive of the two is charged',
    {
      envelope_id: known.call.envelopeId,
      tenant: known.call.tenant.id,
      model: known.call.resolvedModel,
      replied_model: replied.slice(0, 256),
      provider: providerOf(known),
    },
  );
}

/** Models for which a warning has been written. */
const warnedOf = new RecentMap<string, true>({ max: 500 });

/**
 * Warns once per model that long context was charged at the standard price, although its vendor may charge more
 * [budget.served].
 */
function warnOfLongContext({ telemetry }: ChatPorts, { snapshot, resolvedModel }: ChatCall, usage: Usage): void {
  if (!lacksLongPrice(snapshot.configuration, resolvedModel, usage) || warnedOf.get(resolvedModel)) return;
  warnedOf.set(resolvedModel, true);
  telemetry.log(
    'warn',
    'the prices have no long_context for this model; a long call was charged at its ordinary price',
    {
      model: resolvedModel,
      tokens: contextOf(usage),
    },
  );
}

/** Reports the GenAI metrics of a call that reached a model. */
function reportModel({ telemetry }: ChatPorts, { known, ending }: EndedCall, durationSeconds: number): void {
  const { call, progress, provider } = known;
  if (!progress) return;
  const { configuration } = call.snapshot;
  const entry = configuration.providers.find(({ name }) => name === provider);
  if (!entry) return;
  const { counted, firstTokenMs } = progress;
  const { error } = ending;
  const measured = genAiMetrics(configuration.telemetry, {
    provider: entry.type,
    model: call.resolvedModel,
    usage: counted,
    durationSeconds,
    ...(firstTokenMs !== undefined && { firstChunkSeconds: firstTokenMs / 1000 }),
    ...(error !== undefined && { errorType: error }),
  });
  for (const { kind, name, value, labels } of measured) {
    if (kind === 'counter') telemetry.count(name, labels, value);
    else telemetry.observe(name, value, labels);
  }
}
