/**
 * Review of chat traffic: like any other action, the call becomes pending and gets a 202 response. Its retry passes
 * once.
 */
import { answer } from '#core/actions/answers.ts';
import type { ExecutionMode } from '#core/actions/execute-action.ts';
import { approvalFor } from '#core/actions/govern.ts';
import type { GovernedAction } from '#core/actions/governed.ts';
import { review } from '#core/actions/review.ts';
import { type WaitStrategy, waitingOver } from '#core/actions/wait.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import type { ActionEnvelope, DecisionResult } from '#core/contracts/envelope.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { AnswerReceiver } from '../answering.ts';
import type { ChatCall } from '../call.ts';
import { type ApprovedCall, endedWith, type FinishedCall, type ScreenedCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure, withKnownCall } from '../stage-failure.ts';

/**
 * Maximum number of bytes shown to a reviewer. For larger requests, the end of the text and the digest that the
 * approval is bound to are shown.
 */
const shownBytes = 128 * 1024;
const lastWords = 8 * 1024;
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the call once an approval for exactly this call has been consumed, or the call's ending while the decision is
 * pending.
 * @throws GatewayError `policy_violation` while a denial of the same call applies; `conflict` if pending calls are
 * returned as errors.
 */
export async function awaitApproval(
  ports: ChatPorts,
  screened: ScreenedCall,
  answering: AnswerReceiver,
): Promise<ApprovedCall | FinishedCall> {
  const result = await reviewContent(ports, screened, answering);
  return result.decision === 'allow'
    ? takeApproval(ports, screened, result)
    : endInReview(screened, answering, pendingOf(result));
}

/**
 * Reviews the content of a call.
 * @param keeps true to leave a matching approval unused.
 * @returns allow or review. @throws GatewayError `policy_violation` while a denial of the same call applies.
 */
export async function reviewContent(
  ports: ChatPorts,
  screened: ScreenedCall,
  answering: AnswerReceiver,
  keeps = false,
): Promise<DecisionResult> {
  const { call, inputVerdict } = screened;
  const how = chatReviewOf(call);
  // The response begins, and is kept alive while the call is pending.
  if (how === 'hold' && call.stream) answering.stream(screened);
  const asked = envelopeOf(call);
  const call_digest = callDigest(asked);
  const named = await approvalFor(ports, asked, call_digest);
  // A retry may name the approval for an address in the chat; the content's approval is then found by its call.
  const isOfAddress = named?.row?.protocol === 'http';
  const { approval_ref: _, ...unnamed } = asked;
  const envelope = isOfAddress ? unnamed : asked;
  const candidate = isOfAddress ? await approvalFor(ports, envelope, call_digest) : named;
  const { matched_rule } = inputVerdict;
  const action: GovernedAction = {
    envelope,
    principal: call.principal,
    snapshot: call.snapshot,
    decision: {
      decision: 'review',
      matched_rule: matched_rule ?? 'content',
      policy: 'content policy',
      reason: `The filter ${matched_rule?.replace(/^content:/, '')} asks for a human's decision.`,
    },
    call_digest,
    // The approval shows the reviewer the prompt; the log contains only its digest.
    privateParameters: true,
    // The call continues in this pipeline, not in an executor; its approval admits one call [approval.used-once].
    decideOnly: true,
    head: screened.head,
  };
  const result = await review(ports, action, candidate, takenOnly, { ...chatWait(call), keeps });
  if (result.decision === 'block') throw deniedChat(screened, result);
  return result;
}

/**
 * Returns the way a chat waits for human review: it is held if `chat_review` is `hold`, otherwise it gets an immediate
 * response.
 */
export const chatWait = (call: ChatCall): WaitStrategy =>
  waitingOver(call.snapshot.configuration.approvals, chatReviewOf(call) === 'hold', () => call.signal.aborted);

/**
 * Ends a call that requires human approval, as configured in `approvals.chat_review`.
 * @throws GatewayError `conflict` unless that setting is `status_202`.
 */
export function endInReview(screened: ScreenedCall, answering: AnswerReceiver, pending: JsonObject): FinishedCall {
  const { call } = screened;
  if (chatReviewOf(call) !== 'status_202') throw reviewError(screened, pending);
  answerPending(call, answering, pending);
  return { known: screened, ending: endedWith('review') };
}

async function takeApproval(
  ports: ChatPorts,
  screened: ScreenedCall,
  { matched_rule: matchedRule }: DecisionResult,
): Promise<ApprovedCall> {
  const { call } = screened;
  const approval = { id: matchedRule.replace(/^approved:/, ''), matchedRule, head: screened.head };
  const head = await withKnownCall({ ...screened, approval }, () =>
    ports.evidence.head(call.tenant.id, call.sessionId),
  );
  return { ...screened, approval: { ...approval, head: head ?? null } };
}

/** Returns the failure for a call that a reviewer denied, with the reviewer's comment. */
function deniedChat(screened: ScreenedCall, { matched_rule, envelope_id, error }: DecisionResult): StageFailure {
  const fault = new GatewayError('policy_violation', error?.message ?? 'The call was denied.', {
    data: { decision: 'block', matched_rule, envelope_id, ...error?.data },
  });
  return new StageFailure(fault, screened, 'blocked', { ruling: { decision: 'block', matchedRule: matched_rule } });
}

/** Consumes the approval without executing the call, which the rest of the pipeline does. */
const takenOnly: ExecutionMode = async (_ports, action, evidence_hash) => ({
  ...answer(action),
  decision: 'allow',
  evidence_hash,
});

export function pendingOf({ envelope_id, error }: DecisionResult): JsonObject {
  const { approval_url, queued_at, reason } = (error?.data ?? {}) as Record<string, string>;
  return {
    status: 'pending_approval',
    envelope_id,
    approval_url: approval_url ?? '',
    queued_at: queued_at ?? '',
    ...(reason !== undefined && { reason }),
  };
}

const chatReviewOf = ({ tenant, snapshot }: ChatCall) =>
  tenant.chat_review ?? snapshot.configuration.approvals.chat_review;

/**
 * Responds with 202 and the approval. Client libraries would read that as an empty stream, so a streaming call gets an
 * error event instead, which every library throws [chat.review].
 */
function answerPending({ wire, stream, readsEvents }: ChatCall, answering: AnswerReceiver, pending: JsonObject): void {
  if (stream && readsEvents) answering.events(202, [wire.errorEvent(needsApproval(pending))]);
  else answering.json(202, pending);
}

const needsApproval = (pending: JsonObject): GatewayError =>
  new GatewayError(
    'conflict',
    `${pending.reason === 'expired' ? 'The earlier request timed out. ' : ''}The call needs approval: ${String(pending.approval_url)} (envelope ${String(pending.envelope_id)}). Send the same request again once it is approved.`,
    { data: pending },
  );

/** Returns the pending review as an error that client libraries throw, with its URL and id [chat.review]. */
const reviewError = (screened: ScreenedCall, pending: JsonObject): StageFailure =>
  // Client libraries retry a 409 immediately, before a reviewer can have made a decision.
  new StageFailure(needsApproval(pending), screened, 'review', { headers: { 'x-should-retry': 'false' } });

function envelopeOf(call: ChatCall): ActionEnvelope {
  const ref = call.approvalRef;
  if (ref !== undefined && !idPattern.test(ref)) {
    throw invalidRequest(
      `X-Approval-Ref is ${JSON.stringify(ref.slice(0, 64))}; it must be the envelope_id of an approval, a UUID.`,
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
    parameters: reviewedBody(call),
    // Headers such as betas change the provider's behaviour, so an approval covers them [approval.bound].
    ...(Object.keys(call.passed).length > 0 && { sent_with: { headers: call.passed } }),
    justification: '',
    ...(ref !== undefined && { approval_ref: ref }),
  };
}

function reviewedBody({ body }: ChatCall): Record<string, unknown> {
  // Streaming changes how the response is sent, not the request itself.
  const { stream: _stream, stream_options: _options, ...asked } = body;
  const text = canonicalize(asked);
  if (text.length <= shownBytes) return asked;
  return { request_sha256: sha256(text), characters: text.length, ends_with: text.slice(-lastWords).toWellFormed() };
}
