/** Decides each address that the provider would fetch as the call `http.get` [chat.addresses]. */

import { decideOnly } from '#core/actions/decide-only.ts';
import { type GovernedRequest, openEnvelope } from '#core/actions/envelope.ts';
import { approvalFor, govern } from '#core/actions/govern.ts';
import { waitingFor } from '#core/actions/wait.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import { type DecisionResult, sizes } from '#core/contracts/envelope.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Answering } from '../answering.ts';
import type { ChatCall } from '../call.ts';
import type { Finished, ScreenedCall } from '../call-stages.ts';
import { type FetchedAddress, isReadAlike, refusedAddress } from '../chat-addresses.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';
import { chatReviewOf, endInReview, pendingOf } from './approval.ts';

/** Maximum number of addresses, each of which costs a decision. */
const maxAddresses = 20;

interface Fetch {
  readonly path: string;
  readonly request: GovernedRequest;
}

interface DecidedFetch extends Fetch {
  readonly result: DecisionResult;
}

/**
 * Returns the call if all addresses are allowed, or its end if one is in review.
 * @throws GatewayError `policy_violation` that names the rule; `invalid_request` for an address that cannot be decided;
 * `conflict` for a review that is answered as an error.
 */
export async function governAddresses(
  ports: ChatPorts,
  screened: ScreenedCall,
  found: readonly FetchedAddress[],
  answering: Answering,
): Promise<ScreenedCall | Finished> {
  const { call } = screened;
  const fetches = fetchesOf(screened, found);
  const { ready, others } = await byApproval(ports, call, fetches);
  const pending = await decided(ports, screened, others, answering);
  // An approval is used once, so it is kept until every address of the call is allowed.
  if (pending.length === 0) pending.push(...(await decided(ports, screened, ready, answering)));
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

/** Decides the addresses in order and returns those in review. @throws GatewayError `policy_violation` */
async function decided(
  ports: ChatPorts,
  screened: ScreenedCall,
  fetches: readonly Fetch[],
  answering: Answering,
): Promise<DecidedFetch[]> {
  const { call } = screened;
  const holds = chatReviewOf(call) === 'hold';
  const wait = {
    ...waitingFor(holds ? call.snapshot.configuration.approvals.hold_seconds : 0, () => call.signal.aborted),
    // The answer begins, and is kept alive while the call is pending.
    onWait: () => void (call.stream && answering.stream(screened)),
  };
  const pending: DecidedFetch[] = [];
  for (const fetch of fetches) {
    const result = await govern(ports, call.principal, call.sessionId, fetch.request, { carry: decideOnly, wait });
    if (result.decision === 'block') throw await blockedFetch(ports, screened, { ...fetch, result });
    if (result.decision === 'review') pending.push({ ...fetch, result });
  }
  return pending;
}

async function blockedFetch(ports: ChatPorts, screened: ScreenedCall, { path, result }: DecidedFetch) {
  const { call } = screened;
  const { matched_rule, envelope_id, error } = result;
  const fault = new GatewayError(
    'policy_violation',
    `${path} holds an address that the provider would fetch: rule ${matched_rule} blocks it. ${error?.message ?? ''}`.trim(),
    { data: { ...error?.data, param: path, decision: 'block', matched_rule, envelope_id } },
  );
  const head = (await ports.evidence.head(call.tenant.id, call.sessionId)) ?? null;
  return new StageFailure(fault, { ...screened, head }, 'blocked', {
    ruling: { decision: 'block', matchedRule: matched_rule },
  });
}

/** Separates the addresses that have an approval from the others. */
async function byApproval(ports: ChatPorts, { principal, sessionId }: ChatCall, fetches: readonly Fetch[]) {
  if (fetches.length === 1) return { ready: [], others: fetches };
  const ready: Fetch[] = [];
  const others: Fetch[] = [];
  for (const fetch of fetches) {
    const envelope = openEnvelope(fetch.request, principal, sessionId, '');
    const candidate = await approvalFor(ports, envelope, callDigest(envelope));
    (candidate?.row?.status === 'approved' ? ready : others).push(fetch);
  }
  return { ready, others };
}

function fetchesOf({ call, inputVerdict }: ScreenedCall, found: readonly FetchedAddress[]): readonly Fetch[] {
  const byTarget = new Map<string, FetchedAddress>();
  for (const each of found) {
    const target = targetOf(each);
    if (!byTarget.has(target)) byTarget.set(target, each);
  }
  if (byTarget.size > maxAddresses)
    throw invalidRequest(
      `The request holds ${byTarget.size} addresses that the provider would fetch; ${maxAddresses} at most are decided. Send contents in base64, or have their hosts listed in chat_addresses.`,
    );
  // A reference names one approval: that of the content, if it is in review. Others are found by their calls.
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
      conversation: async () => (await import('#core/session/sources/conversation.ts')).conversationSources(call.body),
      ...(refers && call.approvalRef !== undefined && { approval_ref: call.approvalRef }),
    },
  }));
}

/** Returns the address in its normal form. */
function targetOf({ path, address }: FetchedAddress): string {
  const url = URL.parse(address.trim());
  if (url?.username !== '' || url.password !== '' || !isReadAlike(address))
    throw refusedAddress(
      path,
      'that is not certain to name one host: a backslash, a blank or credentials are not taken',
    );
  if (Buffer.byteLength(url.href) > sizes.targetBytes)
    throw refusedAddress(path, `of more than ${sizes.targetBytes} bytes`);
  return url.href;
}
