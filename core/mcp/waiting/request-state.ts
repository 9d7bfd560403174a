/**
 * The `requestState` of a call that is pending approval (2026-07-28). It is sealed, so that clients can neither create
 * nor change a state, and is bound to the approval, caller, session and call. The approval's row ensures single use
 * (decision 0028).
 */

import type { TicketKeys } from '#core/execution/tickets/keys.ts';
import { type SealDefect, seal, unseal } from '#core/execution/tickets/sealed.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { invalidParams, type RpcFault } from '../protocol/messages.ts';
import type { Caller } from '../sessions/caller.ts';

export interface RequestState {
  /** Envelope id of the approval. */
  readonly approval: string;
  readonly tenant: string;
  /** Id of the key that made the call. */
  readonly caller: string;
  readonly session: string;
  readonly call_digest: string;
  /** Number of times the client has been directed to the approval. */
  readonly round: number;
  /** Milliseconds since the epoch. */
  readonly expires_ms: number;
  /** The `requestState` and `inputResponses` that the client sent for the server, if any. */
  readonly for_server: JsonObject;
}

export const statePrefix = 'ags1';
/**
 * Prefix that escapes a server's state if it looks like the gateway's, for example because it comes from another
 * gateway.
 */
const escaped = 'agx1:';
/** Maximum size, including the server's state. With larger states, the call is held in another way. */
const maxCharacters = 64 * 1024;

/** Checks whether a text is a state in the gateway's format, valid or not. */
export const isOwnState = (text: unknown): text is string =>
  typeof text === 'string' && text.startsWith(`${statePrefix}.`);

/** Seals a state. Returns undefined if it would be larger than clients can be expected to carry. */
export function sealState(state: RequestState, keys: TicketKeys): string | undefined {
  const text = seal(statePrefix, state, keys.current);
  return text.length > maxCharacters ? undefined : text;
}

/** Reason for rejecting a state: `request_state_<defect>` in `data.reason`. */
type StateDefect = SealDefect | 'expired' | 'other_key' | 'other_session' | 'other_call' | 'already_used' | 'unknown';

const sentences: Readonly<Record<StateDefect, string>> = {
  malformed: 'it does not have the form of a requestState',
  unknown_key: 'it is signed with a key that is not in use',
  altered: 'its signature does not match',
  expired: 'it has expired',
  other_key: 'it was issued to another key',
  other_session: 'it was issued in another session',
  other_call: 'it was issued for another call',
  already_used: 'the call it was issued for has been made',
  unknown: 'its approval is no longer stored',
};

/** Returns the error for a rejected state. The call did not run, and no approval was requested. */
export const stateRefused = (defect: StateDefect): RpcFault =>
  invalidParams(`The requestState was refused: ${sentences[defect]}. Send the call without it to open a new request.`, {
    reason: `request_state_${defect}`,
  });

/**
 * Opens a state sent by a caller.
 * @throws RpcFault -32602 with `data.reason`.
 */
export function openState(
  text: string,
  keys: TicketKeys,
  { principal, sessionId, sessionIsNamed }: Pick<Caller, 'principal' | 'sessionId' | 'sessionIsNamed'>,
  nowMs: number,
): RequestState {
  const opened = unseal(statePrefix, text, keys, maxCharacters);
  if (!opened.ok) throw stateRefused(opened.defect);
  const state = opened.payload as Partial<RequestState>;
  if (!isState(state)) throw stateRefused('malformed');
  if (state.tenant !== principal.tenant || state.caller !== principal.key_id) throw stateRefused('other_key');
  if (sessionIsNamed && state.session !== sessionId) throw stateRefused('other_session');
  if (nowMs >= state.expires_ms) throw stateRefused('expired');
  return state;
}

const texts = ['approval', 'tenant', 'caller', 'session', 'call_digest'] as const;
const numbers = ['round', 'expires_ms'] as const;

/** Checks a state's members, since the state may come from another release. */
const isState = (state: Partial<RequestState>): state is RequestState =>
  texts.every((name) => typeof state[name] === 'string') &&
  numbers.every((name) => Number.isFinite(state[name])) &&
  isObject(state.for_server);

/** Escapes the server's state in its response if the state looks like the gateway's. */
export function stateToClient(result: JsonObject): JsonObject {
  const { requestState: state } = result;
  return isOwnState(state) || isEscaped(state) ? { ...result, requestState: `${escaped}${state}` } : result;
}

/** Restores the server's state in the client's parameters. */
export function stateToServer(params: JsonObject): JsonObject {
  const { requestState: state } = params;
  return isEscaped(state) ? { ...params, requestState: state.slice(escaped.length) } : params;
}

const isEscaped = (text: unknown): text is string => typeof text === 'string' && text.startsWith(escaped);
