/** The official OpenAI client on the endpoints beside chat, pointed at the gateway and changed in nothing else. */
import type OpenAI from 'openai';
import { toFile } from 'openai';
import { type ChatGateway, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { body, type FakeProvider, jsonReply, startFakeProvider } from '../support/fake-providers.ts';

let fake: FakeProvider;
let gateway: ChatGateway;
let client: OpenAI;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await startChatGateway(`
providers:
  - { name: mock, type: mock, models: [mock, omni-moderation-latest] }
${providerYaml('fake', 'openai', fake.baseUrl, ', models: ["whisper-*", "gpt-*"]')}
policies:
  input: [{ name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }]
`);
  client = gateway.openai();
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

test('[passthrough.governed] completions, moderations and images are answered by the built-in provider', async () => {
  const completion = await client.completions.create({ model: 'mock', prompt: 'hello' });
  expect(completion.choices[0]?.text).toBe('Mock reply to: hello');
  expect((await client.moderations.create({ input: ['hello', 'there'] })).results).toHaveLength(2);
  const images = await client.images.generate({ model: 'mock', prompt: 'a cat', n: 2 });
  expect(images.data?.map(({ b64_json }) => b64_json?.slice(0, 6))).toEqual(['iVBORw', 'iVBORw']);
});

test('[passthrough.forms] a recording reaches the provider with its key, byte for byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256));
  fake.answers(jsonReply({ text: 'hello there' }));
  const asked = { model: 'whisper-1', file: await toFile(bytes, 'talk.mp3'), language: 'en' };
  expect((await client.audio.transcriptions.create(asked)).text).toBe('hello there');
  const { path, headers, body } = await fake.request();
  expect(path).toBe('/v1/audio/transcriptions');
  expect(headers.authorization).toBe(`Bearer ${providerKey}`);
  expect(body).toMatchObject({ model: 'whisper-1', language: 'en', file: { name: 'talk.mp3' } });
  expect(Buffer.from(body.file.base64, 'base64').equals(bytes)).toBe(true);
});

test('[passthrough.forms] an edit of two images is one request with both', async () => {
  fake.answers(jsonReply({ created: 1, data: [{ b64_json: 'AAAA' }] }));
  const image = [await toFile(Buffer.from([137, 80, 1]), 'a.png'), await toFile(Buffer.from([137, 80, 2]), 'b.png')];
  const edited = await client.images.edit({ model: 'gpt-image-1', image, prompt: 'both in one' });
  expect(edited.data?.[0]?.b64_json).toBe('AAAA');
  expect((await fake.request()).body).toMatchObject({ prompt: 'both in one', 'image[]': { name: 'b.png' } });
});

test('[passthrough.speech] speech is the bytes of the provider, under their type', async () => {
  const sound = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 37) % 256));
  fake.answers(body([sound], { headers: { 'content-type': 'audio/mpeg' } }));
  const spoken = await client.audio.speech.create({ model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'hello' });
  expect(spoken.headers.get('content-type')).toBe('audio/mpeg');
  expect(spoken.headers.get('content-length')).toBe('70000');
  expect(Buffer.from(await spoken.arrayBuffer()).equals(sound)).toBe(true);
  expect(await fake.request()).toMatchObject({
    path: '/v1/audio/speech',
    body: { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'hello' },
  });
  const mock = await client.audio.speech.create({ model: 'mock', voice: 'alloy', input: 'hello' });
  expect(
    Buffer.from(await mock.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('RIFF');
});

test('[passthrough.governed] refusals are the errors that the client throws', async () => {
  const blocked = client.images.generate({ model: 'mock', prompt: 'draw Project Bluebird' });
  await expect(blocked).rejects.toMatchObject({ status: 403, type: 'policy_violation' });
  await expect(client.completions.create({ model: 'none', prompt: 'x' })).rejects.toMatchObject({ status: 404 });
  // What the gateway does not serve says what to do.
  await expect(client.uploads.cancel('upload_1')).rejects.toMatchObject({
    status: 404,
    message: expect.stringMatching(/to the provider for (this|its)/),
  });
  await expect(client.responses.retrieve('resp_1')).rejects.toMatchObject({
    status: 404,
    message: expect.stringMatching(/was not found.*set store to false/),
  });
});
