/** `provider.call`: calls the model through routing and breakers, and passes its response through the output policy. */

import type { DialectName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { objectsOf } from '#core/kernel/narrow.ts';
import { cacheable } from '#core/models/cache/cacheable.ts';
import type { Flight } from '#core/models/cache/ports.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { withUsageRequested } from '#core/models/dialects/openai/openai.ts';
import { picturesAfterResults } from '#core/models/dialects/openai/result-pictures.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { isDemoOf } from '#core/models/providers/demo.ts';
import { type Provider, ProviderFault, type StoredCallOptions } from '#core/models/providers/ports.ts';
import { assign } from '#core/models/rollouts/assign.ts';
import { callProvider, type ProviderAnswer } from '#core/models/routing/call-provider.ts';
import { entriesOf } from '#core/models/routing/plan.ts';
import type { AnswerReceiver } from '../answering.ts';
import { type ChatCall, translationContext } from '../call.ts';
import {
  type ApprovedCall,
  type BegunCall,
  endedWith,
  type FinishedCall,
  type KnownCall,
  type LookedUpCall,
  type ModelCall,
} from '../call-stages.ts';
import { refuseChoosing } from '../choosing-members.ts';
import { keepsCompletion } from '../left-out.ts';
import { ModelProgress } from '../model-progress.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure, withKnownCall } from '../stage-failure.ts';
import type { ResponseRetention } from '../stored/retention.ts';
import { leavesTools } from '../tool-use-mode.ts';
import { cancelledError } from './caller-gone.ts';
import { checkReply, reportStream } from './output-policy.ts';
import { providerFailure } from './provider-fault.ts';
import { openStream, type RepliedModel, relayStream, type StreamToCaller } from './stream.ts';
import { promptsAround } from './transform.ts';

/**
 * Calls the model and responds.
 * @throws GatewayError `provider_error`, `provider_timeout`, `rate_limit_error` (the provider's), `policy_violation`.
 */
export async function callModel(
  ports: ChatPorts,
  looked: LookedUpCall,
  policy: ContentPolicy,
  answering: AnswerReceiver,
): Promise<FinishedCall> {
  const { lookup, body } = looked;
  const flight = lookup?.state === 'MISS' ? lookup.flight : undefined;
  let stream: StreamToCaller | undefined;
  let known: KnownCall = looked;
  try {
    const begun = beginModel(ports, looked);
    known = begun;
    const said = await ports.telemetry.span('provider.call', { model: looked.call.resolvedModel }, async (span) => {
      const [model, answered] = await openReply(ports, begun, answering);
      span.set({ provider: model.provider, latency_ms: Math.round(span.elapsedUs() / 1000) });
      try {
        const { reply } = answered;
        if (reply.type === 'json') return { model, spoken: readReply(ports, model, answered, reply.body) };
        stream = await openStream(ports, model, policy, answering);
        return await relayStream(ports, model, { ...answered, events: reply.events }, stream);
      } catch (thrown) {
        throw StageFailure.of(thrown, model);
      }
    });
    const finished = 'spoken' in said ? await completeReply(ports, said.model, policy, said.spoken, answering) : said;
    known = finished.known;
    const { ending, reply } = finished;
    if (flight && reply && !finished.known.demo && cacheable(body, reply, ending.outcome))
      storeReply(finished.known, flight, reply);
    return { known: finished.known, ending };
  } catch (thrown) {
    throw StageFailure.of(thrown, known);
  } finally {
    if (stream) reportStream(ports, stream.verdict());
    flight?.drop();
  }
}

/** Begins the charged part of the call, which is charged even if this process ends before settling it. */
export function beginModel<Before extends ApprovedCall>(ports: ChatPorts, before: Before): BegunCall<Before> {
  if (!before.startNoted) void recordProviderStart(ports, before.call);
  return { ...before, progress: new ModelProgress() };
}

/** Records the start while the provider is being called. */
function recordProviderStart(ports: ChatPorts, call: ChatCall): Promise<void> {
  return ports.counters.begin(call.tenant.id, call.envelopeId).catch((thrown: unknown) => {
    ports.telemetry.log('warn', 'the start of a provider call was not noted', {
      envelope_id: call.envelopeId,
      error: (thrown as Error).message,
    });
  });
}

/**
 * Time without an event after which a stream begins anyway. It is shorter than the usual timeouts of proxies and
 * clients.
 */
const silenceMs = 15_000;

/**
 * Opens the reply of the provider that responds, and records the attempts that failed. If none has responded after some
 * time, the caller's stream begins, so that proxies and clients do not give up; a later failure is then sent as an
 * event. Routes that may end at the mock are an exception, because a header marks the mock's answers.
 */
async function openReply(
  ports: ChatPorts,
  begun: BegunCall<LookedUpCall>,
  answering: AnswerReceiver,
): Promise<[ModelCall<LookedUpCall>, ProviderAnswer]> {
  const { call, body } = begun;
  const { tenant, sessionId: session, snapshot } = call;
  const rollouts = await ports.rolloutsInForce();
  // A conversation continues at the provider that stores it.
  const { plan, mark: rollout } = assign(
    call.plan,
    call.keep?.previous ? [] : rollouts,
    { tenant: tenant.id, session },
    snapshot.configuration,
  );
  // A rollout may add another provider.
  refuseChoosing(call.dialect, body, entriesOf(plan));
  /** Members that were not sent to the provider called last. */
  let leftOut: readonly string[] = [];
  /** Dialects of the providers that received a translated request; their errors name members of that dialect. */
  const spoken = new Map<string, DialectName>();
  const beginsEarly = call.stream && !entriesOf(plan).some((entry) => isDemoOf(entry, call.resolvedModel));
  const responded = beginsEarly
    ? ports.timeouts.after(silenceMs, () => void answering.stream({ ...begun, leftOut }))
    : () => {};
  try {
    const answered = await callProvider(ports, plan, {
      model: call.resolvedModel,
      stream: call.stream,
      headers: { ...call.passed, ...ports.telemetry.outgoing() },
      signal: begun.signal,
      kept: call.keep && keptCall(call, call.keep, body),
      bodyFor(provider) {
        const names: string[] = [];
        leftOut = names;
        const asked = bodyFor(call, body, provider, names);
        spoken.set(provider.name, provider.dialect);
        return asked;
      },
    });
    const { provider, region, attempts } = answered;
    const demo = isDemoOf(provider, call.resolvedModel);
    return [{ ...begun, provider: provider.name, region, demo, rollout, attempts, leftOut }, answered];
  } catch (thrown) {
    const failure = providerFailure(ports, { ...begun, rollout, leftOut }, thrown);
    const dialect = thrown instanceof ProviderFault ? spoken.get(thrown.provider) : undefined;
    throw await atCallersMember(failure, call, body, dialect);
  } finally {
    responded();
  }
}

const memberPaths = lazyImport(() => import('#core/models/dialects/translate/member-path.ts'));

/**
 * Returns the failure, naming the corresponding member of the caller's request [error.plain-words].
 * @param body translated request.
 */
async function atCallersMember(
  failure: StageFailure,
  call: ChatCall,
  body: JsonObject,
  provider: DialectName | undefined,
): Promise<StageFailure> {
  const param = failure.data?.param;
  if (typeof param !== 'string') return failure;
  const { callersMember, withMember } = await memberPaths();
  const added = objectsOf(body.messages).length - objectsOf(call.body.messages).length;
  const own = callersMember(param, { caller: call.dialect, provider, body, added });
  return new StageFailure(withMember(failure, own), failure.known, failure.ending.outcome, failure.ending);
}

/**
 * Builds the provider's request. The provider's model name is set first, because the translation depends on it.
 * @param leftOut receives the names of members that are not sent to the provider.
 */
function bodyFor(call: ChatCall, given: JsonObject, provider: Provider, leftOut: string[]): JsonObject {
  const { dialect, keepsResponses } = provider;
  const add = (name: string) => void (leftOut.includes(name) || leftOut.push(name));
  const { metadata: _, ...body } = given;
  const { store, ...unkept } = call.keep && !keepsResponses ? body : given;
  const own = store === undefined || keepsCompletion(store) ? unkept : { ...unkept, store };
  if (keepsCompletion(store)) leftOut.push('store');
  const asked = translator(call.dialect, dialect).request({ ...own, model: call.resolvedModel }, (name) => {
    add(name);
  });
  for (const name of provider.leftOut?.(asked) ?? []) add(name);
  if (dialect !== 'openai') return asked;
  // A provider that stores responses receives images in their original position.
  const shown = call.operation === 'responses' && !(call.keep && keepsResponses) ? picturesAfterResults(asked) : asked;
  return call.stream ? withUsageRequested(shown) : shown;
}

/**
 * Returns storage settings that exclude the prompts of the platform and the tenant, because those apply to one response
 * only and the caller may not read them.
 */
function keptCall(
  call: ChatCall,
  { store, previous, instructions }: ResponseRetention,
  { messages }: JsonObject,
): StoredCallOptions {
  const all = objectsOf(messages);
  const other = all.findIndex((message) => message.role !== 'system' && message.role !== 'developer');
  const own = promptsAround(call).join('') === '' ? Number(instructions) : other === -1 ? all.length : other;
  return { store, previous: previous?.provider_id, instructions: own };
}

/** Counts a complete reply and translates it into the caller's dialect. */
function readReply(
  ports: ChatPorts,
  { call, progress }: ModelCall,
  { provider, settleSpan }: ProviderAnswer,
  body: JsonObject,
): JsonObject {
  if (call.keep) progress.readKeptId(provider, body);
  progress.readReply(dialects[provider.dialect], body);
  settleSpan({ body, usage: progress.counted, finishReasons: progress.finishReasons });
  return translator(call.dialect, provider.dialect).reply(body, translationContext(call, ports.clock));
}

async function completeReply(
  ports: ChatPorts,
  model: ModelCall<LookedUpCall>,
  policy: ContentPolicy,
  spoken: JsonObject,
  answering: AnswerReceiver,
): Promise<RepliedModel> {
  const { call } = model;
  const known = await checkReply(ports, model, policy, spoken);
  const reply = leavesTools(call) ? spoken : await withKnownCall(known, () => toolsDecided(ports, call, spoken));
  answering.json(200, reply);
  const ending = call.signal.aborted ? endedWith('aborted', cancelledError(call)?.code) : endedWith('completed');
  return { known, ending, reply };
}

async function toolsDecided(ports: ChatPorts, call: ChatCall, spoken: JsonObject): Promise<JsonObject> {
  if (call.dialect === 'anthropic') return (await messagesTools()).governReply(ports, call, spoken);
  return (await completionTools()).governCompletion(ports, call, spoken);
}

/** Code that makes decisions on tool calls, loaded when the first call arrives. */
const completionTools = lazyImport(() => import('../completion-tools.ts'));
const messagesTools = lazyImport(() => import('../tool-use.ts'));

function storeReply({ call, provider, progress, leftOut }: ModelCall, flight: Flight, reply: JsonObject): void {
  const usage = { input_tokens: 0, output_tokens: 0, ...progress.counted };
  flight.keep({ dialect: call.dialect, provider, reply, usage, leftOut });
}
