/** The end of an embeddings call: its texts have passed the input policy as messages, and go to a provider that embeds [embeddings.create]. */

import { readOpenaiUsage } from '#core/dialects/usage.ts';
import { objectOf, objectsOf, textOf } from '#core/dialects/wire.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { type Answered, callProvider } from '#core/routing/call-provider.ts';
import type { Answering } from '../answering.ts';
import { type ChatCallState, ended } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';
import { begin } from './provider-call.ts';
import { failed } from './provider-fault.ts';

/** Members of the request that the provider gets beside model and texts. */
const carried = ['dimensions', 'encoding_format', 'user'] as const;

/** Kinds of providers with such an endpoint. */
const embedding: ReadonlySet<string> = new Set(['openai', 'mock']);

/** @throws GatewayError `model_not_found` where no provider of the model embeds; faults of providers as for chat. */
export async function callEmbeddings(
  ports: ChatPorts,
  state: ChatCallState,
  body: JsonObject,
  answering: Answering,
): Promise<void> {
  const { call } = state;
  if (!call.plan.candidates.some(({ entry }) => embedding.has(entry.type))) throw noEmbeddings(state);
  const input = objectsOf(body.messages).map(({ content }) => textOf(content) ?? '');
  const more = Object.fromEntries(carried.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
  state.begun = state.startNoted ? Promise.resolve() : begin(ports, state);
  let answered: Answered;
  try {
    answered = await callProvider(ports, call.plan, {
      model: call.resolvedModel,
      stream: false,
      endpoint: 'embeddings',
      headers: ports.telemetry.outgoing(),
      signal: state.signal,
      bodyFor: () => ({ ...more, model: call.resolvedModel, input }),
    });
  } catch (thrown) {
    throw failed(ports, state, thrown);
  }
  const reply = answered.reply.type === 'json' ? answered.reply.body : {};
  state.provider = answered.provider.name;
  state.region = answered.region;
  state.attempts = answered.attempts;
  const counted = readOpenaiUsage(reply.usage);
  if (counted?.input_tokens !== undefined) state.counted = { input_tokens: counted.input_tokens, output_tokens: 0 };
  answered.settleSpan({ body: {}, usage: state.counted, finishReason: undefined });
  state.outcome = 'completed';
  answering.json(200, {
    object: 'list',
    data: objectsOf(reply.data).map(({ index, embedding }, at) => ({
      object: 'embedding',
      index: index ?? at,
      embedding: embedding ?? [],
    })),
    model: textOf(reply.model) ?? call.resolvedModel,
    usage: objectOf(reply.usage) ?? { prompt_tokens: call.inputTokens, total_tokens: call.inputTokens },
  });
}

function noEmbeddings(state: ChatCallState): GatewayError {
  const { model } = state.call;
  const fault = new GatewayError(
    'model_not_found',
    `No provider of the model ${JSON.stringify(model)} gives embeddings; allowed are models of providers of type ${[...embedding].join(' and ')}.`,
  );
  ended(state, 'refused', fault);
  return fault;
}
