/** Endpoints other than chat: the behaviour they all share, and multipart requests. */
import type { HttpEvent } from '#core/contracts/http.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { withBytes } from '#lambdas/middleware/body.ts';
import { caller, eventTo } from '../support/call-endpoint.ts';
import { jsonReply } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway } from '../support/provider-gateway.ts';
import { post, recordsOf } from './endpoint-gateway.ts';

/**
 * Other model endpoints (completions, images, audio, moderation): the same governance as for chat, and a provider that
 * supports them.
 */
describe('all endpoints', () => {
  const samples = {
    completions: { model: 'mock', prompt: 'hello' },
    moderations: { model: 'mock', input: 'hello' },
    'images/generations': { model: 'mock', prompt: 'hello' },
  };
  describe.each(Object.entries(samples))('[passthrough.governed] /v1/%s', (path, sample) => {
    const field = 'input' in sample ? 'input' : 'prompt';
    const operation = path.replace('/', '.');

    test('gets a response and is recorded', async () => {
      const { status, body } = await post(path, sample, { session: `s-${operation}` });
      expect({ status, body }).toMatchObject({ status: 200 });
      expect(await recordsOf(`s-${operation}`)).toMatchObject([
        { operation, outcome: 'completed', decision: 'allow', provider: 'mock', model: 'mock' },
      ]);
    });

    test.each([
      ['its text', { [field]: 'tell me about Project Bluebird' }],
      ['another member', { user: 'project bluebird' }],
      ['a member inside another', { metadata: { note: ['project bluebird'] } }],
    ])('a filter blocks words in %s', async (_, over) => {
      const refused = await post(path, { ...sample, ...over });
      expect(refused).toMatchObject({ status: 403, body: { error: { type: 'policy_violation' } } });
      expect((await post(path, { ...sample, [field]: 'tell me about birds' })).status).toBe(200);
    });

    test.each([
      ['no key', undefined, {}, 401],
      ['a viewer', keys.viewer, {}, 403],
      ['a model the tenant may not use', 'strict-key', { model: 'mock-other' }, 403],
      ['a body above the limit', 'strict-key', { user: 'x'.repeat(3000) }, 413],
      ['a model of a provider without the endpoint', keys.agent, { model: 'claude-x' }, 404],
      ['a model nobody serves', keys.agent, { model: 'none' }, 404],
      ['no text', keys.agent, { [field]: undefined }, 400],
      ['tokens', keys.agent, { [field]: [1, 2, 3] }, 400],
      ['a stream', keys.agent, { stream: true }, 400],
      ['messages', keys.agent, { messages: [{ role: 'user', content: 'project bluebird' }] }, 400],
    ] as const)('%s is refused', async (_, key, over, status) => {
      const answer = await caller(gateway.ports)('POST', `/v1/${path}`, {
        ...(key !== undefined && { key }),
        body: { ...sample, ...over },
      });
      expect({ status: answer.status, message: answer.body.error?.message }).toEqual({
        status,
        message: expect.stringMatching(/\w/),
      });
    });
  });
  test('[passthrough.governed] the provider gets the request unchanged except for redaction, without a system prompt', async () => {
    const choice = { text: 'write eve@example.com', index: 0, logprobs: { tokens: ['eve@'] } };
    fake.answers(jsonReply({ choices: [choice, { ...choice, index: 1 }] }));
    const asked = {
      model: 'theirs-1',
      prompt: ['to bob@example.com', 'two'],
      max_tokens: 7,
      suffix: 'cc amy@example.com',
    };
    const { status, body } = await post('completions', asked);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/eve@/);
    const sent = await fake.request();
    expect(sent.path).toBe('/v1/completions');
    expect(sent.body).toMatchObject({ model: 'theirs-1', max_tokens: 7 });
    expect(Object.keys(sent.body).sort()).toEqual(['max_tokens', 'model', 'prompt', 'suffix']);
    expect(sent.body.prompt).toHaveLength(2);
    expect(JSON.stringify(sent.body)).not.toMatch(/bob@|amy@|Be kind/);
  });
  test('[passthrough.governed] a response that a filter blocks does not reach the caller', async () => {
    fake.answers(
      jsonReply({ created: 1, data: [{ url: 'https://x.example/1', revised_prompt: 'the Top Secret plan' }] }),
    );
    const blocked = await post('images/generations', { model: 'theirs-1', prompt: 'a plan' });
    expect(blocked).toMatchObject({ status: 403, body: { error: { type: 'policy_violation' } } });
    fake.answers(jsonReply({ created: 1, data: [{ b64_json: 'AAAA', revised_prompt: 'a plan' }] }));
    expect((await post('images/generations', { model: 'theirs-1', prompt: 'a plan' })).status).toBe(200);
  });
  test.each(Object.entries(samples))(
    '[passthrough.governed] a reply that does not match /v1/%s is a provider error',
    async (path, sample) => {
      fake.answers(jsonReply({ hello: 'there' }));
      const { status, body } = await post(path, { ...sample, model: 'theirs-1' });
      expect({ status, type: body.error.type }).toEqual({ status: 502, type: 'provider_error' });
    },
  );
  test('[passthrough.governed] moderations accept image parts and do not need a model', async () => {
    const { status } = await post('moderations', {
      input: [
        { type: 'text', text: 'hello' },
        { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
      ],
    });
    expect(status).toBe(200);
    const blocked = await post('moderations', { input: [{ type: 'text', text: 'project bluebird' }] });
    expect(blocked.status).toBe(403);
  });
  describe('[passthrough.governed]', () => {
    const spent = async () => {
      const { body } = await caller(gateway.ports)('GET', '/admin/v1/budgets', { key: 'paid-viewer' });
      return body.statuses[0].spent_usd as number;
    };

    test('the counts reported by the provider are charged; without them, the reservation is charged', async () => {
      const before = await spent();
      await post('completions', samples.completions, { key: 'paid-key', session: 'paid' });
      const counted = await spent();
      expect(counted).toBeGreaterThan(before);
      expect(counted - before).toBeLessThan(0.001);
      await post(
        'images/generations',
        { ...samples['images/generations'], n: 2 },
        { key: 'paid-key', session: 'paid' },
      );
      // 2 pictures of 4,096 tokens each at 10 USD per million.
      expect((await spent()) - counted).toBeGreaterThanOrEqual(0.08);
    });

    test('a call with an unknown price is refused only if there is a budget', async () => {
      const asked = { model: 'mock-unpriced', prompt: 'a cat' };
      expect(await post('images/generations', asked, { key: 'paid-key', session: 'paid' })).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringMatching(/price of the model "mock-unpriced" is not known/) } },
      });
      expect((await post('images/generations', asked)).status).toBe(200);
    });
  });
  test.each([
    ['an endpoint of the function', '/v1/moderations', keys.agent, 200],
    ['a path that nothing has', '/v1/uploads', keys.agent, 404],
    ['a path that another function has', '/v1/models', keys.agent, 404],
    ['no key', '/v1/moderations', undefined, 401],
  ])('[admin.routes] on AWS, %s behind the /v1 proxy route gets its usual response', async (_, path, key, status) => {
    const event = { ...eventTo('POST', '/v1/moderations', { ...(key && { key }), body: samples.moderations }), path };
    const proxied = { ...event, resource: '/v1/{proxy+}', pathParameters: { proxy: path.slice(4) } } as HttpEvent;
    const reply = await chatHandlers(gateway.ports)['chat-completions']!(proxied, { awsRequestId: 'r' });
    await reply.finished;
    expect(reply.statusCode).toBe(status);
  });
});

/** Endpoints that accept forms with files. */
describe('forms of requests', () => {
  /** Sends a form as a host passes it on: as raw bytes. */
  async function send(
    path: string,
    form: FormData | Buffer,
    { key = keys.agent, type = '', session = 'endpoints' } = {},
  ) {
    const made = form instanceof FormData ? new Response(form) : undefined;
    const bytes = made ? Buffer.from(await made.arrayBuffer()) : (form as Buffer);
    const headers = { 'content-type': made?.headers.get('content-type') ?? type, 'x-session-id': session };
    const event: HttpEvent = withBytes(eventTo('POST', `/v1/${path}`, { key, headers }), bytes);
    const reply = await chatHandlers(gateway.ports)['chat-completions']!(event, { awsRequestId: 'r' });
    await reply.finished;
    return { status: reply.statusCode, body: JSON.parse(reply.body as string) as Loose };
  }
  function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return form;
  }
  const wav = () =>
    new File([Buffer.from([0x52, 0x49, 0x46, 0x46, 0, 255, 254, 128])], 'talk.wav', { type: 'audio/wav' });
  const forms = ['audio/transcriptions', 'audio/translations', 'images/edits'] as const;
  describe('[passthrough.forms]', () => {
    test.each(forms)('/v1/%s forwards the file byte for byte and redacts the form fields', async (path) => {
      fake.answers(jsonReply({ text: 'heard', data: [{ b64_json: 'AAAA' }] }));
      const file = path === 'images/edits' ? 'image' : 'file';
      const session = `f-${path.replace('/', '.')}`;
      const form = formOf({ [file]: wav(), model: 'theirs-1', prompt: 'by ann@example.com', temperature: '0.2' });
      const { status, body } = await send(path, form, { session });
      expect({ status, body }).toMatchObject({ status: 200 });
      const sent = await fake.request();
      expect(sent.path).toBe(`/v1/${path}`);
      expect(sent.body).toMatchObject({
        model: 'theirs-1',
        temperature: '0.2',
        [file]: {
          name: 'talk.wav',
          type: 'audio/wav',
          base64: Buffer.from(await wav().arrayBuffer()).toString('base64'),
        },
      });
      expect(sent.body.prompt).not.toContain('ann@');
      expect(Object.keys(sent.body).sort()).toEqual([file, 'model', 'prompt', 'temperature'].sort());
      expect(await recordsOf(session)).toMatchObject([{ operation: path.replace('/', '.'), outcome: 'completed' }]);
    });

    test('two files with the same name get two digests in the evidence', async () => {
      const talk = (byte: number) => new File([Buffer.from([byte])], 'talk.wav', { type: 'audio/wav' });
      for (const byte of [1, 2, 1])
        await send('audio/transcriptions', formOf({ file: talk(byte), model: 'mock' }), { session: 'digests' });
      const digests = (await recordsOf('digests')).map(({ request_sha256 }) => request_sha256);
      expect(new Set(digests).size).toBe(2);
    });

    test('a transcript is filtered, and its segments are removed if the text changes', async () => {
      fake.answers(
        jsonReply({ text: 'ask eve@example.com', segments: [{ text: 'ask eve@' }, { text: 'example.com' }] }),
      );
      const { body } = await send('audio/transcriptions', formOf({ file: wav(), model: 'theirs-1' }));
      expect(body.text).toMatch(/^ask /);
      expect(JSON.stringify(body)).not.toMatch(/eve@/);
    });

    test.each([
      ['a blocked word in a field', formOf({ file: wav(), model: 'mock', prompt: 'project bluebird' }), 403],
      ['a blocked word in a file name', formOf({ file: new File(['x'], 'project bluebird.wav'), model: 'mock' }), 403],
      ['a model the tenant may not use', formOf({ file: wav(), model: 'mock-other' }), 403, 'strict-key'],
      [
        'a body above the limit',
        formOf({ file: new File(['x'.repeat(3000)], 'a.wav'), model: 'mock' }),
        413,
        'strict-key',
      ],
      ['no model', formOf({ file: wav() }), 400],
      ['a subtitle file', formOf({ file: wav(), model: 'mock', response_format: 'srt' }), 400],
      ['a stream', formOf({ file: wav(), model: 'mock', stream: 'true' }), 400],
      ['a field that is not a word', formOf({ file: wav(), model: 'mock', ['__proto__']: 'x' }), 400],
    ] as const)('%s is refused', async (_, form, status, key: string = keys.agent) => {
      const answer = await send('audio/transcriptions', form, { key });
      expect({ status: answer.status, message: answer.body.error?.message }).toEqual({
        status,
        message: expect.stringMatching(/\w/),
      });
    });

    test('a duplicate field, JSON, a malformed form and a body that the host converted to text are rejected', async () => {
      const doubled = formOf({ file: wav(), model: 'mock' });
      doubled.append('model', 'mock-other');
      expect(await send('audio/transcriptions', doubled)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringMatching(/model is given more than once/) } },
      });
      const json = await post('audio/transcriptions', { model: 'mock' });
      expect(json).toMatchObject({
        status: 415,
        body: { error: { message: expect.stringMatching(/multipart\/form-data/) } },
      });
      const type = 'multipart/form-data; boundary=x';
      expect(await send('audio/transcriptions', Buffer.from('hello'), { type })).toMatchObject({ status: 400 });
      const text = (bytes: Buffer) =>
        Buffer.concat([
          Buffer.from('--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n'),
          bytes,
          Buffer.from('\r\n--x--'),
        ]);
      expect(await send('audio/transcriptions', text(Buffer.from([0x6d, 0xff])), { type })).toMatchObject({
        status: 400,
        body: { error: { message: 'The field model is not valid UTF-8. Send text encoded in UTF-8.', param: 'model' } },
      });
      expect(await send('audio/transcriptions', text(Buffer.from('modèle')), { type })).toMatchObject({
        body: { error: { message: expect.not.stringMatching(/UTF-8/) } },
      });
      const latin = '--x\r\nContent-Disposition: form-data; name="prompt"\r\nContent-Type: text/plain; charset=latin1';
      expect(await send('audio/transcriptions', Buffer.from(`${latin}\r\n\r\n\xe9\r\n--x--`), { type })).toMatchObject({
        status: 415,
        body: { error: { message: expect.stringMatching(/"latin1".*utf-8/) } },
      });
      const event = eventTo('POST', '/v1/audio/transcriptions', {
        key: keys.agent,
        headers: { 'content-type': type },
        raw: '--x\r\n\ufffd\ufffd',
      });
      const mangled = await chatHandlers(gateway.ports)['chat-completions']!(event, { awsRequestId: 'r' });
      expect(mangled).toMatchObject({ statusCode: 415, body: expect.stringMatching(/itself/) });
    });
  });
});
