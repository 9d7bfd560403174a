/** `/v1/embeddings` through its handler: filters, limits, budgets and evidence as for chat, and a provider that embeds. */
import { caller } from '../support/call-endpoint.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
import { jsonReply } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

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

test('[embeddings.create] answers vectors, the same for the same text, and leaves an entry', async () => {
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

test('[embeddings.create] the provider gets the texts and settings, redacted, without a system prompt', async () => {
  fake.answers(
    jsonReply({
      object: 'list',
      data: [{ index: 0, embedding: [0.5, 0.5] }],
      model: 'text-embedding-3',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    }),
  );
  const { status, body } = await embed({ model: 'text-embedding-3', input: 'write to eve@example.com', dimensions: 2 });
  expect(status).toBe(200);
  expect(body.data).toEqual([{ object: 'embedding', index: 0, embedding: [0.5, 0.5] }]);
  const sent = await fake.request();
  expect(sent.body).toMatchObject({ model: 'text-embedding-3', dimensions: 2 });
  expect(JSON.stringify(sent.body)).toContain('write to');
  expect(JSON.stringify(sent.body)).not.toMatch(/eve@example\.com|Be kind/);
});

test('[embeddings.create] a filter blocks; a harmless text passes', async () => {
  const refused = await embed({ input: ['fine', 'about Project Bluebird'] });
  expect(refused.status).toBe(403);
  expect(refused.body.error.type).toBe('policy_violation');
  expect((await embed({ input: ['fine', 'about birds'] })).status).toBe(200);
});

test.each([
  ['tokens', { input: [[1, 2, 3]] }, 400, /input\[0\].*text/],
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

describe('[embeddings.create] vectors of a provider', () => {
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
  ])('%s are a fault of the provider', async (_what, reply, body) => {
    expect(await asked(reply, body)).toMatchObject({ status: 502, body: { error: { type: 'provider_error' } } });
  });

  test('come in the requested form, in the order of the texts', async () => {
    const numbers = await asked(vectors([0.5, 0.25], [1, 0]), { input: ['x', 'y'], encoding_format: 'base64' });
    expect(numbers.body.data.map(({ embedding }: { embedding: string }) => embedding)).toEqual([
      base64(0.5, 0.25),
      base64(1, 0),
    ]);
    const texts = await asked(vectors(base64(0.5, 0.25)), { input: 'x' });
    expect(texts.body.data).toEqual([{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }]);
  });

  test('may come in any order', async () => {
    expect(await asked(placed(1, 0), { input: ['x', 'y'] })).toMatchObject({
      status: 200,
      body: { data: [{ index: 0 }, { index: 1 }] },
    });
  });
});

test('[embeddings.create] null members count as absent, and dimensions are applied', async () => {
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
