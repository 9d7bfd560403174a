/** Amazon Bedrock through Converse, presented as Anthropic messages. The SDK is used through a port. */

import type { ProviderEntry } from '#core/contracts/config.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { SecretStore, Timeouts } from '#core/kernel/ports.ts';
import type { ConversePart } from './bedrock-messages.ts';
import type { Bedrock } from './bedrock-port.ts';
import { converseEvents, converseReply } from './bedrock-reply.ts';
import { converseInput, converseLeftOut } from './bedrock-request.ts';
import { HttpFault } from './http.ts';
import { asFault, awaitFirstEvent, hostAndPort } from './http-provider.ts';
import { keyOf } from './key.ts';
import { type FaultKind, type Provider, ProviderFault } from './ports.ts';
import { refusalFault, requestIdOf } from './refusal.ts';
import { BadReply, UnfitRequest } from './reply.ts';
import { type Deadline, type Events, withDeadline, withEventTimeout } from './timeouts.ts';

interface BedrockPorts {
  readonly bedrock: Bedrock | undefined;
  readonly secrets: SecretStore;
  readonly timeouts: Timeouts;
}

export function bedrockProvider(entry: ProviderEntry, { bedrock, secrets, timeouts }: BedrockPorts): Provider {
  const { name, region, base_url, timeout_ms } = entry;
  const address = base_url ?? (region && `https://bedrock-runtime.${region}.amazonaws.com`);
  return {
    name,
    type: 'bedrock',
    dialect: 'anthropic',
    region,
    leftOut: converseLeftOut,
    ...(address && { address: hostAndPort(address) }),

    async call(call) {
      if (!bedrock) throw new ProviderFault(name, 'unavailable', `${name}: this host has no Bedrock client`);
      let apiKey: string | undefined;
      const given = new AbortController();
      const signal = AbortSignal.any([call.signal, given.signal]);
      const deadline = { timeouts, ms: timeout_ms, giveUp: () => given.abort() };
      try {
        apiKey = await keyOf(entry, secrets);
        const target = { region, endpoint: base_url, apiKey, timeoutMs: timeout_ms };
        const input = converseInput(call);
        if (!call.stream) {
          // The time to the first byte, plus the same time for the rest.
          const whole = { ...deadline, ms: 2 * timeout_ms };
          const answered = bedrock.converse(target, input, signal);
          const { requestId, output } = await withDeadline('whole reply', answered, whole);
          return { type: 'json', body: converseReply(output, call.model, requestId) };
        }
        const stream = await bedrock.converseStream(target, input, signal);
        const converse = converseEvents(withTimeLimit(stream.events, deadline), call, stream.requestId);
        const events = guarded(name, converse, call.signal, apiKey);
        return { type: 'stream', events: await awaitFirstEvent(name, events) };
      } catch (thrown) {
        throw sdkFault(name, thrown, call.signal, apiKey, 'call');
      }
    },
  };
}

/**
 * Returns Converse events with a time limit for each. After the stop reason, only the counts may follow, and some
 * streams do not send them.
 */
function withTimeLimit(events: AsyncIterable<ConversePart>, deadline: Deadline): AsyncIterable<ConversePart> {
  const source = events[Symbol.asyncIterator]();
  let hasStopped = false;
  const noticed: Events<ConversePart> = {
    async next() {
      const result = await source.next();
      if (result.done) return { done: true, value: undefined };
      hasStopped ||= result.value.messageStop !== undefined;
      return result;
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
  const timed = withEventTimeout(
    noticed,
    deadline,
    (thrown) => thrown as Error,
    () => hasStopped,
  );
  return { [Symbol.asyncIterator]: () => timed as AsyncIterator<ConversePart> };
}

async function* guarded(
  name: string,
  events: AsyncIterable<JsonObject>,
  signal: AbortSignal,
  key: string | undefined,
): AsyncGenerator<JsonObject, undefined> {
  let at: CallPhase = 'opening';
  try {
    for await (const event of events) {
      at = 'stream';
      yield event;
    }
  } catch (thrown) {
    throw sdkFault(name, thrown, signal, key, at);
  }
}

/** Progress of a call: no response yet, a response without events, or events. */
type CallPhase = 'call' | 'opening' | 'stream';

interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** Statuses for errors that arrive as stream events, without an HTTP status. */
const statusByName: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ThrottlingException: 429,
    ModelNotReadyException: 503,
    ServiceUnavailableException: 503,
    InternalServerException: 500,
    ValidationException: 400,
  }),
);

/** Converts an SDK error based on its name and status. */
function sdkFault(
  provider: string,
  thrown: unknown,
  signal: AbortSignal,
  key: string | undefined,
  at: CallPhase,
): ProviderFault {
  const unreadable = at === 'stream' ? 'broken' : 'garbage';
  const foreign = thrown instanceof Error && !knownFaults.some((Fault) => thrown instanceof Fault);
  if (signal.aborted || !foreign)
    return asFault(provider, thrown, signal, unreadable, at === 'call' ? 'garbage' : 'broken');
  const { name, message, $metadata, $response } = thrown as SdkError;
  const fault = (kind: FaultKind, what = name) => new ProviderFault(provider, kind, `${provider}: ${what}`);
  const inStream = statusByName.get(name);
  if (at === 'stream' && inStream !== 429 && inStream !== 503) return fault('broken', `${name} within the stream`);
  if (isErrorNamed(thrown, 'CredentialsProviderError', 'TokenProviderError'))
    return fault('unavailable', 'there are no AWS credentials');
  if (isErrorNamed(thrown, 'ModelTimeoutException')) return fault('timeout');
  if (isErrorNamed(thrown, 'ModelErrorException')) return fault('garbage');
  const answered = $metadata?.httpStatusCode;
  const status = answered !== undefined && answered >= 300 ? answered : statusByName.get(name);
  // Connection faults are HttpFault, so any other SDK error without a status is about the response.
  if (status === undefined) return fault('garbage');
  const requestId = requestIdOf({ 'x-amzn-requestid': $metadata?.requestId }, key);
  const seconds = Number($response?.headers?.['retry-after']);
  const retryAfterSeconds = seconds > 0 ? seconds : undefined;
  return refusalFault({ provider, status, type: name, message, key, retryAfterSeconds, requestId });
}

const knownFaults = [ProviderFault, HttpFault, BadReply, UnfitRequest];
