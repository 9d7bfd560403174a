/** `/v1/audio/speech`: the text is governed, and the audio passes unchanged. */
import type { HttpReply } from '#core/contracts/http.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { eventTo } from '../support/call-endpoint.ts';
import { body, jsonReply } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

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
  test.each(['audio/mpeg', 'audio/wav; rate=8000', 'application/octet-stream'])('%s passes unchanged', async (type) => {
    answers(type);
    const reply = await speak({ instructions: 'to bob@example.com' });
    expect(reply).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(reply.headers['content-type']).toBe(type.split(';')[0]);
    expect(Buffer.from(reply.text, 'base64').equals(sound)).toBe(true);
    const sent = await fake.request();
    expect(sent.body).toMatchObject(sample);
    expect(sent.body.instructions).not.toContain('bob@');
  });

  test.each([
    ['a text that no request may hold', { input: 'tell of Project Bluebird' }, 403],
    ['instructions that no request may hold', { instructions: 'as in project bluebird' }, 403],
    ['no text', { input: undefined }, 400],
    ['several texts', { input: ['one', 'two'] }, 400],
    ['events', { stream_format: 'sse' }, 400],
    ['a model of a provider without it', { model: 'claude-x' }, 404],
  ])('%s: refused before the provider is asked', async (_, over, status) => {
    const { statusCode, text, isBase64Encoded } = await speak(over);
    expect({ statusCode, isBase64Encoded }).toEqual({ statusCode: status });
    expect(JSON.parse(text).error.message).toMatch(/\w/);
  });

  test('a review is answered as JSON and held for a person', async () => {
    const { statusCode, text } = await speak({ input: 'the quarterly numbers' });
    expect({ statusCode, ...JSON.parse(text) }).toMatchObject({ statusCode: 202, status: 'pending_approval' });
  });

  test.each([
    ['blocks', 'the Top Secret plan'],
    ['would redact', 'call +1 415 555 2671 now'],
  ])('a call that a filter of replies %s is refused before the provider is called', async (_, input) => {
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
  ])('%s is a fault of the provider', async (_, reply) => {
    fake.answers(reply);
    const { statusCode, text } = await speak();
    expect({ statusCode, type: JSON.parse(text).error.type }).toEqual({ statusCode: 502, type: 'provider_error' });
  });

  test('no key: refused', async () => {
    expect((await speak({}, '')).statusCode).toBe(401);
  });
});
