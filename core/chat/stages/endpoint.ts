/** The end of a call of an endpoint beside chat: its texts have passed the input policy as messages, and go to a provider that has it [passthrough.governed]. */

import type { ContentPolicy } from '#core/content-policy/ports.ts';
import type { EndpointName, Usage } from '#core/contracts/chat.ts';
import { endpointBody } from '#core/dialects/endpoint-request.ts';
import { endpoints, pathOfEndpoint } from '#core/dialects/endpoints.ts';
import { leaves } from '#core/dialects/leaves.ts';
import { readOpenaiUsage } from '#core/dialects/usage.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/dialects/wire.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { type Answered, callProvider } from '#core/routing/call-provider.ts';
import type { Answering } from '../answering.ts';
import { type ChatCallState, ended } from '../call-state.ts';
import { formOf } from '../endpoint-form.ts';
import { endpointTexts } from '../endpoint-texts.ts';
import type { ChatPorts } from '../ports.ts';
import { checkReply } from './output-policy.ts';
import { recordProviderStart } from './provider-call.ts';
import { failed } from './provider-fault.ts';

/** Kinds of providers with such endpoints. */
const having: ReadonlySet<string> = new Set(['openai', 'mock']);

/** @throws GatewayError `model_not_found` where no provider of the model has the endpoint; faults of providers as for chat. */
export async function callEndpoint(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  checked: JsonObject,
  answering: Answering,
): Promise<void> {
  const { call } = state;
  const name = call.operation as EndpointName;
  if (!call.plan.candidates.some(({ entry }) => having.has(entry.type))) throw notHad(state, name);
  const body = { ...endpointBody(name, checked), model: call.resolvedModel };
  if (endpoints[name].speech) await checkSpoken(ports, state, policy, body);
  const form = endpoints[name].form && (await formOf(body, call.files));
  state.begun = state.startNoted ? Promise.resolve() : recordProviderStart(ports, state);
  let answered: Answered;
  try {
    answered = await ports.telemetry.span('provider.call', { model: call.resolvedModel }, async (span) => {
      const found = await callProvider(ports, call.plan, {
        model: call.resolvedModel,
        stream: false,
        endpoint: name,
        form,
        headers: ports.telemetry.outgoing(),
        signal: state.signal,
        bodyFor: () => body,
      });
      span.set({ provider: found.provider.name, latency_ms: Math.round(span.elapsedUs() / 1000) });
      return found;
    });
  } catch (thrown) {
    throw failed(ports, state, thrown);
  }
  const reply = answered.reply.type === 'json' ? answered.reply.body : {};
  state.provider = answered.provider.name;
  state.region = answered.region;
  state.attempts = answered.attempts;
  count(state, name, reply);
  answered.settleSpan({ body: {}, usage: state.counted, finishReason: undefined });
  if (!endpoints[name].speech) await checkReply(ports, state, policy, reply, endpointTexts(reply));
  state.outcome = 'completed';
  answering.json(200, name === 'embeddings' ? vectorsOf(state, reply) : reply);
}

/**
 * Speech says what the request holds, so filters of replies read that before a provider is paid for it. What they would take out
 * of a text cannot be taken out of sound.
 */
async function checkSpoken(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  body: JsonObject,
): Promise<void> {
  const said = structuredClone(body);
  await checkReply(ports, state, policy, said, leaves(said, 'speech'));
  if (canonicalize(said) === canonicalize(body)) return;
  const fault = new GatewayError(
    'policy_violation',
    'The reply would say what a policy takes out of replies, and it cannot be taken out of speech. Send a text without it.',
  );
  ended(state, 'blocked', fault);
  throw fault;
}

/** What was used: the provider's counts; without them what was reserved, so that no budget is passed unseen. */
function count(state: ChatCallState, name: EndpointName, reply: JsonObject): void {
  const { call } = state;
  const { silent } = endpoints[name];
  const counted: Partial<Usage> = readOpenaiUsage(reply.usage) ?? {};
  const usage = objectOf(reply.usage) ?? {};
  const input = counted.input_tokens ?? countOf(usage.input_tokens);
  const output = silent ? 0 : (counted.output_tokens ?? countOf(usage.output_tokens));
  state.counted = {
    ...counted,
    ...(input !== undefined && { input_tokens: input }),
    ...(output !== undefined && { output_tokens: output }),
  };
  if (output === undefined) state.outputCharacters = call.maxTokens * 4;
}

const vectorsOf = ({ call }: ChatCallState, reply: JsonObject): JsonObject => ({
  object: 'list',
  data: objectsOf(reply.data).map(({ index, embedding }, at) => ({
    object: 'embedding',
    index: index ?? at,
    embedding: embedding ?? [],
  })),
  model: textOf(reply.model) ?? call.resolvedModel,
  usage: objectOf(reply.usage) ?? { prompt_tokens: call.inputTokens, total_tokens: call.inputTokens },
});

function notHad(state: ChatCallState, name: EndpointName): GatewayError {
  const { model } = state.call;
  const what = name === 'embeddings' ? 'gives embeddings' : `has /v1${pathOfEndpoint(name)}`;
  const fault = new GatewayError(
    'model_not_found',
    `No provider of the model ${JSON.stringify(model)} ${what}; allowed are models of providers of type ${[...having].join(' and ')}. Set the client to such a model, or to chat completions.`,
  );
  ended(state, 'refused', fault);
  return fault;
}
