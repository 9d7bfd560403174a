/** Lists, reads, cancels and deletes a caller's files, batches and responses [batches.owner] [responses.stored]. */
import type { StoredQuery } from '#core/chat/stored/operation.ts';
import type { StoredPage } from '#core/chat/stored/ports.ts';
import type { StoredCaller } from '#core/chat/stored/record.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { admitRequest } from '#core/limits/admit-request.ts';
import type { Endpoint } from '#core/operations/endpoint.ts';
import { bodyLimitOf } from '../middleware/body.ts';
import { type ChatEndpointPorts, errorShape, sessionOf } from '../middleware/chat-endpoint.ts';
import { withCors } from '../middleware/cors.ts';
import { replyOf } from '../middleware/http-endpoint.ts';
import { identify, snapshotFor } from '../middleware/identify.ts';
import { type Inputs, inputsOf, matchRoute } from '../middleware/route.ts';
import { traceOf } from '../middleware/trace-of.ts';

/** Maximum page size, because each batch costs a request to its provider. */
const maxOnPage = 20;

/** @param own the function's routes; those with `stored` are handled here. */
export function storedObjectsHandler(own: readonly Endpoint[], ports: ChatEndpointPorts): HttpHandler {
  const answer = async (event: HttpEvent, { signal }: HttpContext): Promise<HttpReply> => {
    const route = matchRoute(own, event);
    const snapshot = await snapshotFor(event, ports);
    const principal = await identify(event, route, snapshot, ports);
    const caller: StoredCaller = {
      principal,
      snapshot,
      sessionId: sessionOf(event, principal, ports),
      requestId: event.requestContext?.requestId ?? '',
      signal: signal ?? never,
    };
    const inputs = inputsOf(route, event);
    const query: StoredQuery = {
      id: inputs.params.id ?? '',
      page: pageOf(inputs),
      maxBytes: bodyLimitOf(snapshot, principal),
    };
    const { headers, booked } = await admitRequest(ports, caller);
    try {
      const operation = await route.stored!();
      const reply = await ports.telemetry.continued(traceOf(event), async () =>
        replyWith(await operation(ports, caller, query)),
      );
      return { ...reply, headers: { ...headers, ...reply.headers }, finished: booked };
    } catch (fault) {
      await booked; // an error leaves no work to finish later
      throw fault;
    }
  };

  return withCors(own, ports, answer, errorShape('openai'));
}

const never = new AbortController().signal;

const replyWith = (body: JsonObject | string): HttpReply =>
  replyOf(typeof body === 'string' ? { body, contentType: 'application/jsonl' } : { body });

/** Parses paging parameters in OpenAI's format. */
function pageOf({ query }: Inputs): StoredPage {
  const { limit = '20', after, order = 'desc', purpose = 'batch' } = query;
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw invalidRequest(`limit is ${JSON.stringify(limit.slice(0, 32))}; it must be a whole number from 1 to 10000.`);
  if (order !== 'asc' && order !== 'desc')
    throw invalidRequest(`order is ${JSON.stringify(order.slice(0, 32))}; it must be asc or desc.`);
  if (purpose !== 'batch')
    throw invalidRequest(
      `purpose is ${JSON.stringify(purpose.slice(0, 32))}; it must be batch, the purpose of all files here.`,
    );
  return { limit: Math.min(count, maxOnPage), after, ascending: order === 'asc' };
}
