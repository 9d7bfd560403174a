/** Evaluates each address that the provider would fetch as an `http.get` call [chat.addresses]. */

import { decideOnly } from '#core/actions/decide-only.ts';
import type { GovernedRequest } from '#core/actions/envelope.ts';
import { govern } from '#core/actions/govern.ts';
import { type DecisionResult, sizes } from '#core/contracts/envelope.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { AnswerReceiver } from '../answering.ts';
import type { FinishedCall, ScreenedCall } from '../call-stages.ts';
import { type FetchedAddress, isReadAlike, refusedAddress } from '../chat-addresses.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';
import { chatWait, endInReview, pendingOf, reviewContent } from './approval.ts';

/** Maximum number of addresses, because each one costs a decision. */
const maxAddresses = 20;

interface Fetch {
  readonly path: string;
  readonly request: GovernedRequest;
}

interface DecidedFetch extends Fetch {
  readonly result: DecisionResult;
}

/**
 * Returns the call if all addresses are allowed, or its ending if an address is in review.
 * @throws GatewayError `policy_violation` that names the rule; `invalid_request` for an address that cannot be
 * evaluated; `conflict` for a review that is returned as an error.
 */
export async function governAddresses(
  ports: ChatPorts,
  screened: ScreenedCall,
  found: readonly FetchedAddress[],
  answering: AnswerReceiver,
): Promise<ScreenedCall | FinishedCall> {
  const { call } = screened;
  const fetches = fetchesOf(screened, found);
  const reviewsContent = screened.inputVerdict.decision === 'review';
  // An approval can be used only once, so none is used until all approvals that the call needs are available.
  const keeps = reviewsContent || fetches.length > 1;
  const decisions = await decideAddresses(ports, screened, fetches, answering, keeps);
  const content = reviewsContent ? await reviewContent(ports, screened, answering, true) : undefined;
  let pending = pendingIn(decisions, content);
  if (pending.length === 0 && keeps) {
    const approved = decisions.filter(({ result }) => isApproved(result));
    pending = pendingIn(await decideAddresses(ports, screened, approved, answering, false), undefined);
  }
  // The decisions have advanced the session's chain.
  const head = (await ports.evidence.head(call.tenant.id, call.sessionId)) ?? null;
  const known = { ...screened, head };
  const [first] = pending;
  if (!first) return known;
  const approvals = pending.map(({ path, result }) => {
    const { envelope_id = '', approval_url = '' } = pendingOf(result);
    return { param: path, envelope_id, approval_url };
  });
  return endInReview(known, answering, { ...pendingOf(first.result), approvals });
}

const isApproved = ({ matched_rule }: DecisionResult): boolean => matched_rule.startsWith('approved:');

/** Returns the pending reviews, starting with that of the content, to which the `X-Approval-Ref` of a retry belongs. */
function pendingIn(fetches: readonly DecidedFetch[], content: DecisionResult | undefined) {
  const all = [...(content ? [{ path: 'messages', result: content }] : []), ...fetches];
  return all.filter(({ result }) => result.decision === 'review');
}

/**
 * Makes a decision on each address, in order.
 * @param keeps leaves matching approvals unused.
 * @throws GatewayError `policy_violation`
 */
async function decideAddresses(
  ports: ChatPorts,
  screened: ScreenedCall,
  fetches: readonly Fetch[],
  answering: AnswerReceiver,
  keeps: boolean,
): Promise<DecidedFetch[]> {
  const { call } = screened;
  const wait = {
    ...chatWait(call),
    keeps,
    // The response begins, and is kept alive while the call is pending.
    onWait: () => void (call.stream && answering.stream(screened)),
  };
  const results: DecidedFetch[] = [];
  for (const fetch of fetches) {
    const result = await govern(ports, call.principal, call.sessionId, fetch.request, { carry: decideOnly, wait });
    if (result.decision === 'block') throw await blockedFetch(ports, screened, { ...fetch, result });
    results.push({ ...fetch, result });
  }
  return results;
}

async function blockedFetch(ports: ChatPorts, screened: ScreenedCall, { path, result }: DecidedFetch) {
  const { call } = screened;
  const { matched_rule, envelope_id, error } = result;
  const fault = new GatewayError(
    'policy_violation',
    `${path} contains an address that the provider would fetch: rule ${matched_rule} blocks it. ${error?.message ?? ''}`.trim(),
    { data: { ...error?.data, param: path, decision: 'block', matched_rule, envelope_id } },
  );
  const head = (await ports.evidence.head(call.tenant.id, call.sessionId)) ?? null;
  return new StageFailure(fault, { ...screened, head }, 'blocked', {
    ruling: { decision: 'block', matchedRule: matched_rule },
  });
}

function fetchesOf({ call, inputVerdict }: ScreenedCall, found: readonly FetchedAddress[]): readonly Fetch[] {
  const byTarget = new Map<string, FetchedAddress>();
  for (const each of found) {
    const target = targetOf(each);
    if (!byTarget.has(target)) byTarget.set(target, each);
  }
  if (byTarget.size > maxAddresses)
    throw invalidRequest(
      `The request contains ${byTarget.size} addresses that the provider would fetch; at most ${maxAddresses} are evaluated. Send contents in base64, or have their hosts listed in chat_addresses.`,
    );
  // A reference identifies a single approval: that of the content, if it is in review. Other approvals are found by
  // their calls.
  const refers = byTarget.size === 1 && inputVerdict.decision !== 'review';
  return [...byTarget].map(([target, { path }]) => ({
    path,
    request: {
      protocol: 'http',
      tool: 'http.get',
      target,
      capability: 'read',
      parameters: { url: target },
      placement: null,
      conversation: call.body,
      ...(refers && call.approvalRef !== undefined && { approval_ref: call.approvalRef }),
    },
  }));
}

/** Returns the address in normalised form. */
function targetOf({ path, address }: FetchedAddress): string {
  const url = URL.parse(address.trim());
  if (url?.username !== '' || url.password !== '' || !isReadAlike(address))
    throw refusedAddress(path, 'that may not name a single host: a backslash, a space or credentials are not allowed');
  if (Buffer.byteLength(url.href) > sizes.targetBytes)
    throw refusedAddress(path, `of more than ${sizes.targetBytes} bytes`);
  return url.href;
}
