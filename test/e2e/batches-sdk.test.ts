/** Files and batches with the official OpenAI client, pointed at the gateway and changed in nothing else. */
import { toFile } from 'openai';
import { type ChatGateway, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type BatchAccount, batchAccount } from '../support/fake-batches.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers.ts';

let fake: FakeProvider;
let account: BatchAccount;
let gateway: ChatGateway;

beforeAll(async () => {
  account = batchAccount();
  fake = await startFakeProvider({ kind: 'openai', script: account.script });
  gateway = await startChatGateway(`
      - { key: chat-other-key, role: operator, kind: agent, name: other }
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: ["gpt-*"]')}
policies:
  input: [{ name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }]
  output: [{ name: no-leak, type: keyword, action: block, keywords: ["top secret"] }]
`);
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

const jsonl = (...texts: readonly string[]) =>
  toFile(
    Buffer.from(
      texts
        .map((content, at) =>
          JSON.stringify({
            ...{ custom_id: `call-${at}`, method: 'POST', url: '/v1/chat/completions' },
            body: { model: 'gpt-5', max_tokens: 20, messages: [{ role: 'user', content }] },
          }),
        )
        .join('\n'),
    ),
    'calls.jsonl',
  );

test('[batches.governed] upload, start, results, pages, cancellation and deletion by the client', async () => {
  const client = gateway.openai();
  const file = await client.files.create({ purpose: 'batch', file: await jsonl('one', 'two', 'three') });
  expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'calls.jsonl' });
  expect((await fake.request()).headers.authorization).toBe(`Bearer ${providerKey}`);
  const asked = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  const batch = await client.batches.create({ ...asked, metadata: { job: 'nightly' } });
  expect(batch).toMatchObject({ status: 'validating', input_file_id: file.id, metadata: { job: 'nightly' } });
  account.run(({ custom_id }) => {
    const content = custom_id === 'call-1' ? 'the top secret plan' : `for ${custom_id}`;
    return { reply: { choices: [{ index: 0, message: { role: 'assistant', content } }] } };
  });
  const done = await client.batches.retrieve(batch.id);
  expect(done.status).toBe('completed');
  const text = await (await client.files.content(done.output_file_id!)).text();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ response, error }) => response?.body.choices[0].message.content ?? error.code)).toEqual([
    'for call-0',
    'policy_violation',
    'for call-2',
  ]);
  const second = await client.batches.create(asked);
  expect((await client.batches.cancel(second.id)).status).toBe('cancelling');
  const listed: string[] = [];
  for await (const { id } of client.batches.list({ limit: 1 })) listed.push(id);
  expect(listed).toEqual([second.id, batch.id]);
  expect((await client.files.list()).data.map(({ id }) => id)).toEqual([file.id]);
  expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
  await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
});

test('[batches.owner] another key of the tenant finds nothing', async () => {
  const file = await gateway.openai().files.create({ purpose: 'batch', file: await jsonl('mine') });
  const stranger = gateway.openai({ apiKey: 'chat-other-key' });
  await expect(stranger.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
  await expect(stranger.files.delete(file.id)).rejects.toMatchObject({ status: 404 });
  expect((await stranger.files.list()).data).toEqual([]);
  expect((await stranger.batches.list()).data).toEqual([]);
});

test('[batches.lines] a blocked line is an error that the client throws, with its number', async () => {
  const files = gateway.openai().files;
  await expect(
    files.create({ purpose: 'batch', file: await jsonl('one', 'about Project Bluebird') }),
  ).rejects.toMatchObject({
    status: 403,
    type: 'policy_violation',
    message: expect.stringMatching(/Line 2: /),
  });
  await expect(files.create({ purpose: 'vision', file: await jsonl('one') })).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/allowed: batch/),
  });
});
