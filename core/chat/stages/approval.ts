/**
 * A review of chat traffic: the call waits for a human like any action, answered 202, and its retry is let through once
 *.
 */
import { answer } from '#core/actions/answers.ts';
import type { ExecutionMode } from '#core/actions/execute-action.ts';
import { approvalFor } from '#core/actions/govern.ts';
import type { GovernedAction } from '#core/actions/governed.ts';
import { review } from '#core/actions/review.ts';
import { waitingFor } from '#core/actions/wait.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import type { ActionEnvelope, DecisionResult } from '#core/contracts/envelope.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Answering } from '../answering.ts';
import type { ChatCall } from '../call.ts';
import { type ChatCallState, ended } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';

/** What a reviewer is shown whole; of larger requests the last words and the digest that the approval is bound to. */
const shownBytes = 128 * 1024;
const lastWords = 8 * 1024;
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Body of a 202 while a human has to decide; undefined once an approval of exactly this call was taken.
 * @throws GatewayError `policy_violation` for a minute after a human denied it.
 */
export async function awaitApproval(ports: ChatPorts, state: ChatCallState): Promise<JsonObject | undefined> {
  const { call } = state;
  const envelope = envelopeOf(call);
  const action: GovernedAction = {
    envelope,
    principal: call.principal,
    snapshot: call.snapshot,
    decision: {
      decision: 'review',
      matched_rule: state.matchedRule ?? 'content',
      policy: 'content policy',
      reason: `The filter ${state.matchedRule?.replace(/^content:/, '')} asks for a human's decision.`,
    },
    call_digest: callDigest(envelope),
    // The approval shows the prompt to the reviewer; the log keeps its digest only.
    privateParameters: true,
    // The call goes on in this pipeline: no executor has it, and its approval lets one call through [chat.review-once].
    decideOnly: true,
    head: state.head,
  };
  const { hold_seconds: holdSeconds } = call.snapshot.configuration.approvals;
  const candidate = await approvalFor(ports, envelope, action.call_digest);
  const result = await review(ports, action, candidate, takenOnly, waitingFor(holdSeconds));
  if (result.decision === 'review') return pending(state, result);
  if (result.decision === 'block') throw deniedChat(state, result);
  state.approvalId = result.matched_rule.replace(/^approved:/, '');
  state.matchedRule = result.matched_rule;
  state.decision = 'allow';
  state.head = (await ports.evidence.head(call.tenant.id, call.sessionId)) ?? null;
  return undefined;
}

/** A human denied exactly this call: answered as such, with the reviewer's words. */
function deniedChat(state: ChatCallState, { matched_rule, envelope_id, error }: DecisionResult): GatewayError {
  state.matchedRule = matched_rule;
  state.decision = 'block';
  const fault = new GatewayError('policy_violation', error?.message ?? 'The call was denied.', {
    data: { decision: 'block', matched_rule, envelope_id, ...error?.data },
  });
  ended(state, 'blocked', fault);
  return fault;
}

/** The approval is taken; what it allows is the rest of the pipeline. */
const takenOnly: ExecutionMode = async (_ports, action, evidence_hash) => ({
  ...answer(action),
  decision: 'allow',
  evidence_hash,
});

function pending(state: ChatCallState, { envelope_id, error }: DecisionResult): JsonObject {
  const { approval_url, queued_at, reason } = (error?.data ?? {}) as Record<string, string>;
  state.outcome = 'review';
  state.status = 202;
  return {
    status: 'pending_approval',
    envelope_id,
    approval_url: approval_url ?? '',
    queued_at: queued_at ?? '',
    ...(reason !== undefined && { reason }),
  };
}

export const chatReviewOf = ({ tenant, snapshot }: ChatCall) =>
  tenant.chat_review ?? snapshot.configuration.approvals.chat_review;

/**
 * 202 with the approval. A client library takes it for an answer: of a stream it would yield nothing and end, so it gets
 * an error event, which each of them throws [chat.review-202].
 */
export function answerPending(
  { wire, stream, readsEvents }: ChatCall,
  answering: Answering,
  pending: JsonObject,
): void {
  if (stream && readsEvents) answering.events(202, [wire.errorEvent(needsApproval(pending))]);
  else answering.json(202, pending);
}

const needsApproval = (pending: JsonObject): GatewayError =>
  new GatewayError(
    'conflict',
    `The call needs approval: ${String(pending.approval_url)} (envelope ${String(pending.envelope_id)}). Send the same request again once it is approved.`,
    { data: pending },
  );

/** What waits, as an error that client libraries throw: its message names the address and the id [chat.review-error]. */
export function reviewError(state: ChatCallState, pending: JsonObject): GatewayError {
  const fault = needsApproval(pending);
  ended(state, 'review', fault);
  // Client libraries repeat a 409 at once, before any reviewer can have decided.
  state.headers['x-should-retry'] = 'false';
  return fault;
}

function envelopeOf(call: ChatCall): ActionEnvelope {
  const ref = call.approvalRef;
  if (ref !== undefined && !idPattern.test(ref)) {
    throw invalidRequest(
      `X-Approval-Ref is ${JSON.stringify(ref.slice(0, 64))}; it takes the envelope_id of an approval, a UUID.`,
    );
  }
  return {
    envelope_id: call.envelopeId,
    tenant: call.tenant.id,
    key_id: call.principal.key_id,
    actor: { agent: call.principal.name, session: call.sessionId },
    protocol: 'llm',
    tool: call.operation,
    target: call.resolvedModel,
    capability: 'generate',
    parameters: shown(call),
    // Headers such as betas change what the provider does: an approval covers them [approval.chat-headers].
    ...(Object.keys(call.passed).length > 0 && { sent_with: { headers: call.passed } }),
    justification: '',
    ...(ref !== undefined && { approval_ref: ref }),
  };
}

function shown({ body }: ChatCall): Record<string, unknown> {
  // Whether it streams changes how the answer is sent, not the request itself.
  const { stream: _stream, stream_options: _options, ...asked } = body;
  const text = canonicalize(asked);
  if (text.length <= shownBytes) return asked;
  return { request_sha256: sha256(text), characters: text.length, ends_with: text.slice(-lastWords).toWellFormed() };
}
