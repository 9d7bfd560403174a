/** `provider.call`: the model answers, through routing and breakers, and what it says passes the output policy on its way. */
import { cacheable } from '#core/cache/cacheable.ts';
import type { Flight } from '#core/cache/ports.ts';
import type { ContentPolicy } from '#core/content-policy/ports.ts';
import { dialects } from '#core/dialects/dialects.ts';
import { withUsageRequested } from '#core/dialects/openai/openai.ts';
import { picturesAfterResults } from '#core/dialects/openai/result-pictures.ts';
import { translator } from '#core/dialects/translate/translate.ts';
import { objectsOf } from '#core/dialects/wire.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { KeptCall, Provider } from '#core/providers/ports.ts';
import { assign } from '#core/rollouts/assign.ts';
import { type Answered, callProvider } from '#core/routing/call-provider.ts';
import type { Answering } from '../answering.ts';
import { type ChatCall, translationContext } from '../call.ts';
import { type ChatCallState, disconnectError, noteKept, noteLeftOut } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';
import type { ResponseRetention } from '../responses/retention.ts';
import { leavesTools } from '../structured-output.ts';
import { checkReply, reportStream } from './output-policy.ts';
import { failed } from './provider-fault.ts';
import { relayStream } from './stream.ts';
import { promptsAround } from './transform.ts';

/**
 * Calls the model and answers.
 * @throws GatewayError `provider_error`, `provider_timeout`, `rate_limit_error` (the provider's), `policy_violation`.
 */
export async function callModel(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  body: JsonObject,
  flight: Flight | undefined,
  answering: Answering,
): Promise<void> {
  try {
    const spoken = await ports.telemetry.span('provider.call', { model: state.call.resolvedModel }, async (span) => {
      const answered = await openReply(ports, state, body);
      span.set({ provider: answered.provider.name, latency_ms: Math.round(span.elapsedUs() / 1000) });
      if (answered.reply.type === 'json') return readReply(ports, state, answered, answered.reply.body);
      return relayStream(ports, state, policy, answered, answering);
    });
    const reply = state.streamed ? spoken : await completeReply(ports, state, policy, spoken!, answering);
    if (flight && reply && cacheable(body, reply, state.outcome)) storeReply(state, flight, reply);
  } finally {
    reportStream(ports, state);
    flight?.drop();
  }
}

/** A provider that answers; which ones did not, and why, goes into the record. */
async function openReply(ports: ChatPorts, state: ChatCallState, body: JsonObject): Promise<Answered> {
  const { call } = state;
  state.begun = state.startNoted ? Promise.resolve() : recordProviderStart(ports, state);
  const { tenant, sessionId: session, snapshot } = call;
  const rollouts = await ports.rolloutsInForce();
  // A conversation stays where it is kept.
  const { plan, mark } = assign(
    call.plan,
    call.keep?.previous ? [] : rollouts,
    { tenant: tenant.id, session },
    snapshot.configuration,
  );
  state.rollout = mark;
  try {
    const answered = await callProvider(ports, plan, {
      model: call.resolvedModel,
      stream: call.stream,
      headers: { ...call.passed, ...ports.telemetry.outgoing() },
      signal: state.signal,
      kept: call.keep && keptCall(call, call.keep, body),
      bodyFor: (provider) => bodyFor(state, body, provider),
    });
    state.provider = answered.provider.name;
    state.region = answered.region;
    state.attempts = answered.attempts;
    return answered;
  } catch (thrown) {
    throw failed(ports, state, thrown);
  }
}

/** Written while the provider is called, so that a crash from here on is charged. */
export function recordProviderStart(ports: ChatPorts, { call }: ChatCallState): Promise<void> {
  return ports.counters.begin(call.tenant.id, call.envelopeId).catch((thrown: unknown) => {
    ports.telemetry.log('warn', 'the start of a provider call was not noted', {
      envelope_id: call.envelopeId,
      error: (thrown as Error).message,
    });
  });
}

/** The provider's name of the model comes first: what a translation may say depends on it. */
function bodyFor(state: ChatCallState, given: JsonObject, provider: Provider): JsonObject {
  const { call } = state;
  const { dialect, keepsResponses } = provider;
  const { metadata: _, ...body } = given;
  const own = call.keep && !keepsResponses ? body : given;
  const names: string[] = [];
  const asked = translator(call.dialect, dialect).request({ ...own, model: call.resolvedModel }, (name) => {
    names.push(name);
  });
  noteLeftOut(state, [...names, ...(provider.leftOut?.(asked) ?? [])]);
  if (dialect !== 'openai') return asked;
  // A provider that keeps responses gets the pictures where they were.
  const shown = call.operation === 'responses' && !(call.keep && keepsResponses) ? picturesAfterResults(asked) : asked;
  return call.stream ? withUsageRequested(shown) : shown;
}

/** The platform's and the tenant's words around a prompt count for one response alone, and are not the caller's to read. */
function keptCall(
  call: ChatCall,
  { store, previous, instructions }: ResponseRetention,
  { messages }: JsonObject,
): KeptCall {
  const all = objectsOf(messages);
  const other = all.findIndex((message) => message.role !== 'system' && message.role !== 'developer');
  const own = promptsAround(call).join('') === '' ? Number(instructions) : other === -1 ? all.length : other;
  return { store, previous: previous?.provider_id, instructions: own };
}

/** A complete reply: counted, and put into the caller's dialect. */
function readReply(
  ports: ChatPorts,
  state: ChatCallState,
  { provider, settleSpan }: Answered,
  body: JsonObject,
): JsonObject {
  const { call } = state;
  const native = dialects[provider.dialect];
  noteKept(state, provider, body);
  state.counted = native.usageOf(body) ?? {};
  const finishReason = native.finishReason(body);
  if (finishReason !== undefined) state.finishReason = finishReason;
  for (const { text, whole } of native.replyTexts(body)) if (!whole) state.outputCharacters += text.length;
  settleSpan({ body, usage: state.counted, finishReason });
  return translator(call.dialect, provider.dialect).reply(body, translationContext(call, ports.clock));
}

async function completeReply(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  spoken: JsonObject,
  answering: Answering,
): Promise<JsonObject> {
  const { call } = state;
  await checkReply(ports, state, policy, spoken);
  const reply = await toolsDecided(ports, call, spoken);
  if (call.signal.aborted) disconnectError(state);
  else state.outcome = 'completed';
  answering.json(200, reply);
  return reply;
}

async function toolsDecided(ports: ChatPorts, call: ChatCall, spoken: JsonObject): Promise<JsonObject> {
  if (leavesTools(call)) return spoken;
  if (call.dialect === 'anthropic') return (await messagesTools()).governReply(ports, call, spoken);
  return (await completionTools()).governCompletion(ports, call, spoken);
}

/** What decides tool calls is loaded with the first of them. */
const completionTools = lazyImport(() => import('../completion-tools.ts'));
const messagesTools = lazyImport(() => import('../tool-use.ts'));

function storeReply(state: ChatCallState, flight: Flight, reply: JsonObject): void {
  const { call, provider = '', counted, leftOut } = state;
  const usage = { input_tokens: 0, output_tokens: 0, ...counted };
  flight.keep({ dialect: call.dialect, provider, reply, usage, leftOut });
}
