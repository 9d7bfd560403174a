/** Attributes of a `provider.<type>` span: the gateway's own and those of OpenTelemetry's GenAI conventions. */
import type { Usage } from '#core/contracts/chat.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';
import type { SpanAttributes } from '#core/kernel/ports.ts';
import type { Provider } from '#core/models/providers/ports.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';

/** Outcome of the response, for its span. */
export interface ReplyOutcome {
  /** Reply that arrived in full. */
  readonly body?: JsonObject;
  readonly usage: Partial<Usage>;
  /** Finish reasons of a stream, one per choice. For a complete reply, they are read from the reply itself. */
  readonly finishReasons?: readonly string[] | undefined;
}

/** Values of `gen_ai.provider.name` by provider type. */
export const providerNames: Readonly<Record<ProviderEntry['type'], string>> = {
  mock: 'mock',
  openai: 'openai',
  anthropic: 'anthropic',
  ollama: 'ollama',
  bedrock: 'aws.bedrock',
};

export const callAttributes = ({ type, address }: Provider, model: string, stream: boolean): SpanAttributes => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': providerNames[type],
  'gen_ai.request.model': model,
  'gen_ai.request.stream': stream,
  'server.address': address?.host,
  'server.port': address?.port,
});

/** Returns attributes from the first stream event, which contains the id and model in both dialects. */
export function firstEventAttributes(event: JsonObject, elapsedUs: number): SpanAttributes {
  const opening = isObject(event.message) ? event.message : event;
  return { ...identity(opening), 'gen_ai.response.time_to_first_chunk': elapsedUs / 1_000_000 };
}

export function answerAttributes({ body, usage, finishReasons = [] }: ReplyOutcome): SpanAttributes {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const total = input_tokens === undefined || output_tokens === undefined ? undefined : input_tokens + output_tokens;
  return definedAttributes({
    'gen_ai.response.id': body && textOf(body.id),
    'gen_ai.response.model': body && textOf(body.model),
    'gen_ai.response.finish_reasons':
      (body && reasonsOf(body)) ?? (finishReasons.length === 0 ? undefined : finishReasons),
    tokens_prompt: input_tokens,
    tokens_completion: output_tokens,
    tokens_total: total,
    'gen_ai.usage.input_tokens': totalInput(usage),
    'gen_ai.usage.output_tokens': output_tokens,
    'gen_ai.usage.cache_read.input_tokens': cache_read_tokens,
    'gen_ai.usage.cache_write.input_tokens': cache_write_tokens,
    // Former name, which current tools still read.
    'gen_ai.usage.cache_creation.input_tokens': cache_write_tokens,
    'gen_ai.usage.reasoning.output_tokens': reasoning_tokens,
  });
}

/** Returns the model's input tokens, which include cached tokens according to the conventions. */
const totalInput = ({ input_tokens, cache_read_tokens = 0, cache_write_tokens = 0 }: Partial<Usage>) =>
  input_tokens === undefined ? undefined : input_tokens + cache_read_tokens + cache_write_tokens;

/** Returns the settings of a request in either dialect, including zeros and omitting absent ones. */
export function requestAttributes(body: JsonObject): SpanAttributes {
  const attributes: Record<string, SpanAttributes[string]> = {};
  for (const [name, attribute] of settings) {
    const value = numberIn(body[name]);
    if (value !== undefined) attributes[attribute] = value;
  }
  const most = numberIn(body.max_completion_tokens) ?? numberIn(body.max_tokens);
  if (most !== undefined) attributes['gen_ai.request.max_tokens'] = most;
  const stops = stopSequences(body);
  if (stops !== undefined) attributes['gen_ai.request.stop_sequences'] = stops;
  return attributes;
}

const settings = ['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty'].map(
  (name) => [name, `gen_ai.request.${name}`] as const,
);

/**
 * Returns the stop sequences: at most as many as providers accept, truncated and without secrets, because callers
 * choose their text.
 */
function stopSequences({ stop, stop_sequences }: JsonObject): readonly string[] | undefined {
  const given = [stop_sequences ?? stop].flat().filter((each) => typeof each === 'string');
  const short = given.slice(0, 16).map((each) => maskSecrets(each).slice(0, 64));
  return short.length === 0 ? undefined : short;
}

const numberIn = (value: JsonObject[string] | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

const identity = ({ id, model }: JsonObject): SpanAttributes =>
  definedAttributes({ 'gen_ai.response.id': textOf(id), 'gen_ai.response.model': textOf(model) });

/** Returns one finish reason per choice of a complete reply. */
function reasonsOf({ choices, stop_reason }: JsonObject): readonly string[] | undefined {
  const reasons = [stop_reason, ...objectsOf(choices).map(({ finish_reason }) => finish_reason)];
  const texts = reasons.filter((reason) => typeof reason === 'string');
  return texts.length === 0 ? undefined : texts;
}

/** Omits undefined attributes. */
function definedAttributes(attributes: SpanAttributes): SpanAttributes {
  const some: Record<string, SpanAttributes[string]> = {};
  for (const name of Object.keys(attributes)) if (attributes[name] !== undefined) some[name] = attributes[name];
  return some;
}
