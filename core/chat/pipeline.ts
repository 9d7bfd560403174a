/**
 * Runs a chat call: the single flow for chat completions, messages and the WebSocket. Stages have the same names as
 * their spans.
 */

import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { type Watch, watchCancelled } from '#core/execution/cancellation/watch.ts';
import { asGatewayError, type GatewayError } from '#core/kernel/errors.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { repeat } from '#core/kernel/repeat.ts';
import { reservationLeaseSeconds } from '#core/limits/ports.ts';
import { contentPolicyOf } from '#core/models/content-policy/policy-of.ts';
import { isEndpoint } from '#core/models/dialects/endpoints.ts';
import type { AnswerReceiver, ChatReply } from './answering.ts';
import { askedModel } from './asked-model.ts';
import { type ChatCall, type ChatRequest, openCall } from './call.ts';
import {
  type EndedCall,
  type FinishedCall,
  type KnownCall,
  type RunningCall,
  type ScreenedCall,
  startCall,
} from './call-stages.ts';
import { addressesToDecide } from './chat-addresses.ts';
import { HeldAnswer, type Reply } from './held-answer.ts';
import type { ChatPorts } from './ports.ts';
import { StageFailure } from './stage-failure.ts';
import { admit } from './stages/admit.ts';
import { callModel } from './stages/provider-call.ts';
import { lookUp, replay } from './stages/response-cache.ts';
import { screen } from './stages/screen.ts';
import { settle } from './stages/settle.ts';
import type { StoringHooks } from './stored/hooks.ts';

/**
 * Answers one chat call.
 * @param hooks hooks for the call's view.
 * @throws GatewayError for a refusal or failure before the first byte, after the call has been recorded.
 */
export function chat(ports: ChatPorts, request: ChatRequest, hooks: StoringHooks = {}): Promise<ChatReply> {
  const replied = Promise.withResolvers<ChatReply>();
  const finishing = Promise.withResolvers<void>();
  let watch: Watch | undefined;
  let endLease = () => {};
  let running: RunningCall | undefined;
  const attributes = {
    tenant_id: request.principal.tenant,
    model: askedModel(request.body),
    stream: request.body.stream === true,
  };
  void ports.telemetry
    .span('gateway.chat_completion', attributes, async (span) => {
      const snapshot = await ports.snapshots.current({ of: request.principal });
      const { tenant, key_id } = request.principal;
      const envelopeId = ports.ids.uuid();
      watch = watchCancelled(ports, { tenant, key_id, call: envelopeId }, request.signal);
      const opened = { ...request, storing: hooks.storing?.estimate, signal: watch.signal };
      const call = openCall(snapshot, opened, envelopeId);
      running = startCall(call, ports.clock);
      endLease = keepLease(ports, call);
      const reply: Reply = (given) => replied.resolve({ ...given, finished: finishing.promise });
      await answer(ports, running, hooks, span.traceId, reply);
    })
    .catch((thrown) => replied.reject(thrown))
    .then(() => {
      running?.release();
      endLease();
      watch?.stop();
      finishing.resolve();
    });
  return replied.promise;
}

/** Runs the stages, then records the call. If recording fails, the answer is not sent. */
async function answer(
  ports: ChatPorts,
  running: RunningCall,
  hooks: StoringHooks,
  traceId: string,
  reply: Reply,
): Promise<void> {
  const { wire } = running.call;
  const sampled = ports.sampler?.sampleOf(running);
  const held = new HeldAnswer(wire, sampled, reply);
  const finished = await stages(ports, running, hooks.storing, held);
  const kept = await hooks.keepAnswer?.(ports, finished);
  const ended = endedCall(finished, held.streamed, kept);
  const settled = await settle(ports, ended, traceId).catch(asGatewayError);
  const fault = settled instanceof Error ? settled : faultIn(finished);
  held.release(ended, fault);
  if (settled instanceof Error) return;
  await settled.settling;
  if (sampled === undefined || fault) return;
  await ports.sampler?.submit(ports, ended, settled.recorded, sampled, held.text);
}

const faultIn = (finished: FinishedCall): GatewayError | undefined =>
  finished instanceof StageFailure ? finished : undefined;

/** Requests larger than this let other work run between stages, because each stage processes the whole request. */
const largeTokens = 64 * 1024;

/** Modules that only some calls need, loaded on first use. */
const addresses = lazyImport(() => import('./stages/addresses.ts'));
const approvals = lazyImport(() => import('./stages/approval.ts'));
const endpointCalls = lazyImport(() => import('./stages/endpoint.ts'));

/**
 * Runs the stages in the order of the specification. Each receives the result of the previous one.
 * @returns the failure of a stage that throws, with the facts known before it or those that the failure carries.
 */
async function stages(
  ports: ChatPorts,
  running: RunningCall,
  storing: StoringHooks['storing'],
  answering: AnswerReceiver,
): Promise<FinishedCall> {
  const { call } = running;
  const large = call.inputTokens > largeTokens;
  let known: KnownCall = running;
  try {
    const policy = await contentPolicyOf(call.snapshot.configuration, call.tenant.id, ports);
    if (large) await ports.texts?.turn();

    const admitted = await admit(ports, running, policy);
    known = admitted;
    if (large) await ports.texts?.turn();
    const screened = await (storing?.screen ?? screen)(ports, admitted, policy);
    known = screened;
    if (large) await ports.texts?.turn();
    const found = addressesOf(screened);
    const fetching =
      found.length === 0 ? screened : await (await addresses()).governAddresses(ports, screened, found, answering);
    if ('ending' in fetching) return fetching;
    known = fetching;
    const approved =
      fetching.inputVerdict.decision === 'review'
        ? await (await approvals()).awaitApproval(ports, fetching, answering)
        : { ...fetching, approval: undefined };
    if ('ending' in approved) return approved;
    known = approved;

    if (storing) return await storing.send(ports, approved, policy, answering);
    if (isEndpoint(call.operation))
      return await (await endpointCalls()).callEndpoint(ports, approved, policy, answering);

    const looked = await lookUp(ports, approved);
    known = looked;
    if (large) await ports.texts?.turn();
    const keeping = keepForTools(ports, running);
    const { lookup } = looked;
    const finished = await (lookup && lookup.state !== 'MISS'
      ? replay(looked, lookup.cached, answering)
      : callModel(ports, looked, policy, answering));
    known = finished.known;
    const unkept = keeping && (await keeping);
    if (unkept) throw unkept.fault;
    return finished;
  } catch (thrown) {
    return StageFailure.of(thrown, known);
  }
}

/** Returns the addresses that require a decision, as named in the provider's request [chat.addresses]. */
const addressesOf = ({ call, body }: ScreenedCall) =>
  // Batch lines contain no addresses that require a decision.
  call.storing ? [] : addressesToDecide(call.snapshot.configuration, { ...call, body });

/**
 * Stores the conversation while the model is called, so that tool calls sent without it can be traced back to it
 * [provenance.session]. Never rejects, but returns the error: the answer is withheld if tool results that its model has
 * read could not be stored.
 */
function keepForTools(ports: ChatPorts, { call }: RunningCall) {
  const { provenance } = ports;
  if (!provenance || !ofTenant(call.snapshot, call.tenant.id).policy.readsSources) return undefined;
  const session = { tenant: call.tenant.id, session: call.sessionId };
  return provenance.keepConversation(session, call.body, call.snapshot.configuration).then(
    () => undefined,
    (fault: unknown) => ({ fault }),
  );
}

function endedCall(finished: FinishedCall, streamed: boolean, kept: string | undefined): EndedCall {
  const { known, ending } = finished;
  return {
    known: kept === undefined ? known : { ...known, resource: kept },
    ending,
    status: statusOf(finished, streamed),
  };
}

/** Returns the status that the caller received: for a stream, the status sent at its start. */
function statusOf(finished: FinishedCall, streamed: boolean): number {
  const { known, ending } = finished;
  if (ending.outcome === 'aborted') return 499;
  if (finished instanceof StageFailure && !streamed) return known.call.wire.statusOf(finished);
  return ending.outcome === 'review' ? 202 : 200;
}

/** Renews the lease three times per term, because a call may outlast it. */
const keepLease = (ports: ChatPorts, { tenant, envelopeId }: ChatCall) =>
  repeat(ports.timeouts, (reservationLeaseSeconds * 1000) / 3, () => ports.counters.extend(tenant.id, envelopeId));
