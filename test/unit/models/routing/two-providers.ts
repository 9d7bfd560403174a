/** Two providers over real HTTP, and a route that uses both. */
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import { createBreakers } from '#core/models/routing/breakers.ts';
import { callProvider, type ProviderAnswer, type RoutedCall } from '#core/models/routing/call-provider.ts';
import { planRoute } from '#core/models/routing/plan.ts';
import { type FakeProvider, startFakeProvider } from '../../../support/fake-providers.ts';
import { providerEntry } from '../../../support/provider-entry.ts';

export let first: FakeProvider;
export let second: FakeProvider;
beforeAll(async () => {
  first = await startFakeProvider({ kind: 'openai' });
  second = await startFakeProvider({ kind: 'openai' });
});
afterAll(() => Promise.all([first.stop(), second.stop()]));

export function world(entries: readonly ProviderEntry[]) {
  const pauses: number[] = [];
  const time = { ms: 0 };
  const span: Telemetry['span'] = (_name, _attributes, work) =>
    work({ traceId: 'f'.repeat(32), set() {}, elapsedUs: () => 2_000 });
  let sent = 0;
  const telemetry: Telemetry = {
    span,
    leafSpan: span,
    continued: (_from, work) => work(),
    flush: async () => {},
    outgoing: () => ({ traceparent: `00-${'f'.repeat(32)}-${'0'.repeat(15)}${++sent}-01` }),
    count() {},
    gauge() {},
    observe() {},
    log() {},
  };
  const timeouts = {
    after(ms: number, work: () => void) {
      pauses.push(ms);
      queueMicrotask(work);
      return () => {};
    },
  };
  const clock = { now: () => time.ms };
  const secrets = { get: async () => undefined };
  const providers = providersFrom({ http: httpCall, secrets, clock, timeouts: systemTimeouts, bedrock: undefined });
  const providerBreakers = createBreakers();
  const ports = { providers, providerBreakers, telemetry, clock, timeouts, random: () => 0.5 };
  const configuration = {
    providers: entries,
    routes: [{ match: { model: '*' }, providers: entries.map(({ name }) => name), strategy: 'priority' }],
  } as unknown as Configuration;
  const call = (more: Partial<RoutedCall> = {}) =>
    callProvider(ports, planRoute(configuration, 'm-1')!, {
      model: 'm-1',
      stream: false,
      headers: { traceparent: 'the caller’s' },
      signal: new AbortController().signal,
      bodyFor: () => ({ messages: [{ role: 'user', content: 'Hi' }] }),
      ...more,
    });
  return { pauses, time, providerBreakers, call };
}

export const at = (fake: FakeProvider, name: string, more: Partial<ProviderEntry> = {}) =>
  providerEntry({ name, type: 'openai', base_url: fake.baseUrl, ...more });

export async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const thrown = await work.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  if (!(thrown instanceof ProviderFault)) throw thrown ?? new Error('it did not fail');
  return thrown;
}
export async function read({ reply }: ProviderAnswer): Promise<JsonObject[]> {
  if (reply.type !== 'stream') throw new Error('no stream');
  const events: JsonObject[] = [];
  for await (const event of reply.events) events.push(event);
  return events;
}
