/** What the gateway may rely on of every kind of provider, over real HTTP: replies, streams, and everything that goes wrong. */
import { lazyBedrock } from '#adapters/aws/bedrock.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import { dialects } from '#core/dialects/dialects.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { type ProviderCall, ProviderFault, type ProviderReply } from '#core/providers/ports.ts';
import { providersFrom } from '#core/providers/providers.ts';
import { until } from '../support/executor-cases.ts';
import {
  body,
  cutJson,
  endless,
  type FakeKind,
  type FakeProvider,
  type FakeReply,
  html,
  jsonReply,
  piecesOf,
  refuse,
  reset,
  say,
  silent,
  startFakeProvider,
  stream,
  truncatedJson,
  type Written,
} from '../support/fake-providers.ts';
import { providerEntry } from '../support/provider-entry.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

const key = 'provider-key-0123456789';

interface Kind {
  readonly title: string;
  readonly type: ProviderEntry['type'];
  readonly fake: FakeKind;
  /** Added to the fake's base URL. */
  readonly suffix?: string;
  readonly path: { readonly json: string; readonly stream: string };
  readonly keyHeader: readonly [name: string, value: string];
}

const both = (path: string) => ({ json: path, stream: path });
const bearer = ['authorization', `Bearer ${key}`] as const;
const kinds: readonly Kind[] = [
  { title: 'openai', type: 'openai', fake: 'openai', path: both('/v1/chat/completions'), keyHeader: bearer },
  {
    title: 'anthropic',
    type: 'anthropic',
    fake: 'anthropic',
    path: both('/v1/messages'),
    keyHeader: ['x-api-key', key],
  },
  { title: 'ollama', type: 'ollama', fake: 'ollama', path: both('/api/chat'), keyHeader: bearer },
  { title: 'ollama /v1', type: 'ollama', fake: 'openai', path: both('/v1/chat/completions'), keyHeader: bearer },
  {
    title: 'bedrock',
    type: 'bedrock',
    fake: 'bedrock',
    path: { json: '/model/m-1/converse', stream: '/model/m-1/converse-stream' },
    keyHeader: bearer,
  },
];

const minute = 60_000;
const bedrock = lazyBedrock({ credentials: { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret' } });

describe.each(kinds)('$title', ({ type, fake: kind, path, keyHeader }) => {
  let fake: FakeProvider;
  const secrets = new Map([['PROVIDER_KEY', key]]);
  const withTimeouts = (timeouts: Timeouts) =>
    providersFrom({
      http: httpCall,
      secrets: { get: async (name) => secrets.get(name) },
      clock: systemClock,
      timeouts,
      bedrock,
    });
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

  const asked = (streams: boolean): JsonObject => ({
    model: 'alias',
    max_tokens: 50,
    stream: streams,
    messages: [{ role: 'user', content: 'Hi' }],
  });
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

  /** How a stream ends whose time passes once so many of its events have come, and no sooner. */
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

  test('a reply comes in the dialect of the kind, with its text and its counts', async () => {
    fake.answers(say('Hello there'));
    const reply = await calling(false);
    if (reply.type !== 'json') throw new Error('no JSON');
    expect(textOf(dialect.replyTexts(reply.body))).toBe('Hello there');
    expect(dialect.usageOf(reply.body)).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    const [request] = fake.requests;
    expect(request).toMatchObject({ method: 'POST', path: path.json, stream: false });
    if (type !== 'bedrock') expect(request!.body.model).toBe('m-1');
  });

  test('a stream comes in the dialect of the kind, event by event, to its end', async () => {
    fake.answers(say(['Hel', 'lo ', 'thére ', '日本🙂']));
    const events = await read(await calling(true));
    expect(events.map((event) => textOf(dialect.eventTexts(event))).join('')).toBe('Hello thére 日本🙂');
    const collector = dialect.collector();
    for (const event of events) collector.add(event);
    expect(textOf(dialect.replyTexts(collector.reply()!))).toBe('Hello thére 日本🙂');
    expect(fake.requests[0]).toMatchObject({ path: path.stream, stream: true });
  });

  test('a tool call arrives whole, with its arguments, both ways', async () => {
    const input = { path: 'src/été "q".ts', line: 42 };
    fake.answers(say([], { toolCalls: [{ id: 'call_1', name: 'read_file', input }] }));
    const reply = await calling(false);
    if (reply.type !== 'json') throw new Error('no JSON');
    const argumentsOf = (slots: readonly { readonly kind: string; readonly text: string }[]) =>
      slots
        .filter((slot) => slot.kind === 'tool_arguments')
        .map(({ text }) => text)
        .join('');
    const collector = dialect.collector();
    for (const event of await read(await calling(true))) collector.add(event);
    for (const whole of [reply.body, collector.reply()!]) {
      expect(JSON.stringify(whole)).toContain('read_file');
      const text = argumentsOf(dialect.replyTexts(whole));
      if (dialect.name === 'openai') expect(JSON.parse(text)).toEqual(input);
      else
        expect(whole.content).toContainEqual(expect.objectContaining({ type: 'tool_use', name: 'read_file', input }));
    }
  });

  test('the first event is handed over before the second has come', async () => {
    const rest = Promise.withResolvers<void>();
    const [first, second, ...others] = piecesOf(kind, { text: ['one', 'two'] });
    // Some kinds open with an event that says nothing.
    fake.answers(stream([first!, second!, rest.promise, ...others]));
    const events = eventsOf(await calling(true))[Symbol.asyncIterator]();
    await events.next();
    rest.resolve();
    let count = 1;
    while (!(await events.next()).done) count++;
    expect(count).toBeGreaterThan(2);
  });

  test('[auth.provider-keys] the key is read at call time, sent as the kind wants it, and nowhere else', async () => {
    fake.answers(say());
    const reply = await calling(false);
    const [request] = fake.requests;
    expect(request!.headers[keyHeader[0]]).toBe(keyHeader[1]);
    expect(JSON.stringify(request!.body)).not.toContain(key);
    expect(JSON.stringify(reply)).not.toContain(key);
    secrets.set('PROVIDER_KEY', 'another-key\n');
    await calling(false);
    secrets.set('PROVIDER_KEY', key);
    expect(fake.requests[1]!.headers[keyHeader[0]]).toBe(keyHeader[1].replace(key, 'another-key'));
  });

  test('[auth.provider-keys] a key the provider echoes is withheld, wherever it stands', async () => {
    const told = await answering(refuse(kind, 400, `bad key ${key} in request`));
    expect(told.told).toBe('bad key [withheld] in request');
    const logged = await answering(refuse(kind, 503, `key ${key} is overloaded`));
    expect(logged.message).toContain('overloaded');
    for (const fault of [told, logged]) expect(`${fault.message} ${fault.stack}`).not.toContain(key);
  });

  test('an entry that names a secret which is not there is unavailable; one that is disabled too', async () => {
    await expect(faultOf(calling(false, {}, { api_key_env: 'NO_SUCH_KEY' }))).resolves.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('NO_SUCH_KEY'),
    });
    await expect(faultOf(calling(false, {}, { enabled: false }))).resolves.toMatchObject({ kind: 'unavailable' });
  });

  test('trace headers travel on', async () => {
    if (type === 'bedrock') return; // signed by the SDK, which has trace headers of its own
    fake.answers(say());
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await calling(false, { headers: { traceparent, tracestate: 'a=b', cookie: 'secret=1' } });
    expect(fake.requests[0]!.headers).toMatchObject({ traceparent, tracestate: 'a=b' });
    expect(fake.requests[0]!.headers).not.toHaveProperty('cookie');
  });

  test('[chat.provider-error] a refusal keeps status and Retry-After; what is about the request is passed on, the rest is not', async () => {
    const limited = await answering(refuse(kind, 429, 'slow down', { 'retry-after': '7' }));
    expect(limited).toMatchObject({ kind: 'status', status: 429, retryAfterSeconds: 7, told: undefined });
    const bad = await answering(refuse(kind, 400, `max_tokens\n is ${'too large '.repeat(100)}`));
    expect(bad).toMatchObject({ kind: 'status', status: 400, told: expect.stringMatching(/^max_tokens is too large/) });
    expect(bad.told!.length).toBeLessThanOrEqual(500);
    expect(bad.message).not.toContain('too large');
    await expect(answering(refuse(kind, 500))).resolves.toMatchObject({ status: 500, told: undefined });
  });

  test('a redirect is not followed', async () => {
    const moved = body([], { status: 302, headers: { location: `${fake.url}/elsewhere` } });
    await expect(answering(moved)).resolves.toMatchObject({ kind: 'status', status: 302 });
    expect(fake.requests).toHaveLength(1);
  });

  test.each([
    ['HTML', html()],
    ['an error under a status of success', jsonReply({ error: { message: 'no', type: 'api_error' } })],
    ['truncated JSON', truncatedJson()],
    ['JSON cut off with its connection', cutJson()],
    ['JSON that is no object', jsonReply(['hello'])],
    ['an object without a reply', jsonReply({ object: 'list', data: [] })],
    ['nothing', body([])],
  ])('[chat.provider-error] %s is garbage', async (_title, reply) => {
    await expect(answering(reply)).resolves.toMatchObject({ kind: 'garbage' });
  });

  test.each([
    ['HTML', html()],
    ['one JSON document with an error', jsonReply({ error: { message: 'overloaded' } })],
    ['bytes of another protocol', stream(['hello, I am not a stream\n\n'])],
    ['no event at all', stream([])],
  ])('[chat.provider-error] %s instead of a stream is no answer', async (_title, reply) => {
    const fault = await answering(reply, true);
    expect(['garbage', 'broken']).toContain(fault.kind);
  });

  test('[chat.provider-error] a stream whose connection breaks, or that ends without its end, is broken', async () => {
    const pieces = piecesOf(kind, { text: ['one', 'two'] });
    const cut = pieces.slice(0, 2);
    for (const ending of ['break', 'end'] as const) {
      fake.answers(stream(cut, ending));
      const reply = await calling(true);
      await expect(faultOf(read(reply))).resolves.toMatchObject({ kind: 'broken' });
    }
  });

  test('[chat.provider-error] an error within a stream is broken, and what came before it is given first', async () => {
    const pieces = piecesOf(kind, { text: ['one', 'two'] });
    const error =
      kind === 'bedrock'
        ? { event: { internalServerException: { message: 'no' } } }
        : { event: { type: 'error', error: { type: 'api_error', message: 'no' } } };
    fake.answers(stream([...pieces.slice(0, 2), error]));
    const seen: JsonObject[] = [];
    const reply = await calling(true);
    const reading = async () => {
      for await (const event of eventsOf(reply)) seen.push(event);
    };
    await expect(faultOf(reading())).resolves.toMatchObject({ kind: 'broken' });
    expect(seen.length).toBeGreaterThan(0);
  });

  test('[chat.provider-overload] a limit or an overload within a stream, or under a status of success, keeps its status', async () => {
    const error =
      kind === 'bedrock'
        ? { event: { throttlingException: { message: 'too many' } } }
        : { event: { type: 'error', error: { type: 'rate_limit_error', message: 'too many' } } };
    fake.answers(stream([...piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2), error]));
    await expect(faultOf(read(await calling(true)))).resolves.toMatchObject({ kind: 'status', status: 429 });
    if (kind === 'bedrock') return;
    const whole = await answering(jsonReply({ error: { message: 'busy', type: 'overloaded_error' } }));
    expect(whole).toMatchObject({ kind: 'status', status: 529 });
  });

  test('a provider that never answers, or falls silent within its stream, times out', async () => {
    await expect(answering(silent, false, { timeout_ms: 400 })).resolves.toMatchObject({ kind: 'timeout' });
    fake.answers(stream(piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2), 'open'));
    expect(await silenceAfter(1)).toMatchObject({ kind: 'timeout' });
    await (await fake.request(0)).closed;
  });

  /** What keeps a connection of the kind alive, and is no event. */
  const keepAlive: Written = {
    openai: ': keep-alive\n\n',
    anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
    ollama: '\n',
    bedrock: { event: { contentBlockDelta: { contentBlockIndex: 0, delta: {} } } },
  }[kind];

  test('[chat.provider-keep-alive] a stream of nothing but keep-alives times out, before its first event and after', async () => {
    for (const before of [[], piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2)]) {
      fake.answers(endless(keepAlive, before));
      expect(await silenceAfter(before.length === 0 ? 0 : 1)).toMatchObject({
        kind: 'timeout',
        message: expect.stringContaining('no event within 60000 ms'),
      });
      await (await fake.request()).closed;
    }
  });

  test('[chat.provider-keep-alive] a reply that never comes to its end times out, and so does the body of a refusal', async () => {
    const timeouts = woundTimeouts();
    const patient = withTimeouts(timeouts);
    const cut = async (status: number, ms: number) => {
      fake.answers(body(['{"a":'], { status, ending: 'open' }));
      const failed = faultOf(calling(false, {}, { timeout_ms: minute }, patient));
      const { closed } = await fake.request();
      await timeouts.armed(ms);
      timeouts.pass(ms);
      await closed;
      expect(timeouts.size).toBe(0);
      return failed;
    };
    const isBedrock = kind === 'bedrock'; // its SDK hands over whole answers: what is bounded is both waits together
    await expect(cut(200, isBedrock ? 2 * minute : minute)).resolves.toMatchObject({ kind: 'timeout' });
    if (!isBedrock) await expect(cut(429, minute)).resolves.toMatchObject({ kind: 'status', status: 429 });
  });

  test('a connection that is reset or refused is unreachable', async () => {
    await expect(answering(reset)).resolves.toMatchObject({ kind: 'unreachable' });
    const gone = await startFakeProvider({ kind });
    await gone.stop();
    await expect(faultOf(calling(false, {}, { base_url: gone.baseUrl }))).resolves.toMatchObject({
      kind: 'unreachable',
    });
  });

  test('an abort closes the connection, whether a reply, a first event or the next one is awaited', async () => {
    for (const [reply, streams] of [
      [silent, false],
      [silent, true],
      [stream(piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2), 'open'), true],
    ] as const) {
      fake.answers(reply);
      const leaving = new AbortController();
      const working = faultOf(
        calling(streams, { signal: leaving.signal }).then((answer) => (answer.type === 'stream' ? read(answer) : [])),
      );
      const request = await fake.request();
      leaving.abort();
      await request.closed;
      await expect(working).resolves.toMatchObject({ kind: 'aborted' });
    }
  });

  test('a reader that leaves an endless stream closes it', async () => {
    const [opening] = piecesOf(kind, { text: ['one'] });
    const forever = kind === 'bedrock' ? stream([opening!, opening!], 'open') : endless(`${encoded(opening!)}`);
    fake.answers(forever);
    const reply = await calling(true);
    let read = 0;
    for await (const _event of eventsOf(reply)) if (++read === 1) break;
    await (await fake.request()).closed;
  });

  /** An event of a text protocol, as its fake writes it. */
  const encoded = (piece: unknown): string => {
    const { event } = piece as { event: { type?: string } };
    if (kind === 'ollama') return `${JSON.stringify(event)}\n`;
    return `event: ${event.type ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`;
  };

  test('connections are kept for the next call, after replies and after streams', async () => {
    const own = await startFakeProvider({ kind });
    for (const streams of [false, true, false, true]) {
      const reply = await calling(streams, {}, { base_url: own.baseUrl });
      if (reply.type === 'stream') await read(reply);
    }
    expect(own.requests).toHaveLength(4);
    expect(own.connections()).toBeLessThanOrEqual(2);
    await own.stop();
  });
});
