/**
 * Calls the providers of a route until one responds, handling the breaker, retries and the next candidate. Each attempt
 * is a span `provider.<type>` that stays open until the response has been read completely.
 */

import type { EndpointName } from '#core/contracts/chat.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock, Span, Telemetry, Timeouts } from '#core/kernel/ports.ts';
import { pause } from '#core/models/providers/pause.ts';
import {
  type Provider,
  type ProviderAttempt,
  type ProviderCall,
  ProviderFault,
  type ProviderReply,
  type Providers,
} from '#core/models/providers/ports.ts';
import type { AdmittedAttempt, Breakers } from './breakers.ts';
import {
  answerAttributes,
  callAttributes,
  firstEventAttributes,
  type ReplyOutcome,
  requestAttributes,
} from './gen-ai.ts';
import type { Candidate, RoutePlan } from './plan.ts';
import { breakerOutcome, errorType, isFinal, mostSpecificFault, retryDelayMs } from './retry.ts';

export interface RoutingPorts {
  readonly providers: Providers;
  /** Breakers for these providers. */
  readonly providerBreakers: Breakers;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

export interface RoutedCall extends Omit<ProviderCall, 'body'> {
  /** Endpoint to call; chat by default. Providers without it are skipped. */
  readonly endpoint?: EndpointName;
  /** Caller's headers to forward; the attempt's own trace headers replace the caller's. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Returns the body in the provider's dialect. @throws GatewayError `invalid_request` if the dialect cannot express
   * it.
   */
  bodyFor(provider: Provider): JsonObject;
}

export interface ProviderAnswer {
  readonly provider: Provider;
  readonly entry: ProviderEntry;
  readonly region: string | undefined;
  /**
   * Reply. A stream must be read to its end, closed with `return()`, or aborted; otherwise its connection stays open.
   */
  readonly reply: ProviderReply;
  /** Failed attempts before the response. */
  readonly attempts: readonly ProviderAttempt[];
  /** Ends the attempt's span. Must be called once the response has been read or abandoned. */
  settleSpan(settled: ReplyOutcome): void;
}

/** Calls the providers in turn. @throws ProviderFault the most specific fault of all attempts, with `attempts`. */
export async function callProvider(ports: RoutingPorts, plan: RoutePlan, call: RoutedCall): Promise<ProviderAnswer> {
  const attempts: ProviderAttempt[] = [];
  const faults: ProviderFault[] = [];
  for (const candidate of plan.candidates) {
    const { entry } = candidate;
    const most = entry.retry?.max_attempts ?? 1;
    for (let attempt = 1; attempt <= most; attempt++) {
      const tried = await attemptCall(ports, candidate, call);
      if (!(tried instanceof ProviderFault)) return { ...tried, attempts };
      faults.push(tried);
      attempts.push({ provider: entry.name, error: errorType(tried) });
      if (isFinal(tried)) throw tried.with({ attempts });
      const delayMs = attempt < most ? retryDelayMs(tried, attempt, ports.random) : undefined;
      if (delayMs === undefined) break;
      await pause(ports.timeouts, delayMs, call.signal);
    }
  }
  throw (mostSpecificFault(faults) ?? noProvider(plan)).with({ attempts });
}

/** Returns the fault of a skipped provider. The next trial call is at most `open_seconds` away. */
const breakerOpen = ({ name, breaker }: ProviderEntry) =>
  new ProviderFault(name, 'unavailable', `the breaker of ${name} is open`, {
    reason: 'breaker_open',
    retryAfterSeconds: breaker.open_seconds,
  });

const noProvider = ({ route, model }: RoutePlan) =>
  new ProviderFault('', 'unavailable', `every provider of the route ${route ?? model} is disabled`);

/** Runs one attempt, if the breaker admits it. */
async function attemptCall(
  ports: RoutingPorts,
  { entry, region }: Candidate,
  call: RoutedCall,
): Promise<Omit<ProviderAnswer, 'attempts'> | ProviderFault> {
  let admitted: AdmittedAttempt | undefined;
  try {
    const provider = await ports.providers.get(entry);
    if (call.endpoint && !provider.post)
      return new ProviderFault(entry.name, 'unavailable', `${entry.name} has no ${call.endpoint}`);
    if (call.signal.aborted) throw new ProviderFault(entry.name, 'aborted', 'the caller went away');
    admitted = await ports.providerBreakers.admit(entry, ports);
    if (!admitted) return breakerOpen(entry);
    const { reply, settleSpan } = await traced(ports, provider, call, admitted);
    return { provider, entry, region, reply, settleSpan };
  } catch (thrown) {
    admitted?.settle(thrown instanceof ProviderFault ? breakerOutcome(thrown) : 'nothing');
    if (thrown instanceof ProviderFault) return thrown;
    throw thrown; // not caused by the provider
  }
}

/**
 * Returns the body for a provider. A provider that cannot express the request is skipped, because the next one may be
 * able to.
 */
function providerBody(call: RoutedCall, provider: Provider): JsonObject {
  try {
    return call.bodyFor(provider);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== 'invalid_request') throw thrown;
    const options = { status: 400, reason: 'unfit', cause: thrown } as const;
    throw new ProviderFault(provider.name, 'status', `this request cannot be sent to ${provider.name}`, options);
  }
}

type AnswerSpan = Pick<ProviderAnswer, 'reply' | 'settleSpan'>;

/** Runs a call in a span that ends when its response is settled, after it has been returned. */
function traced(
  ports: RoutingPorts,
  provider: Provider,
  call: RoutedCall,
  admitted: AdmittedAttempt,
): Promise<AnswerSpan> {
  const { telemetry } = ports;
  const handed = Promise.withResolvers<AnswerSpan>();
  const attributes = callAttributes(provider, call.model, call.stream);
  telemetry
    .span(`provider.${provider.type}`, attributes, async (span) => {
      try {
        const headers = { ...call.headers, ...telemetry.outgoing() };
        const { model, stream, signal, form, kept } = call;
        const body = providerBody(call, provider);
        span.set(requestAttributes(body));
        const asked = { model, stream, signal, headers, form, kept, body };
        const reply: ProviderReply = call.endpoint
          ? { type: 'json', body: await provider.post!(call.endpoint, asked) }
          : await provider.call(asked);
        admitted.answered();
        const settled = Promise.withResolvers<void>();
        const watch: Watch = { span, admitted, fault: undefined };
        handed.resolve({
          reply: reply.type === 'stream' ? { ...reply, events: watchStream(reply.events, watch) } : reply,
          settleSpan: (what) => {
            span.set(answerAttributes(what));
            if (watch.fault) settled.reject(watch.fault);
            else settled.resolve();
          },
        });
        if (reply.type === 'json') admitted.settle('success');
        await settled.promise;
      } catch (thrown) {
        span.set({ 'error.type': thrown instanceof ProviderFault ? errorType(thrown) : 'internal' });
        throw thrown;
      }
    })
    .catch(handed.reject);
  return handed.promise;
}

interface Watch {
  readonly span: Span;
  readonly admitted: AdmittedAttempt;
  fault: ProviderFault | undefined;
}

/** Reports the end of a stream, normal or not, to the breaker and the span. */
function watchStream(events: AsyncIterable<JsonObject>, watch: Watch): AsyncIterable<JsonObject> {
  const iterator = events[Symbol.asyncIterator]();
  let first = true;
  const seen = (step: IteratorResult<JsonObject>): IteratorResult<JsonObject> => {
    if (step.done) watch.admitted.settle('success');
    else if (first) watch.span.set(firstEventAttributes(step.value, watch.span.elapsedUs()));
    first = false;
    return step;
  };
  const failed = (thrown: unknown): never => {
    if (thrown instanceof ProviderFault) {
      watch.fault = thrown;
      watch.admitted.settle(breakerOutcome(thrown));
    }
    throw thrown;
  };
  const own: AsyncIterator<JsonObject> = {
    next: () => iterator.next().then(seen, failed),
    async return() {
      // The reader has stopped, which is not evidence about the provider.
      watch.admitted.settle('nothing');
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => own };
}
