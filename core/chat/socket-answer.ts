/** Answers one WebSocket call through the same pipeline as HTTP; each message carries the call's id. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import { resolveSession } from '#core/configuration/identity/sessions.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { isStream } from './answering.ts';
import { chat } from './pipeline.ts';
import type { ChatPorts } from './ports.ts';
import { headersOf } from './recorded-failure.ts';
import { type SocketCall, serverMessages } from './socket-message.ts';

interface SocketAnswer {
  readonly call: SocketCall;
  readonly principal: Principal;
  /** Session specified at the handshake, for calls that do not specify one. */
  readonly sessionId?: string | undefined;
  readonly requestId: string;
  readonly unnamedSessions: UnnamedSessions;
  /** Aborts when the caller cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Returns a promise while the connection is congested; the model's stream awaits it. */
  readonly send: (text: string) => Promise<void> | void;
  /** Runs when the call is settled, before its last message is sent: its id can then be reused. */
  readonly ending?: () => Promise<void> | void;
}

/**
 * Answers the call and waits until it is settled. Never rejects if the call fails; the failure is sent as a message.
 */
export async function answerCall(ports: ChatPorts, answer: SocketAnswer): Promise<void> {
  const { call, send, ending } = answer;
  const last = await ports.telemetry.continued({ traceparent: call.traceparent }, () => sendAnswer(ports, answer));
  await ending?.();
  await send(last);
}

/** Sends all messages except the last one, which it returns. */
async function sendAnswer(ports: ChatPorts, answer: SocketAnswer): Promise<string> {
  const { call, signal } = answer;
  try {
    const reply = await chat(ports, {
      dialect: call.dialect,
      body: call.body,
      principal: answer.principal,
      sessionId: sessionOf(ports, answer),
      requestId: answer.requestId,
      transport: 'ws',
      approvalRef: call.approvalRef,
      passed: call.passed,
      signal,
    });
    const headers = { ...reply.headers, 'x-request-id': answer.requestId };
    const well = isStream(reply.body) ? await relay(answer, reply.body, headers) : true;
    await reply.finished;
    if (signal.aborted) return serverMessages.done(call.sentId, 'aborted');
    if (isStream(reply.body)) return serverMessages.done(call.sentId, well ? 'completed' : 'failed');
    return serverMessages.response(call.sentId, reply.status, headers, reply.body);
  } catch (thrown) {
    return signal.aborted ? serverMessages.done(call.sentId, 'aborted') : failure(ports, answer, thrown);
  }
}

const sessionOf = ({ clock }: ChatPorts, { call, principal, sessionId, unnamedSessions }: SocketAnswer): string =>
  resolveSession({ header: call.sessionId ?? sessionId, keyId: principal.key_id, unnamedSessions, now: clock.now() })
    .session_id;

/**
 * Relays the events without waiting for a caller that has disconnected.
 * @returns false if the stream reported an error.
 */
async function relay(
  { call, signal, send }: SocketAnswer,
  events: AsyncIterable<JsonObject>,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  let first: typeof headers | undefined = headers;
  let well = true;
  for await (const event of events) {
    if (signal.aborted) break;
    if (event.error !== undefined || event.type === 'error') well = false;
    const behind = send(serverMessages.event(call.sentId, event, first));
    first = undefined;
    if (behind) await unlessAborted(behind, signal);
  }
  return well;
}

/** Waits until the connection is ready or the call is aborted. */
function unlessAborted(behind: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const left = () => resolve();
    signal.addEventListener('abort', left, { once: true });
    behind.then(resolve, reject).finally(() => signal.removeEventListener('abort', left));
  });
}

function failure(ports: ChatPorts, { call, requestId }: SocketAnswer, thrown: unknown): string {
  const fault = asGatewayError(thrown);
  if (fault.kind.status >= 500) {
    const cause = fault.cause instanceof Error ? { cause: fault.cause.message, stack: fault.cause.stack } : {};
    ports.telemetry.log('error', fault.message, { request_id: requestId, type: fault.code, ...cause });
  }
  const headers = { ...headersOf(fault), 'x-request-id': requestId };
  return serverMessages.error(fault, { id: call.sentId, headers, body: dialects[call.dialect].errorBody(fault) });
}
