/**
 * The handler of a chat surface: checks key, tenant, body and session, runs the pipeline, and responds with JSON or
 * SSE.
 */

import { type ChatReply, isStream } from '#core/chat/answering.ts';
import type { ChatRequest } from '#core/chat/call.ts';
import type { ChatView, SseWire } from '#core/chat/chat-view.ts';
import { type EarlyRefusal, recordEarlyRefusal } from '#core/chat/early-refusal.ts';
import { chat } from '#core/chat/pipeline.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { headersOf, RecordedFailure } from '#core/chat/recorded-failure.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { resolveSession } from '#core/configuration/identity/sessions.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import { chatJson, type DialectName } from '#core/contracts/chat.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { routes } from '#features/routes.ts';
import type { ErrorShape } from './answers.ts';
import { boundedCallBody, headerOf, headerValues, jsonObject, jsonObjectInTurns } from './body.ts';
import { withCors } from './cors.ts';
import { type AdmissionPorts, identify, snapshotFor } from './identify.ts';
import { inputsOf, matchRoute } from './route.ts';
import { sse } from './sse.ts';
import { traceOf } from './trace-of.ts';

export interface ChatEndpointPorts extends ChatPorts, AdmissionPorts {
  readonly unnamedSessions: UnnamedSessions;
}

/**
 * Returns the handler.
 * @param view another format for the same call: its request is converted to the dialect, and the response is converted
 * back.
 */
export function chatEndpoint(
  name: FunctionName,
  dialect: DialectName,
  ports: ChatEndpointPorts,
  view?: ChatView,
): HttpHandler {
  const own = routes.filter((route) => route.handledBy === name);
  const answer = async (event: HttpEvent, context: HttpContext): Promise<HttpReply> => {
    const seen: PartialCall = {};
    try {
      return await answered(event, context, seen);
    } catch (thrown) {
      const fault = asGatewayError(thrown);
      if (!(fault instanceof RecordedFailure))
        await recordEarlyRefusal(ports, refusalOf(event, operationOf(dialect, view), seen, fault));
      throw fault;
    }
  };
  const answered = async (event: HttpEvent, context: HttpContext, seen: PartialCall): Promise<HttpReply> => {
    // The caller is checked before the query, so that a refusal is recorded for its key.
    const route = matchRoute(own, event);
    const snapshot = await snapshotFor(event, ports);
    seen.policyVersion = snapshot.version;
    const principal = await identify(event, route, snapshot, ports);
    seen.principal = principal;
    seen.sessionId = sessionOf(event, principal, ports);
    inputsOf(route, event);
    const bytes = boundedCallBody(event, snapshot, principal);
    const large = bytes.length > largeBytes;
    const turn = async () => ports.texts?.turn();
    const form = view?.form ? await formOf(event, bytes) : undefined;
    let body: JsonObject;
    if (form) body = form.body;
    else if (large) body = await jsonObjectInTurns(event, bytes, chatJson, turn);
    else body = jsonObject(event, bytes, chatJson);
    seen.body = body;
    if (large) await turn();
    const sent = { ports, principal, snapshot, sessionId: seen.sessionId, files: form?.files };
    const opened = view ? await view.open(body, sent) : undefined;
    return ports.telemetry.continued(traceOf(event), async () => {
      const request: ChatRequest = {
        dialect,
        operation: view?.operation,
        body: opened?.body ?? body,
        files: form?.files,
        keep: opened?.keep,
        leftOut: opened?.leftOut,
        principal,
        sessionId: seen.sessionId!,
        requestId: event.requestContext?.requestId ?? '',
        transport: 'http',
        approvalRef: headerOf(event, 'x-approval-ref'),
        passed: passedHeaders(event),
        readsEvents: readsEvents(event),
        noCache: opened?.keep !== undefined || asksForFresh(event),
        signal: context.signal ?? never,
      };
      const answering = chat(ports, request, opened);
      const failed = opened?.failed;
      const reply = await (failed
        ? answering.catch(async (thrown) => Promise.reject(await inCallFormat(thrown, failed)))
        : answering);
      return httpReply(opened ? opened.answer(reply) : reply, opened?.wire ?? dialects[dialect], ports);
    });
  };
  return withCors(own, ports, answer, errorShape(dialect));
}

/**
 * Parses form data. @throws GatewayError `unsupported_media_type`, including when the host has decoded the bytes to
 * text.
 */
async function formOf(event: HttpEvent, bytes: Buffer) {
  if (bytes.includes('\u{fffd}') && !event.isBase64Encoded)
    throw new GatewayError(
      'unsupported_media_type',
      'The body arrived as text: this deployment does not accept multipart form data. Send the call to the provider itself.',
    );
  const { readForm } = await import('#core/chat/endpoint-form.ts');
  return readForm(headerOf(event, 'content-type'), bytes);
}

/** Converts an error to the call's format. The recorded error is unchanged. */
async function inCallFormat(
  thrown: unknown,
  failed: (fault: GatewayError) => Promise<GatewayError>,
): Promise<GatewayError> {
  const fault = asGatewayError(thrown);
  const own = await failed(fault);
  return fault instanceof RecordedFailure ? new RecordedFailure(own, fault.headers) : own;
}

/** State of a call when it is refused. */
interface PartialCall {
  policyVersion?: number;
  principal?: Principal;
  sessionId?: string;
  body?: JsonObject;
}

const refusalOf = (
  event: HttpEvent,
  operation: EarlyRefusal['operation'],
  { policyVersion = 0, principal, sessionId, body }: PartialCall,
  fault: GatewayError,
): EarlyRefusal => ({
  principal,
  sessionId,
  body,
  policyVersion,
  fault,
  operation,
  requestId: event.requestContext?.requestId ?? '',
});

const operationOf = (dialect: DialectName, view?: ChatView): EarlyRefusal['operation'] =>
  view?.operation ?? (dialect === 'openai' ? 'chat.completions' : 'messages');

/** Size above which other work may run before, during and after parsing the body. */
const largeBytes = 256 * 1024;

const never = new AbortController().signal;

export const errorShape = (dialect: DialectName): ErrorShape => ({
  body: (error) => dialects[dialect].errorBody(error),
  status: (error) => dialects[dialect].statusOf(error),
  headers: headersOf,
});

export const sessionOf = (
  event: HttpEvent,
  { key_id }: Principal,
  { unnamedSessions, clock }: ChatEndpointPorts,
): string =>
  resolveSession({ header: headerOf(event, 'x-session-id'), keyId: key_id, unnamedSessions, now: clock.now() })
    .session_id;

const asksForFresh = (event: HttpEvent): boolean =>
  /(^|[\s,])(no-cache|no-store)([\s,=]|$)/i.test(headerValues(event, 'cache-control').join(','));

/**
 * Checks for clients that read streams regardless of status, based on Accept or on the client library: a vendor's, the
 * AI SDK or LiteLLM.
 */
const readsEvents = (event: HttpEvent): boolean =>
  /\btext\/event-stream\b/i.test(headerValues(event, 'accept').join(',')) ||
  headerOf(event, 'x-stainless-lang') !== undefined ||
  /(^|\s)(?:ai|ai-sdk[a-z-]*|litellm)\//.test(headerOf(event, 'user-agent') ?? '');

/** Returns the caller's headers that are forwarded to the provider. */
function passedHeaders(event: HttpEvent): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of ['anthropic-beta', 'anthropic-version']) {
    const values = headerValues(event, name);
    if (values.length > 0) passed[name] = values.join(',');
  }
  return passed;
}

function httpReply({ status, headers, body, speech, finished }: ChatReply, wire: SseWire, ports: ChatPorts): HttpReply {
  if (speech) {
    const { media_type, base64 } = speech;
    const typed = { ...headers, 'content-type': media_type };
    return { statusCode: status, headers: typed, body: base64, isBase64Encoded: true, finished };
  }
  if (!isStream(body)) {
    return {
      statusCode: status,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      finished,
    };
  }
  return {
    statusCode: status,
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    body: sse(body, wire, ports.timeouts),
    finished,
  };
}
