/** Odd answers of providers, large bodies and broken connections, as the official clients see them. */
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { agentKey } from '../support/chat-clients.ts';
import { body, html, jsonReply, piecesOf, stream } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import {
  anthropic,
  anthropicHost,
  failure,
  gateway,
  openai,
  openaiHost,
  toClaude,
  toGpt,
  useOddClients,
  user,
} from '../support/odd-clients.ts';

useOddClients();

describe('[clients.odd-inputs] how providers answer', () => {
  const completion = (content: string) => ({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-x' },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('[provider.encoded-reply] compressed by %s', async (encoding, compress) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    openaiHost.answers(body([compress(JSON.stringify(completion('small')))], { headers }));
    const { data, response } = await openai.chat.completions.create(toGpt()).withResponse();
    expect(data.choices[0]!.message.content).toBe('small');
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  test.each([
    ['byte by byte', (text: string) => Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte))],
    ['with line ends of two characters', (text: string) => [text.replaceAll('\n', '\r\n')]],
    ['after a byte order mark and a comment', (text: string) => [`\ufeff: hello\n\n${text}`]],
  ])('a stream %s', async (_, pieces) => {
    const text = piecesOf('openai', { text: ['Grüße ', '🙂'] })
      .map((piece) => (typeof piece === 'string' ? piece : `data: ${JSON.stringify((piece as Loose).event)}\n\n`))
      .join('');
    openaiHost.answers(stream(pieces(text)));
    const helper = openai.chat.completions.stream(toGpt());
    expect((await helper.finalChatCompletion()).choices[0]!.message.content).toBe('Grüße 🙂');
  });

  test.each([
    ['a page instead of an answer', html(200), 502, 'api_error'],
    ['a page with its error', html(502), 502, 'api_error'],
    ['nothing', body([''], {}), 502, 'api_error'],
    ['nothing with its error', body([''], { status: 500 }), 502, 'api_error'],
    ['no content', body([], { status: 204 }), 502, 'api_error'],
    ['a list', jsonReply([1]), 502, 'api_error'],
    ['null', jsonReply(null), 502, 'api_error'],
    ['an error under status 200', jsonReply({ error: { message: 'quota' } }), 502, 'api_error'],
    ['a refusal without words', body([''], { status: 400 }), 400, 'invalid_request_error'],
    ['a refusal as a page', html(400), 400, 'invalid_request_error'],
    [
      'its limit as text',
      body(['slow'], { status: 429, headers: { 'content-type': 'text/plain' } }),
      429,
      'rate_limit_error',
    ],
    ['a key it does not take', body([''], { status: 401 }), 502, 'api_error'],
  ])('%s is an error of both clients, whole or streamed, with a request id', async (_, reply, status, type) => {
    openaiHost.answers(reply);
    anthropicHost.answers(reply);
    const classes = { 400: 'BadRequestError', 429: 'RateLimitError', 502: 'InternalServerError' } as Loose;
    for (const streamed of [false, true]) {
      const ours = await failure(openai.chat.completions.create(toGpt({ stream: streamed })));
      const theirs = await failure(anthropic.messages.create(toClaude({ stream: streamed })));
      expect([ours.constructor.name, theirs.constructor.name]).toEqual([classes[status], classes[status]]);
      expect(ours).toMatchObject({ status, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(theirs).toMatchObject({ status, type, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    }
  });
});

describe('[clients.odd-inputs] bodies and connections', () => {
  test('two megabytes pass; above the limit both clients throw 413 with a request id', async () => {
    const long = await openai.chat.completions.create(toGpt({ messages: user('x'.repeat(2_000_000)) }));
    expect(long.choices[0]!.message.content).toBe('Hello');
    const messages = user('x'.repeat(10_500_000));
    const ours = await failure(openai.chat.completions.create(toGpt({ messages })));
    const theirs = await failure(anthropic.messages.create(toClaude({ messages })));
    expect(ours).toMatchObject({ status: 413, type: 'payload_too_large', requestID: expect.any(String) });
    expect(theirs).toMatchObject({ status: 413, type: 'request_too_large', requestID: expect.any(String) });
  });

  test('half a character is refused with what to send', async () => {
    const refused = await failure(openai.chat.completions.create(toGpt({ messages: user('a\ud800b') })));
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('lone surrogate') });
  });

  test.each([
    ['a character set', 'application/json; charset=UTF-8', 200],
    ['parameters in quotes', 'application/json; profile="a;b"; charset="utf-8"', 200],
    ['another type', 'text/plain', 415],
    ['a type of its own', 'application/vnd.api+json', 415],
  ])('a content type with %s', async (_, type, status) => {
    const answer = await gateway.post('/v1/chat/completions', {
      raw: `\ufeff${JSON.stringify(toGpt())}`,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(status);
  });

  test('a client of HTTP/1.0 gets its answer and the end of the connection', async () => {
    const { hostname, port } = new URL(gateway.ready.gateway_url);
    const sent = JSON.stringify(toGpt());
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST /v1/chat/completions HTTP/1.0\r\nX-API-Key: ${agentKey}\r\nContent-Type: application/json\r\nContent-Length: ${sent.length}\r\nHost: ${hostname}:${port}\r\n\r\n${sent}`,
        ),
      );
      socket.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/"content":"Hello"/);
    expect(answer).not.toMatch(/transfer-encoding: chunked/i);
  });
});
