/** Lists, reads, cancels and deletes a caller's files, batches and responses [batches.owner] [responses.stored]. */
import type { BatchPage } from '#core/chat/batches/ports.ts';
import type { BatchCaller } from '#core/chat/batches/record.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { admitRequest } from '#core/limits/admit-request.ts';
import { bodyLimitOf, type ChatEndpointPorts, errorShape, sessionOf } from '../middleware/chat-endpoint.ts';
import { withCors } from '../middleware/cors.ts';
import { replyOf } from '../middleware/http-endpoint.ts';
import { identify, snapshotFor } from '../middleware/identify.ts';
import { type Inputs, inputsOf, matchRoute } from '../middleware/route.ts';
import { traceOf } from '../middleware/trace-of.ts';

/** Maximum page size, because each batch costs a request to its provider. */
const maxOnPage = 20;

export function batchesHandler(own: readonly Route[], ports: ChatEndpointPorts): HttpHandler {
  const answer = async (event: HttpEvent, { signal }: HttpContext): Promise<HttpReply> => {
    const route = matchRoute(own, event);
    const snapshot = await snapshotFor(event, ports);
    const principal = await identify(event, route, snapshot, ports);
    const caller: BatchCaller = {
      principal,
      snapshot,
      sessionId: sessionOf(event, principal, ports),
      requestId: event.requestContext?.requestId ?? '',
      signal: signal ?? never,
    };
    const inputs = inputsOf(route, event);
    const page = pageOf(inputs);
    const { headers, booked } = await admitRequest(ports, caller);
    try {
      const reply = await ports.telemetry.continued(traceOf(event), () => answered(route, inputs, page, caller));
      return { ...reply, headers: { ...headers, ...reply.headers }, finished: booked };
    } catch (fault) {
      await booked; // an error leaves no work to finish later
      throw fault;
    }
  };

  const answered = async ({ operation }: Route, { params }: Inputs, page: BatchPage, caller: BatchCaller) => {
    const id = params.id ?? '';
    if (operation.endsWith('Response') || operation === 'responseItems')
      return replyOf({ body: await ofResponse(operation, id, page, caller) });
    const batches = await import('#core/chat/batches/operations.ts');
    if (operation === 'fileContent')
      return textReply(await batches.fileContent(ports, caller, id, bodyLimitOf(caller.snapshot, caller.principal)));
    const answers: Readonly<Record<string, () => Promise<JsonObject>>> = {
      listFiles: () => batches.listFiles(ports, caller, page),
      retrieveFile: () => batches.retrieveFile(ports, caller, id),
      deleteFile: () => batches.deleteFile(ports, caller, id),
      listBatches: () => batches.listBatches(ports, caller, page),
      retrieveBatch: () => batches.retrieveBatch(ports, caller, id),
      cancelBatch: () => batches.cancelBatch(ports, caller, id),
    };
    return replyOf({ body: await answers[operation]!() });
  };

  const ofResponse = async (operation: string, id: string, page: BatchPage, caller: BatchCaller) => {
    const responses = await import('#core/chat/responses/operations.ts');
    const answers: Readonly<Record<string, () => Promise<JsonObject>>> = {
      retrieveResponse: () => responses.retrieveResponse(ports, caller, id),
      responseItems: () => responses.responseItems(ports, caller, id, page),
      deleteResponse: () => responses.deleteResponse(ports, caller, id),
    };
    return answers[operation]!();
  };
  return withCors(own, ports, answer, errorShape('openai'));
}

const never = new AbortController().signal;

const textReply = (body: string): HttpReply => ({
  statusCode: 200,
  headers: { 'content-type': 'application/jsonl' },
  body,
});

/** Parses paging parameters in OpenAI's form. */
function pageOf({ query }: Inputs): BatchPage {
  const { limit = '20', after, order = 'desc', purpose = 'batch' } = query;
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw invalidRequest(`limit is ${JSON.stringify(limit.slice(0, 32))}; it takes a whole number from 1 to 10000.`);
  if (order !== 'asc' && order !== 'desc')
    throw invalidRequest(`order is ${JSON.stringify(order.slice(0, 32))}; it takes asc, desc.`);
  if (purpose !== 'batch')
    throw invalidRequest(
      `purpose is ${JSON.stringify(purpose.slice(0, 32))}; it takes batch, the purpose of all files here.`,
    );
  return { limit: Math.min(count, maxOnPage), after, ascending: order === 'asc' };
}
