/** The endpoints for embeddings and speech. */

import type { HttpReply } from '#core/contracts/http.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { caller, eventTo } from '../support/call-endpoint.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
import { body, jsonReply } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

/**
 * `/v1/embeddings` through its handler: filters, limits, budgets and evidence as for chat, and a provider that supports
 * embeddings.
 */
describe('embeddings', () => {
  useProviderGateway((baseUrl) => ({
    extra: `
providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["text-embedding-*"] }
  - { name: claude, type: anthropic, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["claude-*"] }
policies:
  input:
    - { name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }
    - { name: no-mail, type: pii, action: redact, entities: [email] }
budgets: { tenants: { elsewhere: { monthly_usd: 0 } } }
transform: { system_prompt_prefix: "Be kind." }
`,
  }));

  const embed = (body: object, session = 'embeddings', key: string = keys.agent) =>
    caller(gateway.ports)('POST', '/v1/embeddings', {
      key,
      headers: { 'x-session-id': session },
      body: { model: 'mock', ...body },
    });

  test('[embeddings.create] returns vectors, identical for identical text, and leaves an entry', async () => {
    const { status, body } = await embed({ input: ['one', 'two', 'one'] }, 'vectors');
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', model: 'mock', usage: { prompt_tokens: 3, total_tokens: 3 } });
    const [one, two, again] = body.data.map(({ embedding }: { embedding: number[] }) => embedding);
    expect(one).toEqual(again);
    expect(one).not.toEqual(two);
    const records = await chatRecordsOf(gateway.ports, 'vectors');
    expect(records).toMatchObject([
      { operation: 'embeddings', outcome: 'completed', provider: 'mock', usage: { input_tokens: 3, output_tokens: 0 } },
    ]);
  });

  test('[embeddings.create] the provider gets the redacted input and the settings, without a system prompt', async () => {
    fake.answers(
      jsonReply({
        object: 'list',
        data: [{ index: 0, embedding: [0.5, 0.5] }],
        model: 'text-embedding-3',
        usage: { prompt_tokens: 7, total_tokens: 7 },
      }),
    );
    const { status, body } = await embed({
      model: 'text-embedding-3',
      input: 'write to eve@example.com',
      dimensions: 2,
    });
    expect(status).toBe(200);
    expect(body.data).toEqual([{ object: 'embedding', index: 0, embedding: [0.5, 0.5] }]);
    const sent = await fake.request();
    expect(sent.body).toMatchObject({ model: 'text-embedding-3', dimensions: 2 });
    expect(JSON.stringify(sent.body)).toContain('write to');
    expect(JSON.stringify(sent.body)).not.toMatch(/eve@example\.com|Be kind/);
  });

  test('[embeddings.create] a filter blocks a request; harmless input passes', async () => {
    const refused = await embed({ input: ['fine', 'about Project Bluebird'] });
    expect(refused.status).toBe(403);
    expect(refused.body.error.type).toBe('policy_violation');
    expect((await embed({ input: ['fine', 'about birds'] })).status).toBe(200);
  });

  test.each([
    ['tokens', { input: [[1, 2, 3]] }, 400, /input\[0\] is not a string/],
    ['no input', {}, 400, /input/],
    ['an empty text', { input: '' }, 400, /input/],
    ['an unknown member', { input: 'x', pooling: 'mean' }, 400, /pooling/],
    ['a model of a provider without embeddings', { input: 'x', model: 'claude-x' }, 404, /embeddings/],
    ['a model nobody serves', { input: 'x', model: 'none' }, 404, /none/],
  ] as const)('[embeddings.create] %s is refused', async (_, body, status, says) => {
    const answer = await embed(body);
    expect({ status: answer.status, message: answer.body.error?.message }).toMatchObject({
      status,
      message: expect.stringMatching(says),
    });
  });

  describe('[embeddings.create] vectors from a provider', () => {
    const vectors = (...all: (number[] | string)[]) =>
      jsonReply({ object: 'list', data: all.map((embedding, index) => ({ index, embedding })), model: 'm', usage: {} });
    const base64 = (...numbers: number[]) => Buffer.from(new Float32Array(numbers).buffer).toString('base64');
    const asked = async (reply: ReturnType<typeof jsonReply>, body: object) => {
      fake.answers(reply);
      return embed({ model: 'text-embedding-3', ...body });
    };

    const placed = (...indexes: number[]) =>
      jsonReply({ object: 'list', data: indexes.map((index) => ({ index, embedding: [0.5] })), model: 'm', usage: {} });

    test.each<[string, ReturnType<typeof jsonReply>, object]>([
      ['with places that no text has', placed(5, 9), { input: ['x', 'y'] }],
      ['beyond 32-bit floats', vectors([1e300]), { input: 'x', encoding_format: 'base64' }],
      ['of another length than asked for', vectors(Array(16).fill(0.5)), { input: 'x', dimensions: 5 }],
      ['for one of two texts', vectors([0.5, 0.5]), { input: ['x', 'y'] }],
      ['of different lengths', vectors([0.5, 0.5], [0.5]), { input: ['x', 'y'] }],
      ['without numbers', vectors([]), { input: 'x' }],
      ['in base64 of broken floats', vectors('AAAAPwA='), { input: 'x', encoding_format: 'base64' }],
      ['that are not numbers', vectors(base64(Number.NaN)), { input: 'x' }],
    ])('%s are treated as a provider fault', async (_what, reply, body) => {
      expect(await asked(reply, body)).toMatchObject({ status: 502, body: { error: { type: 'provider_error' } } });
    });

    test('are returned in the requested format, in the order of the inputs', async () => {
      const numbers = await asked(vectors([0.5, 0.25], [1, 0]), { input: ['x', 'y'], encoding_format: 'base64' });
      expect(numbers.body.data.map(({ embedding }: { embedding: string }) => embedding)).toEqual([
        base64(0.5, 0.25),
        base64(1, 0),
      ]);
      const texts = await asked(vectors(base64(0.5, 0.25)), { input: 'x' });
      expect(texts.body.data).toEqual([{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }]);
    });

    test('may arrive in any order', async () => {
      expect(await asked(placed(1, 0), { input: ['x', 'y'] })).toMatchObject({
        status: 200,
        body: { data: [{ index: 0 }, { index: 1 }] },
      });
    });
  });

  test('[embeddings.create] null members are treated as absent, and dimensions are applied', async () => {
    const plain = (await embed({ input: 'one' })).body.data[0].embedding;
    const nulls = { dimensions: null, encoding_format: null };
    expect((await embed({ input: 'one', ...nulls })).body.data[0].embedding).toEqual(plain);
    expect((await embed({ input: 'one', dimensions: 20 })).body.data[0].embedding).toHaveLength(20);
    for (const dimensions of [0, -1, 1.5, '8'])
      expect(await embed({ input: 'one', dimensions })).toMatchObject({
        status: 400,
        body: { error: { param: 'dimensions', message: expect.stringMatching(/allowed: a whole number from 1/) } },
      });
  });
});

/** `/v1/audio/speech`: the text is governed, and the audio passes unchanged. */
describe('speech', () => {
  useProviderGateway((baseUrl) => ({
    extra: `
providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["theirs-*"] }
  - { name: claude, type: anthropic, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["claude-*"] }
policies:
  input:
    - { name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }
    - { name: ask, type: keyword, action: review, keywords: ["quarterly numbers"] }
    - { name: no-mail, type: pii, action: redact, entities: [email] }
  output:
    - { name: no-leak, type: keyword, action: block, keywords: ["top secret"] }
    - { name: hide-phone, type: pii, action: redact, entities: [phone] }
`,
  }));

  const sample = { model: 'theirs-tts', voice: 'alloy', input: 'hello' };
  const sound = Buffer.from([0xff, 0xfb, 0x90, 0, 0xfe, 0x80]);
  const answers = (type = 'audio/mpeg') => fake.answers(body([sound], { headers: { 'content-type': type } }));

  async function speak(over: object = {}, key: string | undefined = keys.agent): Promise<HttpReply & { text: string }> {
    const event = eventTo('POST', '/v1/audio/speech', { ...(key && { key }), body: { ...sample, ...over } });
    const reply = await chatHandlers(gateway.ports)['chat-completions']!(event, { awsRequestId: 'r' });
    await reply.finished;
    return { ...reply, text: reply.body as string };
  }

  describe('[passthrough.governed]', () => {
    test.each(['audio/mpeg', 'audio/wav; rate=8000', 'application/octet-stream'])(
      '%s passes unchanged',
      async (type) => {
        answers(type);
        const reply = await speak({ instructions: 'to bob@example.com' });
        expect(reply).toMatchObject({ statusCode: 200, isBase64Encoded: true });
        expect(reply.headers['content-type']).toBe(type.split(';')[0]);
        expect(Buffer.from(reply.text, 'base64').equals(sound)).toBe(true);
        const sent = await fake.request();
        expect(sent.body).toMatchObject(sample);
        expect(sent.body.instructions).not.toContain('bob@');
      },
    );

    test.each([
      ['a text that no request may hold', { input: 'tell of Project Bluebird' }, 403],
      ['instructions that no request may hold', { instructions: 'as in project bluebird' }, 403],
      ['no text', { input: undefined }, 400],
      ['several texts', { input: ['one', 'two'] }, 400],
      ['events', { stream_format: 'sse' }, 400],
      ['a model of a provider without it', { model: 'claude-x' }, 404],
    ])('%s: refused before the provider is called', async (_, over, status) => {
      const { statusCode, text, isBase64Encoded } = await speak(over);
      expect({ statusCode, isBase64Encoded }).toEqual({ statusCode: status });
      expect(JSON.parse(text).error.message).toMatch(/\w/);
    });

    test('a reviewed request returns JSON and is held for a person', async () => {
      const { statusCode, text } = await speak({ input: 'the quarterly numbers' });
      expect({ statusCode, ...JSON.parse(text) }).toMatchObject({ statusCode: 202, status: 'pending_approval' });
    });

    test.each([
      ['blocks', 'the Top Secret plan'],
      ['would redact', 'call +1 415 555 2671 now'],
    ])('input that a reply filter %s is refused before the provider is called', async (_, input) => {
      const before = fake.requests.length;
      const { statusCode, text } = await speak({ input });
      expect({ statusCode, type: JSON.parse(text).error.type }).toEqual({ statusCode: 403, type: 'policy_violation' });
      expect(fake.requests.length).toBe(before);
    });

    test.each([
      ['JSON', jsonReply({ text: 'hello' })],
      ['an error in JSON', jsonReply({ error: { message: 'no' } })],
      ['a picture', body([sound], { headers: { 'content-type': 'image/png' } })],
      ['no type', body([sound], { headers: {} })],
    ])('%s is treated as a provider fault', async (_, reply) => {
      fake.answers(reply);
      const { statusCode, text } = await speak();
      expect({ statusCode, type: JSON.parse(text).error.type }).toEqual({ statusCode: 502, type: 'provider_error' });
    });

    test('no key: refused', async () => {
      expect((await speak({}, '')).statusCode).toBe(401);
    });
  });
});
