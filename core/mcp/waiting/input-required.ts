/**
 * `input_required` (2026-07-28): a client whose user can open an address is pointed to the approval, and sends the call again.
 * What its user answers decides nothing: a reviewer votes at the approval (decision 0028).
 */
import { approvalRequired } from '#core/actions/answers.ts';
import { unusable } from '#core/approvals/approval.ts';
import type { ApprovalsPort, ReviewAddressPorts } from '#core/approvals/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { type TicketKeys, ticketKeys } from '#core/execution/tickets/keys.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { type ClockPort, isoTime, type SecretsPort } from '#core/kernel/ports.ts';
import { capabilitiesOf } from '../protocol/era.ts';
import { invalidParams, type RpcOutcome } from '../protocol/messages.ts';
import type { Caller } from '../sessions/caller.ts';
import { denialError } from './denial-error.ts';
import { isOwnState, openState, type RequestState, sealState, statePrefix, stateRefused } from './request-state.ts';

/** Our request among a server's. */
const requestKey = 'gateway.approval';
/** The SDKs give up after ten rounds without a word of the approval: before that the caller gets an error. */
const maxRounds = 8;

/** Whether the client's user can be shown an address. */
export function opensAddresses({ era }: Caller, params: JsonObject): boolean {
  const elicitation = era === 'stateless' ? capabilitiesOf(params).elicitation : undefined;
  return isObject(elicitation) && isObject(elicitation.url);
}

const stateKeys = (
  { secrets }: ApprovalsPort & ReviewAddressPorts & ClockPort & SecretsPort,
  { snapshot }: Caller,
): Promise<TicketKeys> => ticketKeys(snapshot.configuration, secrets, statePrefix);

/** Without a key there are no states, and clients wait in another way. */
export const stateKeysIfAny = (
  ports: ApprovalsPort & ReviewAddressPorts & ClockPort & SecretsPort,
  caller: Caller,
): Promise<TicketKeys | undefined> => stateKeys(ports, caller).catch(() => undefined);

type Answered = 'accept' | 'decline' | 'cancel';

/** A call that is sent again with the gateway's state. */
export interface Returned {
  readonly state: RequestState;
  readonly answered: Answered;
  readonly caller: Caller;
  /** As the client would have sent them without our question. */
  readonly params: JsonObject;
}

/**
 * Takes our state and answer out of a call; undefined where there is none of the gateway's.
 * @throws RpcFault -32602 for a state that is forged or stale, or an answer that is none; GatewayError
 * `service_unavailable` when there is no key to read it with.
 */
export async function returned(
  ports: ApprovalsPort & ReviewAddressPorts & ClockPort & SecretsPort,
  caller: Caller,
  params: JsonObject,
): Promise<Returned | undefined> {
  if (caller.era !== 'stateless' || !isOwnState(params.requestState)) return undefined;
  const { requestState, inputResponses, ...rest } = params;
  const state = openState(requestState as string, await stateKeys(ports, caller), caller, ports.clock.now());
  return {
    state,
    answered: answerIn(inputResponses),
    // A session of the gateway's own making may have ended meanwhile, or be another instance's: the call stays in its own.
    caller: { ...caller, sessionId: state.session },
    params: { ...rest, ...state.for_server },
  };
}

/** A client that does not say what its user did may look again. */
function answerIn(responses: unknown): Answered {
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
 * What is answered at once: the refusal of a human or of the client's user, or the question again while the call is being made.
 * Undefined when the call goes its way with its approval.
 * @throws RpcFault -32602 for another call, or one whose approval is used up, lapsed or gone.
 */
export async function standing(
  ports: ApprovalsPort & ReviewAddressPorts & ClockPort & SecretsPort,
  back: Returned,
  digest: string,
): Promise<RpcOutcome | undefined> {
  const { state, answered } = back;
  if (state.call_digest !== digest) throw stateRefused('other_call');
  const row = await ports.approvals.get(state.tenant, state.approval);
  if (!row) throw stateRefused('unknown');
  const why = unusable(row, { ...row, now: isoTime(ports.clock.now()) });
  switch (why) {
    case undefined:
    case 'pending':
      return answered === 'accept' ? undefined : refused(ports, row, notLooked[answered]);
    case 'denied':
      return { error: denialError(row) };
    case 'expired':
      // No reviewer decided in time. A new approval is requested only when the call is sent without the state.
      if (row.status !== 'approved') return refused(ports, row, why);
      throw stateRefused(why);
    case 'already_used':
      if (row.executed_by !== 'gateway') throw stateRefused(why);
      // The state machine makes the call, or has: its result is collected as any identical call collects it.
      return row.status === 'consumed'
        ? undefined
        : ((await askedAgain(ports, back, row)) ?? refused(ports, row, running));
    default:
      throw stateRefused('other_call');
  }
}

/** `data.reason` while the gateway makes the call, as the identical call without a state gets it [approval.execute-collected]. */
const running = 'executing';

/** `data.reason` when the client's user would not open the address. The request stays open: a reviewer may still decide it. */
const notLooked = { decline: 'declined', cancel: 'cancelled' } as const;

function refused(
  { adminUrl }: ApprovalsPort & ReviewAddressPorts & ClockPort & SecretsPort,
  row: ApprovalRow,
  reason: string,
): RpcOutcome {
  const { code, message, data } = approvalRequired(row, adminUrl, reason);
  return { error: { code, message, data: { ...data, envelope_id: row.envelope_id } } };
}

const askedAgain = async (
  ports: ApprovalsPort & ReviewAddressPorts & ClockPort & SecretsPort,
  { state, caller, params }: Returned,
  row: ApprovalRow,
) =>
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

/** The question to a client: a review, the call it is about, and how often it was sent. */
interface ReviewQuestion extends Pick<DecisionResult, 'envelope_id' | 'matched_rule' | 'error'> {
  readonly params: JsonObject;
  readonly digest: string;
  readonly round: number;
}

/** The question, or undefined where it does not help: the request is decided, or the client does nothing but ask again. */
export function inputRequired(
  { clock }: ClockPort,
  { principal, sessionId, snapshot }: Caller,
  keys: TicketKeys,
  { envelope_id, matched_rule, error, params, digest, round }: ReviewQuestion,
): RpcOutcome | undefined {
  const { approval_url, expires_at, reason } = (error?.data ?? {}) as Readonly<Record<string, string | undefined>>;
  // A request that ended while the call was held is over: its address has nothing left to decide.
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
    // As long as a reviewer may decide, and then as long as what was decided may be used.
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
      ? 'A person approved it and it is being made at this moment; this address shows it, and the call sent again returns its result. '
      : 'At this address a person with the role operator decides it, a person other than the caller. ';
  const message = `${error.message} Rule: ${matched_rule}. ${decides}Opening the page decides nothing, and nothing is asked of you here.`;
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
