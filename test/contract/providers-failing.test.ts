/** Everything that can fail at a provider, over real HTTP: refusals, broken streams, silence, lost connections. */
import type { JsonObject } from '#core/kernel/json.ts';
import {
  body,
  cutJson,
  endless,
  html,
  jsonReply,
  piecesOf,
  refuse,
  reset,
  silent,
  startFakeProvider,
  stream,
  truncatedJson,
} from '../support/fake-providers.ts';
import type { Written } from '../support/fake-providers-forms.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';
import { key, kinds, minute, useProviderKind } from './provider-kinds.ts';

describe.each(kinds)('$title', (each) => {
  const { fake: kind } = each;
  const host = useProviderKind(each);
  const { withTimeouts, calling, faultOf, answering, eventsOf, read, silenceAfter } = host;

  test('[chat.provider-error] a refusal keeps its status and Retry-After; its message is passed on only if it is about the request', async () => {
    const limited = await answering(refuse(kind, 429, 'slow down', { 'retry-after': '7' }));
    expect(limited).toMatchObject({ kind: 'status', status: 429, retryAfterSeconds: 7, shown: undefined });
    const date = new Date(Date.now() + 60_000).toUTCString();
    const dated = await answering(refuse(kind, 429, 'slow down', { 'retry-after': date }));
    expect(dated.retryAfterSeconds).toBeGreaterThan(30);
    const precise = await answering(refuse(kind, 429, 'slow down', { 'retry-after-ms': '1500' }));
    expect(precise.retryAfterSeconds).toBe(2);
    const bad = await answering(refuse(kind, 400, `max_tokens\n is ${'too large '.repeat(100)}`));
    expect(bad).toMatchObject({
      kind: 'status',
      status: 400,
      shown: expect.stringMatching(/^max_tokens is too large/),
    });
    expect(bad.shown!.length).toBeLessThanOrEqual(500);
    expect(bad.message).not.toContain('too large');
    await expect(answering(refuse(kind, 500))).resolves.toMatchObject({ status: 500, shown: undefined });
  });

  if (kind === 'openai' || kind === 'anthropic')
    test("[chat.provider-error] a provider's code is kept if it looks like one", async () => {
      const codeOf = async (code: unknown, inArray = false) => {
        const refusal = { error: { code, message: 'too long' } };
        const { code: kept, shown } = await answering(jsonReply(inArray ? [refusal] : refusal, 400));
        return [kept, shown];
      };
      expect(await codeOf('context_length_exceeded')).toEqual(['context_length_exceeded', 'too long']);
      // Gemini sends errors in an array.
      expect(await codeOf('context_length_exceeded', true)).toEqual(['context_length_exceeded', 'too long']);
      for (const code of [400, null, '400', 'two words', `refused_${key}`, 'x'.repeat(65)])
        expect(await codeOf(code)).toEqual([undefined, 'too long']);
    });

  test('a redirect is not followed', async () => {
    const moved = body([], { status: 302, headers: { location: `${host.fake.url}/elsewhere` } });
    await expect(answering(moved)).resolves.toMatchObject({ kind: 'status', status: 302 });
    expect(host.fake.requests).toHaveLength(1);
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
  ])('[chat.provider-error] %s in place of a stream is refused', async (_title, reply) => {
    const fault = await answering(reply, true);
    expect(['garbage', 'broken']).toContain(fault.kind);
  });

  if (kind === 'openai')
    test('[chat.provider-error] a stream that consists only of an end event is garbage', async () => {
      expect(await answering(stream(['data: [DONE]\n\n']), true)).toMatchObject({
        kind: 'garbage',
        message: expect.stringContaining('without events'),
      });
    });

  test('[chat.provider-error] a stream is broken if its connection drops or it stops without an end event', async () => {
    const pieces = piecesOf(kind, { text: ['one', 'two'] });
    const cut = pieces.slice(0, 2);
    for (const ending of ['break', 'end'] as const) {
      host.fake.answers(stream(cut, ending));
      const reply = await calling(true);
      await expect(faultOf(read(reply))).resolves.toMatchObject({ kind: 'broken' });
    }
  });

  test('[chat.provider-error] an error within a stream breaks the stream, but earlier events are delivered', async () => {
    const pieces = piecesOf(kind, { text: ['one', 'two'] });
    const error =
      kind === 'bedrock'
        ? { event: { internalServerException: { message: 'no' } } }
        : { event: { type: 'error', error: { type: 'api_error', message: 'no' } } };
    host.fake.answers(stream([...pieces.slice(0, 2), error]));
    const seen: JsonObject[] = [];
    const reply = await calling(true);
    const reading = async () => {
      for await (const event of eventsOf(reply)) seen.push(event);
    };
    await expect(faultOf(reading())).resolves.toMatchObject({ kind: 'broken' });
    expect(seen.length).toBeGreaterThan(0);
  });

  test('[chat.provider-error] a rate limit or an overload keeps its status, even within a stream or when sent with a success status', async () => {
    const error =
      kind === 'bedrock'
        ? { event: { throttlingException: { message: 'too many' } } }
        : { event: { type: 'error', error: { type: 'rate_limit_error', message: 'too many' } } };
    host.fake.answers(stream([...piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2), error]));
    await expect(faultOf(read(await calling(true)))).resolves.toMatchObject({ kind: 'status', status: 429 });
    if (kind === 'bedrock') return;
    const whole = await answering(jsonReply({ error: { message: 'busy', type: 'overloaded_error' } }));
    expect(whole).toMatchObject({ kind: 'status', status: 529 });
  });

  test('a provider that never responds, or goes silent mid-stream, times out', async () => {
    await expect(answering(silent, false, { timeout_ms: 400 })).resolves.toMatchObject({ kind: 'timeout' });
    host.fake.answers(stream(piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2), 'open'));
    expect(await silenceAfter(1)).toMatchObject({ kind: 'timeout' });
    await (await host.fake.request(0)).closed;
  });

  /** Bytes that keep a connection of this kind alive without being an event. */
  const keepAlive: Written = {
    openai: ': keep-alive\n\n',
    anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
    ollama: '\n',
    bedrock: { event: { contentBlockDelta: { contentBlockIndex: 0, delta: {} } } },
  }[kind];

  test('[chat.provider-error] a stream that sends only keep-alives times out, both before its first event and after it', async () => {
    for (const before of [[], piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2)]) {
      host.fake.answers(endless(keepAlive, before));
      expect(await silenceAfter(before.length === 0 ? 0 : 1)).toMatchObject({
        kind: 'timeout',
        message: expect.stringContaining('no event within 60000 ms'),
      });
      await (await host.fake.request()).closed;
    }
  });

  test('[chat.provider-error] a response that never ends times out, and so does the body of a refusal', async () => {
    const timeouts = woundTimeouts();
    const patient = withTimeouts(timeouts);
    const cut = async (status: number, ms: number) => {
      host.fake.answers(body(['{"a":'], { status, ending: 'open' }));
      const failed = faultOf(calling(false, {}, { timeout_ms: minute }, patient));
      const { closed } = await host.fake.request();
      await timeouts.armed(ms);
      timeouts.pass(ms);
      await closed;
      expect(timeouts.size).toBe(0);
      return failed;
    };
    const isBedrock = kind === 'bedrock'; // its SDK returns whole responses: both waits together are limited
    await expect(cut(200, isBedrock ? 2 * minute : minute)).resolves.toMatchObject({ kind: 'timeout' });
    if (!isBedrock) await expect(cut(429, minute)).resolves.toMatchObject({ kind: 'status', status: 429 });
  });

  test('a connection that is reset or refused counts as unreachable', async () => {
    await expect(answering(reset)).resolves.toMatchObject({ kind: 'unreachable' });
    const gone = await startFakeProvider({ kind });
    await gone.stop();
    await expect(faultOf(calling(false, {}, { base_url: gone.baseUrl }))).resolves.toMatchObject({
      kind: 'unreachable',
    });
  });

  test('an abort closes the connection while a response, the first event or the next event is pending', async () => {
    for (const [reply, streams] of [
      [silent, false],
      [silent, true],
      [stream(piecesOf(kind, { text: ['one', 'two'] }).slice(0, 2), 'open'), true],
    ] as const) {
      host.fake.answers(reply);
      const leaving = new AbortController();
      const working = faultOf(
        calling(streams, { signal: leaving.signal }).then((answer) => (answer.type === 'stream' ? read(answer) : [])),
      );
      const request = await host.fake.request();
      leaving.abort();
      await request.closed;
      await expect(working).resolves.toMatchObject({ kind: 'aborted' });
    }
  });

  test('a reader that abandons an endless stream closes its connection', async () => {
    const [opening] = piecesOf(kind, { text: ['one'] });
    const forever = kind === 'bedrock' ? stream([opening!, opening!], 'open') : endless(`${encoded(opening!)}`);
    host.fake.answers(forever);
    const reply = await calling(true);
    let read = 0;
    for await (const _event of eventsOf(reply)) if (++read === 1) break;
    await (await host.fake.request()).closed;
  });

  /** Encodes an event of a text protocol as its fake writes it. */
  const encoded = (piece: unknown): string => {
    const { event } = piece as { event: { type?: string } };
    if (kind === 'ollama') return `${JSON.stringify(event)}\n`;
    return `event: ${event.type ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`;
  };

  test('connections are reused for the next call, after both whole responses and streams', async () => {
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
