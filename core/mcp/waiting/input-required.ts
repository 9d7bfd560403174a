/**
 * `input_required` (2026-07-28): directs a client that can open URLs to the approval; the client then sends the call
 * again. The user's answer has no effect on the decision: a reviewer votes on the approval (decision 0028).
 */
import { approvalRequired } from '#core/actions/answers.ts';
import { unusableReason } from '#core/approvals/approval.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { type TicketKeys, ticketKeys } from '#core/execution/tickets/keys.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { McpPorts } from '../ports.ts';
import { capabilitiesOf } from '../protocol/era.ts';
import { invalidParams, type RpcOutcome } from '../protocol/messages.ts';
import type { Caller } from '../sessions/caller.ts';
import { denialError } from './denial-error.ts';
import { isOwnState, openState, type RequestState, sealState, statePrefix, stateRefused } from './request-state.ts';

type Needs = Pick<McpPorts, 'approvals' | 'clock' | 'secrets' | 'adminUrl' | 'consoleUrl'>;

/** Key that distinguishes the gateway's request from a server's requests. */
const requestKey = 'gateway.approval';
/** SDKs give up after ten rounds without mentioning the approval, so the caller gets an error before that. */
const maxRounds = 8;

/** Checks whether the client can show its user a URL. */
export function opensAddresses({ era }: Caller, params: JsonObject): boolean {
  const elicitation = era === 'stateless' ? capabilitiesOf(params).elicitation : undefined;
  return isObject(elicitation) && isObject(elicitation.url);
}

const stateKeys = ({ secrets }: Needs, { snapshot }: Caller): Promise<TicketKeys> =>
  ticketKeys(snapshot.configuration, secrets, statePrefix);

/** Returns the sealing keys. Without a key no states are issued, and clients wait in another way. */
export const stateKeysIfAny = (ports: Needs, caller: Caller): Promise<TicketKeys | undefined> =>
  stateKeys(ports, caller).catch(() => undefined);

type ElicitationAction = 'accept' | 'decline' | 'cancel';

/** A call sent again with the gateway's state. */
export interface RepeatedCall {
  readonly state: RequestState;
  readonly answered: ElicitationAction;
  readonly caller: Caller;
  /** Parameters without the gateway's state and the user's answer. */
  readonly params: JsonObject;
}

/**
 * Extracts the gateway's state and the user's answer from a call. Returns undefined if there is no such state.
 * @throws RpcFault -32602 for a forged or stale state, or an invalid answer; GatewayError `service_unavailable` if
 * there is no key to open the state.
 */
export async function readRepeatedCall(
  ports: Needs,
  caller: Caller,
  params: JsonObject,
): Promise<RepeatedCall | undefined> {
  if (caller.era !== 'stateless' || !isOwnState(params.requestState)) return undefined;
  const { requestState, inputResponses, ...rest } = params;
  const state = openState(requestState as string, await stateKeys(ports, caller), caller, ports.clock.now());
  return {
    state,
    answered: answerIn(inputResponses),
    // The call keeps its session: a session that the gateway assigned may have ended, or may belong to another
    // instance.
    caller: { ...caller, sessionId: state.session },
    params: { ...rest, ...state.for_server },
  };
}

/** Parses the user's answer. A missing answer counts as `accept`. */
function answerIn(responses: unknown): ElicitationAction {
  if (responses === undefined) return 'accept';
  const answer = isObject(responses) ? (responses[requestKey] ?? { action: 'accept' }) : undefined;
  const action = isObject(answer) ? answer.action : undefined;
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action;
  const found = JSON.stringify(isObject(answer) ? action : responses)?.slice(0, 100);
  throw invalidParams(
    `inputResponses["${requestKey}"]: found ${found}, allowed an object whose action is accept, decline or cancel.`,
    { reason: 'input_response_invalid' },
  );
}

/**
 * Returns an immediate response: a refusal by a reviewer or the client's user, or the same question while the call is
 * running. Returns undefined if the call proceeds with its approval.
 * @throws RpcFault -32602 if the state is for another call, or the approval is used up, expired or unknown.
 */
export async function immediateOutcome(
  ports: Needs,
  back: RepeatedCall,
  digest: string,
): Promise<RpcOutcome | undefined> {
  const { state, answered } = back;
  if (state.call_digest !== digest) throw stateRefused('other_call');
  const row = await ports.approvals.get(state.tenant, state.approval);
  if (!row) throw stateRefused('unknown');
  const why = unusableReason(row, { ...row, now: isoTime(ports.clock.now()) });
  switch (why) {
    case undefined:
    case 'pending':
      return answered === 'accept' ? undefined : stillNeedsApproval(ports, row, notLooked[answered]);
    case 'denied':
      return { error: denialError(row) };
    case 'expired':
      // No reviewer voted in time. A new approval is requested only if the call is sent without the state.
      if (row.status !== 'approved') return stillNeedsApproval(ports, row, why);
      throw stateRefused(why);
    case 'already_used':
      if (row.executed_by !== 'gateway') throw stateRefused(why);
      // The state machine is running the call, or has already run it: its result is collected as for any identical
      // call.
      return row.status === 'consumed'
        ? undefined
        : ((await askedAgain(ports, back, row)) ?? stillNeedsApproval(ports, row, running));
    default:
      throw stateRefused('other_call');
  }
}

/**
 * `data.reason` while the gateway runs the call, as for an identical call without a state [approval.on-approval.execute].
 */
const running = 'executing';

/** `data.reason` if the client's user did not open the URL. The request stays open for reviewers. */
const notLooked = { decline: 'declined', cancel: 'cancelled' } as const;

function stillNeedsApproval({ adminUrl }: Needs, row: ApprovalRow, reason: string): RpcOutcome {
  const { code, message, data } = approvalRequired(row, adminUrl, reason);
  return { error: { code, message, data: { ...data, envelope_id: row.envelope_id } } };
}

const askedAgain = async (ports: Needs, { state, caller, params }: RepeatedCall, row: ApprovalRow) =>
  opensAddresses(caller, params)
    ? inputRequired(ports, caller, await stateKeys(ports, caller), {
        params,
        round: state.round,
        digest: state.call_digest,
        matched_rule: row.matched_rule,
        envelope_id: row.envelope_id,
        error: approvalRequired(row, ports.adminUrl, running),
      })
    : undefined;

/** A question to a client: the review, the call and the number of rounds. */
interface ReviewQuestion extends Pick<DecisionResult, 'envelope_id' | 'matched_rule' | 'error'> {
  readonly params: JsonObject;
  readonly digest: string;
  readonly round: number;
}

/**
 * Returns the question, or undefined if asking does not help: the request has ended, or the client only repeats the
 * call.
 */
export function inputRequired(
  { clock }: Pick<McpPorts, 'clock'>,
  { principal, sessionId, snapshot }: Caller,
  keys: TicketKeys,
  { envelope_id, matched_rule, error, params, digest, round }: ReviewQuestion,
): RpcOutcome | undefined {
  const { approval_url, expires_at, reason } = (error?.data ?? {}) as Readonly<Record<string, string | undefined>>;
  // A request that ended while the call was held can no longer be voted on.
  const over = reason === 'expired' && (expires_at ?? '') <= isoTime(clock.now());
  if (!error || approval_url === undefined || over) return undefined;
  if (round >= maxRounds) return undefined;
  const { requestState, inputResponses } = params;
  const useMs = snapshot.configuration.approvals.timeout_seconds * 1000;
  const state: RequestState = {
    approval: envelope_id,
    tenant: principal.tenant,
    caller: principal.key_id,
    session: sessionId,
    call_digest: digest,
    round: round + 1,
    // Time for a reviewer to vote, plus the time to use the approval.
    expires_ms: (expires_at === undefined ? clock.now() : Date.parse(expires_at)) + useMs,
    for_server: {
      ...(requestState !== undefined && { requestState }),
      ...(inputResponses !== undefined && { inputResponses }),
    },
  };
  const sealed = sealState(state, keys);
  if (sealed === undefined) return undefined;
  const decides =
    reason === running
      ? 'A person approved it and it is running now; this address shows it, and sending the call again returns its result. '
      : 'A person other than the caller, with the role operator, approves or denies it at this address. ';
  const message = `${error.message} Rule: ${matched_rule}. ${decides}Opening the page decides nothing, and you are not asked for anything here.`;
  return {
    result: {
      resultType: 'input_required',
      inputRequests: {
        [requestKey]: { method: 'elicitation/create', params: { mode: 'url', message, url: approval_url } },
      },
      requestState: sealed,
    },
  };
}
