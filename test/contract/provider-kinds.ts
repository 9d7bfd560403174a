/** Each kind of provider with a fake of its API over real HTTP, for the contract suite. */
import { lazyBedrock } from '#adapters/aws/bedrock.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { type ProviderCall, ProviderFault, type ProviderReply } from '#core/models/providers/ports.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import { until } from '../support/executor-cases.ts';
import { type FakeKind, type FakeProvider, type FakeReply, startFakeProvider } from '../support/fake-providers.ts';
import { providerEntry } from '../support/provider-entry.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

export const key = 'provider-key-0123456789';

interface Kind {
  readonly title: string;
  readonly type: ProviderEntry['type'];
  readonly fake: FakeKind;
  /** Suffix added to the fake's base URL. */
  readonly suffix?: string;
  readonly path: { readonly json: string; readonly stream: string };
  readonly keyHeader: readonly [name: string, value: string];
}

const both = (path: string) => ({ json: path, stream: path });
const bearer = ['authorization', `Bearer ${key}`] as const;
const converse = { json: '/model/m-1/converse', stream: '/model/m-1/converse-stream' };
const chat = both('/v1/chat/completions');
const anthropicKey = ['x-api-key', key] as const;
export const kinds: readonly Kind[] = [
  { title: 'openai', type: 'openai', fake: 'openai', path: chat, keyHeader: bearer },
  { title: 'anthropic', type: 'anthropic', fake: 'anthropic', path: both('/v1/messages'), keyHeader: anthropicKey },
  { title: 'ollama', type: 'ollama', fake: 'ollama', path: both('/api/chat'), keyHeader: bearer },
  { title: 'ollama /v1', type: 'ollama', fake: 'openai', path: chat, keyHeader: bearer },
  { title: 'bedrock', type: 'bedrock', fake: 'bedrock', path: converse, keyHeader: bearer },
];

export const minute = 60_000;
const bedrock = lazyBedrock({ credentials: { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret' } });
/** Starts a fake of the kind for the tests of a `describe`, and makes calls to it. */
export function useProviderKind({ type, fake: kind }: Kind) {
  let fake: FakeProvider;
  const secrets = new Map([['PROVIDER_KEY', key]]);
  const fromSecrets = { get: async (name: string) => secrets.get(name) };
  const withTimeouts = (timeouts: Timeouts) =>
    providersFrom({ http: httpCall, secrets: fromSecrets, clock: systemClock, timeouts, bedrock });
  const providers = withTimeouts(systemTimeouts);

  beforeAll(async () => {
    fake = await startFakeProvider({ kind });
  });
  afterAll(() => fake.stop());

  const entry = (more: Partial<ProviderEntry> = {}) =>
    providerEntry({
      name: 'p',
      type,
      base_url: fake.baseUrl,
      region: 'us-east-1',
      api_key_env: 'PROVIDER_KEY',
      ...more,
    });

  const messages = [{ role: 'user', content: 'Hi' }];
  const asked = (stream: boolean): JsonObject => ({ model: 'alias', max_tokens: 50, stream, messages });
  const calling = async (
    streams: boolean,
    more: Partial<ProviderCall> = {},
    changed: Partial<ProviderEntry> = {},
    from = providers,
  ) => {
    const provider = await from.get(entry(changed));
    const signal = new AbortController().signal;
    return provider.call({ model: 'm-1', body: asked(streams), stream: streams, headers: {}, signal, ...more });
  };
  const faultOf = async (work: Promise<unknown>): Promise<ProviderFault> => {
    const thrown = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(thrown instanceof ProviderFault)) throw thrown ?? new Error('it did not fail');
    return thrown;
  };
  const answering = (reply: FakeReply, streams = false, changed: Partial<ProviderEntry> = {}) => {
    fake.answers(reply);
    return faultOf(calling(streams, {}, changed));
  };
  const dialect = dialects[type === 'anthropic' || type === 'bedrock' ? 'anthropic' : 'openai'];
  const textOf = (slots: readonly { readonly kind: string; readonly text: string }[]) =>
    slots
      .filter((slot) => slot.kind === 'text')
      .map(({ text }) => text)
      .join('');
  const eventsOf = (reply: ProviderReply): AsyncIterable<JsonObject> => {
    if (reply.type !== 'stream') throw new Error('no stream');
    return reply.events;
  };
  const read = async (reply: ProviderReply): Promise<JsonObject[]> => {
    const events: JsonObject[] = [];
    for await (const event of eventsOf(reply)) events.push(event);
    return events;
  };

  /** Returns how a stream ends if its time runs out after the given number of events, and no sooner. */
  const silenceAfter = async (events: number): Promise<ProviderFault> => {
    const timeouts = woundTimeouts();
    let [seen, over] = [0, false];
    const reading = async () => {
      for await (const _ of eventsOf(await calling(true, {}, { timeout_ms: minute }, withTimeouts(timeouts)))) seen++;
    };
    const failed = faultOf(reading()).finally(() => {
      over = true;
    });
    await until(() => over || seen >= events);
    await until(() => {
      timeouts.pass(minute);
      return over;
    });
    expect(seen > 0).toBe(events > 0);
    return failed;
  };
  return {
    /** Fake of the kind. Undefined before the tests begin. */
    get fake() {
      return fake;
    },
    withTimeouts,
    providers,
    entry,
    calling,
    faultOf,
    answering,
    dialect,
    textOf,
    eventsOf,
    read,
    silenceAfter,
    secrets,
    asked,
  };
}
