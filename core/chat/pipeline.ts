/**
 * What happens to a chat call. The one flow behind chat completions,
 * messages and the WebSocket; the names of its stages are those of its spans.
 */

import { type Watch, watchCancelled } from '#core/cancellation/watch.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { contentPolicyOf } from '#core/content-policy/policy-of.ts';
import { isEndpoint } from '#core/dialects/endpoints.ts';
import { answerOf, RecordingQueue } from '#core/evaluation/recording-queue.ts';
import { AsyncQueue } from '#core/kernel/async-queue.ts';
import { asGatewayError, type GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { Answering, ChatReply } from './answering.ts';
import { askedModel } from './asked-model.ts';
import { type ChatRequest, openCall } from './call.ts';
import { type ChatCallState, ended, startCallState } from './call-state.ts';
import { sampleOf, submitForEvaluation } from './evaluation.ts';
import { looksAtTools } from './looks-at-tools.ts';
import type { ChatPorts } from './ports.ts';
import { RecordedFailure } from './recorded-failure.ts';
import { admit } from './stages/admit.ts';
import { checkInputPolicy } from './stages/input-policy.ts';
import { callModel } from './stages/provider-call.ts';
import { fromCache } from './stages/response-cache.ts';
import { settle } from './stages/settle.ts';
import { transformRequest } from './stages/transform.ts';

/**
 * Answers one chat call.
 * @throws GatewayError whatever refuses or fails before the first byte, after the call was recorded.
 */
export function chat(ports: ChatPorts, request: ChatRequest): Promise<ChatReply> {
  const replied = Promise.withResolvers<ChatReply>();
  const finishing = Promise.withResolvers<void>();
  let watch: Watch | undefined;
  let state: ChatCallState | undefined;
  const attributes = {
    tenant_id: request.principal.tenant,
    model: askedModel(request.body),
    stream: request.body.stream === true,
  };
  void ports.telemetry
    .span('gateway.chat_completion', attributes, async (span) => {
      const snapshot = await ports.snapshots.current();
      const { tenant, key_id } = request.principal;
      const envelopeId = ports.ids.uuid();
      watch = watchCancelled(ports, { tenant, key_id, call: envelopeId }, request.signal);
      const call = openCall(snapshot, { ...request, signal: watch.signal }, envelopeId);
      const own = startCallState(call, ports.clock);
      state = own;
      const reply = (status: number, body: ChatReply['body']) =>
        replied.resolve({ status, headers: own.headers, body, finished: finishing.promise });
      await answer(ports, own, span.traceId, reply);
    })
    .catch((thrown) => replied.reject(thrown))
    .then(() => {
      state?.release();
      watch?.stop();
      finishing.resolve();
    });
  return replied.promise;
}

type Reply = (status: number, body: ChatReply['body']) => void;

async function answer(ports: ChatPorts, state: ChatCallState, traceId: string, reply: Reply): Promise<void> {
  const { wire } = state.call;
  const sampled = sampleOf(state);
  let queue: AsyncQueue<JsonObject> | undefined;
  let whole: readonly [number, JsonObject] | undefined;
  let told: readonly [number, readonly JsonObject[]] | undefined;
  const answering: Answering = {
    stream() {
      if (queue) return queue;
      queue =
        sampled === undefined
          ? new AsyncQueue<JsonObject>()
          : new RecordingQueue((event) => wire.eventTexts(event), 2 * sampled + 8_192);
      reply(200, queue);
      return queue;
    },
    json: (status, body) => {
      whole = [status, body];
    },
    events: (status, events) => {
      told = [status, events];
    },
  };
  let fault: GatewayError | undefined;
  try {
    await stages(ports, state, answering);
  } catch (thrown) {
    fault = faultOf(state, thrown);
  }
  const { keep } = state.call;
  if (keep) await (await import('./responses/keep.ts')).keepResponse(ports, state, keep);
  fault = await settled(ports, state, traceId, fault);
  if (queue) {
    if (fault) void queue.write(wire.errorEvent(fault));
    queue.end();
  } else if (fault) throw new RecordedFailure(fault, state.headers);
  if (whole) reply(...whole);
  else if (told) reply(told[0], eventsOf(told[1]));
  if (sampled === undefined || fault) return;
  const said = queue instanceof RecordingQueue ? queue.text : answerOf(whole ? wire.replyTexts(whole[1]) : []);
  await submitForEvaluation(ports, state, sampled, said);
}

async function* eventsOf(events: readonly JsonObject[]): AsyncGenerator<JsonObject> {
  yield* events;
}

/** Above this other work has a turn between the stages: each works on the whole of the request. */
const largeTokens = 64 * 1024;
/** Few configurations have the guard look at chats. */
const toolResults = lazyImport(() => import('./stages/tool-results.ts'));

/** The stages, in the order of the specification. */
async function stages(ports: ChatPorts, state: ChatCallState, answering: Answering): Promise<void> {
  const { call } = state;
  const policy = await contentPolicyOf(call.snapshot.configuration, call.tenant.id, ports);
  const large = call.inputTokens > largeTokens;
  if (large) await ports.texts?.turn();
  await admit(ports, state, policy);
  if (large) await ports.texts?.turn();
  const { batch } = call;
  // Texts of endpoints beside chat are data, no conversation: nothing is put around them.
  const body = isEndpoint(call.operation) || batch ? call.body : transformRequest(call);
  const lines =
    batch?.kind === 'upload'
      ? await (await import('./stages/batch-input.ts')).checkLines(ports, state, policy, batch.file)
      : undefined;
  const verdict = lines?.decision ?? (await checkInputPolicy(ports, state, policy, body));
  if (looksAtTools(call.snapshot.configuration) && !batch && !isEndpoint(call.operation))
    (await toolResults()).guardTools(ports, state, body);
  if (large) await ports.texts?.turn();
  if (verdict === 'review') {
    const { answerPending, awaitApproval, chatReviewOf, reviewError } = await import('./stages/approval.ts');
    const how = chatReviewOf(call);
    if (how === 'hold' && call.stream) holdStream(state, answering);
    const pending = await awaitApproval(ports, state);
    if (pending && how === 'status_202') return answerPending(call, answering, pending);
    if (pending) throw reviewError(state, pending);
  }
  if (batch) {
    const { callBatch } = await import('./stages/batches.ts');
    return callBatch(ports, state, policy, batch, lines?.bodies ?? [], answering);
  }
  if (isEndpoint(call.operation)) {
    const { callEndpoint } = await import('./stages/endpoint.ts');
    return callEndpoint(ports, state, policy, body, answering);
  }
  const flight = await fromCache(ports, state, body, answering);
  if (large) await ports.texts?.turn();
  // Tool calls that come without the conversation are traced to it [provenance.session].
  const asks = ports.provenance && ofTenant(call.snapshot, call.tenant.id).policy.readsSources;
  const kept = asks
    ? import('./keep-conversation.ts').then(({ keepConversation }) => keepConversation(ports, call))
    : undefined;
  if (flight !== 'answered') await callModel(ports, state, policy, body, flight, answering);
  const unkept = kept && (await kept);
  if (unkept) throw unkept.fault;
}

/** The answer begins, and is kept alive while the call waits. */
function holdStream(state: ChatCallState, answering: Answering): void {
  answering.stream();
  state.streamed = true;
}

/** A fault no stage has named is a failure of the gateway or of the provider. */
function faultOf(state: ChatCallState, thrown: unknown): GatewayError {
  const error = asGatewayError(thrown);
  if (state.error === undefined) ended(state, error.kind.status >= 500 ? 'failed' : 'refused', error);
  return error;
}

/** An answer that could not be recorded is not given. */
async function settled(
  ports: ChatPorts,
  state: ChatCallState,
  traceId: string,
  fault: GatewayError | undefined,
): Promise<GatewayError | undefined> {
  try {
    await settle(ports, state, traceId);
    return fault;
  } catch (thrown) {
    return asGatewayError(thrown);
  }
}
