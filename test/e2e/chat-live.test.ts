/** What changes while a call runs: keys that are revoked, callers that leave, others that wait for the same answer. */
import { writeFileSync } from 'node:fs';
import { type ChatGateway, eventsOf, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, jsonReply, piecesOf, say, startFakeProvider, stream } from '../support/fake-providers.ts';
import { type Fields, until } from './client.ts';

let fake: FakeProvider;
let gateway: ChatGateway;
/** With a limit there are reservations to count. */
const limited = '    rate_limit: { requests_per_minute: 1000 }\n';
const doomed = `${limited}  - id: doomed
    api_keys: [{ key: doomed-key, name: doomed }, { key: staying-key, name: staying }, { key: third-key, name: third }]
${limited}`;
const rest = () => `  - id: nowhere
    api_keys: [{ key: nowhere-key, name: nowhere }]
    allowed_models: []
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [m]')}
`;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await startChatGateway(doomed + rest());
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

test('a key that is revoked in the middle of a stream ends it within seconds, and not its neighbour’s', async () => {
  const pieces = piecesOf('openai', { text: ['one ', 'two'] });
  const told = Promise.withResolvers<void>();
  fake.answers(stream([...pieces.slice(0, 2), told.promise, ...pieces.slice(2)]));
  const [revoked, kept] = ['doomed-key', 'staying-key'].map((key) =>
    gateway.say('m', key, { key, session: key, body: { stream: true } }),
  );
  const request = await fake.request(0);
  await fake.request(1);
  writeFileSync(gateway.file, gateway.yaml.replace('{ key: doomed-key, name: doomed }, ', ''));
  const { status, text } = await revoked!;
  expect(status).toBe(200);
  const events = eventsOf(text) as Fields[];
  expect(events.at(-1)).toMatchObject({ error: { code: 401, type: 'authentication_error' } });
  expect(text).toContain('one ');
  await request.closed;
  told.resolve();
  expect(eventsOf((await kept!).text).at(-1)).toBe('[DONE]');
  expect(await gateway.records('doomed-key', 'doomed')).toMatchObject([
    { outcome: 'refused', error: 'authentication_error', usage: { output_tokens: 1, estimated: true } },
  ]);
  expect((await gateway.say('m', 'x', { key: 'doomed-key' })).status).toBe(401);
  expect(await gateway.open('doomed')).toBe(0);
});

test('a caller who leaves before the first byte ends the provider’s call', async () => {
  const never = new Promise(() => {});
  fake.answers(stream([never]));
  for (const isStream of [false, true]) {
    const leaving = new AbortController();
    const session = `left-${isStream}`;
    const client = gateway.openai({ defaultHeaders: { 'x-session-id': session } });
    const asked = { model: 'm', messages: [{ role: 'user' as const, content: session }], stream: isStream };
    const answer = client.chat.completions.create(asked, { signal: leaving.signal });
    const request = await fake.request(isStream ? 1 : 0);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await request.closed;
    expect(await gateway.record(session)).toMatchObject({
      outcome: 'aborted',
      status: 499,
      usage: { output_tokens: 0 },
    });
  }
  expect(await gateway.open()).toBe(0);
});

test('[chat.cache] many ask the same at once: the provider is asked once; the first caller may leave', async () => {
  const told = Promise.withResolvers<void>();
  const whole = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'the answer' }, finish_reason: 'stop' }],
  });
  const reply = { ...jsonReply({}), pieces: [told.promise, whole] } as ReturnType<typeof jsonReply>;
  fake.answers(reply);
  const leaving = new AbortController();
  const messages = [{ role: 'user' as const, content: 'the same' }];
  const first = gateway.openai().chat.completions.create({ model: 'm', messages }, { signal: leaving.signal });
  const request = await fake.request(0);
  const others = [1, 2, 3].map(() => gateway.say('m', 'the same'));
  await until('the others', async () => (await gateway.open()) === 4 || undefined);
  leaving.abort();
  await expect(first).rejects.toThrow();
  await request.closed;
  await fake.request(1);
  told.resolve();
  for (const answer of await Promise.all(others)) {
    expect(answer).toMatchObject({ status: 200, body: { choices: [{ message: { content: 'the answer' } }] } });
  }
  expect(fake.requests).toHaveLength(2);
});

test('a tenant that may use no model gets an error that says so', async () => {
  const nothing = await gateway.say('m', 'x', { key: 'nowhere-key' });
  expect(nothing).toMatchObject({ status: 403, body: { error: { type: 'model_not_allowed' } } });
  const { data } = await gateway.openai({ apiKey: 'nowhere-key' }).models.list();
  expect(data).toEqual([]);
});

test('[session.owner] another key’s session is not a place to talk', async () => {
  fake.answers(say());
  const own = await gateway.say('m', 'mine', { key: 'staying-key', session: 'mine' });
  expect(own.status).toBe(200);
  const other = await gateway.say('m', 'mine, too', { key: 'third-key', session: 'mine' });
  expect(other).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
  expect(await gateway.records('mine', 'doomed')).toHaveLength(1);
  expect(await gateway.open('doomed')).toBe(0);
});
