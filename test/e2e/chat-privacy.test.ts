/** Prompts, replies and keys do not appear in evidence, admin responses, logs or the store. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  agentKey,
  type ChatGateway,
  humanKey,
  providerKey,
  providerYaml,
  startChatGateway,
} from '../support/chat-clients.ts';
import {
  body,
  type FakeProvider,
  jsonReply,
  piecesOf,
  refuse,
  say,
  startFakeProvider,
  stream,
} from '../support/fake-providers.ts';
import { ask, until, workFolder } from './client.ts';

const words = {
  prompt: 'heliotrope-prompt',
  system: 'heliotrope-system',
  reply: 'heliotrope-reply',
  tool: 'heliotrope-tool',
};
const keys = { agentKey, humanKey, providerKey };
const state = workFolder();

let fake: FakeProvider;
let gateway: ChatGateway;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await startChatGateway(
    `
    rate_limit: { requests_per_minute: 1000 }
    system_prompt: "${words.system}"
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [m], retry: { max_attempts: 1 }')}
policies:
  input:
    - { name: no-lava, type: keyword, action: block, keywords: [lava] }
    - { name: ask-first, type: keyword, action: review, keywords: [tide] }
    - { name: addresses, type: pii, action: warn, entities: [email] }
  output: [{ name: no-ice, type: regex, action: block, patterns: ["i[c]e"] }]
budgets: { tenants: { default: { monthly_usd: 100 } } }
`,
    { state },
  );
  await traffic();
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

const session = 'private';
const quoted = `"${words.prompt}" said {"a": 'b'}\\n a@${words.prompt}.example`;
const talk = (more: { text?: string; body?: object } = {}) =>
  gateway.say('m', more.text ?? quoted, { session, ...(more.body && { body: more.body }) });

/** Makes calls with every possible outcome, with distinctive words to search for. */
async function traffic(): Promise<void> {
  const tool = { id: 'c1', name: 'read_file', input: { path: words.tool } };
  const tools = [{ type: 'function', function: { name: 'read_file', description: words.tool } }];
  fake.answers(say(words.reply));
  await talk();
  await talk(); // from the cache
  await talk({ text: `${quoted} streamed`, body: { stream: true } });
  fake.answers(say(words.reply, { toolCalls: [tool] }));
  await talk({ body: { tools } });
  await talk({ text: `${quoted} lava` });
  fake.answers(say(`${words.reply} ice`));
  for (const isStream of [false, true]) await talk({ text: `${quoted} ${isStream} cold`, body: { stream: isStream } });
  fake.answers(refuse('openai', 400, `${quoted} is no good; asked with ${providerKey}`));
  await talk({ text: `${quoted} 400` });
  fake.answers(refuse('openai', 500, `asked with ${providerKey}`));
  await talk({ text: `${quoted} 500` });
  fake.answers(jsonReply({ error: { message: `asked with ${providerKey}` } }));
  await talk({ text: `${quoted} error in 200` });
  fake.answers(body([`{"choices": [{"message": {"content": "${words.reply}`]));
  await talk({ text: `${quoted} cut` });
  fake.answers(stream([...piecesOf('openai', { text: [words.reply] }).slice(0, 2), `data: {"x": "${words.reply}\n\n`]));
  await talk({ text: `${quoted} garbage`, body: { stream: true } });
  await gateway.post('/v1/chat/completions', { raw: `{"model": "m", "messages": [${quoted}` });
  await gateway.post('/v1/messages', {
    body: { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: quoted }] },
  });
  await until('the projections', async () => {
    const { body } = await gateway.admin<{ requests: unknown[] }>('requests');
    return body.requests?.length >= 12 || undefined;
  });
}

function expectNothingOf(text: string, ...looked: readonly Record<string, string>[]): void {
  const found = Object.entries(Object.assign({}, ...looked)).filter(([, word]) => text.includes(word as string));
  expect(found.map(([name]) => name)).toEqual([]);
}

test('[evidence.chat] evidence has one entry per call, without the text of the call', async () => {
  const entries = await gateway.entries(session);
  expect(entries).toHaveLength(12);
  const outcomes = new Set((await gateway.records(session)).map(({ outcome }) => outcome));
  expect([...outcomes].sort()).toEqual(['blocked', 'cached', 'completed', 'failed']);
  expectNothingOf(JSON.stringify(entries), words, keys);
});

const shown = 'audit requests usage violations analytics cache providers budgets health/detailed policies';
const ofSession = ['export', 'report', 'report.html', 'verify'].map((view) => `evidence/sessions/${session}/${view}`);
test.each([...ofSession, ...shown.split(' '), 'evidence/sessions', 'policy-versions/current'])(
  '[evidence.chat] GET /admin/v1/%s shows neither the text of calls nor any keys',
  async (path) => {
    const { status, text } = await gateway.admin(path);
    expect(status).toBe(200);
    expectNothingOf(text, words, keys);
  },
);

test('the current configuration shows no keys', async () => {
  for (const path of ['config', 'policy-versions/1']) expectNothingOf((await gateway.admin(path)).text, keys);
});

test('[credential.never-shown] metrics and logs contain neither the text of calls nor any keys', async () => {
  const metrics = await ask(gateway.ready.admin_url, 'GET', '/metrics', { key: humanKey });
  expect(metrics.text).toContain('svc_chat_requests_total');
  expectNothingOf(metrics.text, words, keys);
  const log = gateway.log();
  expect(log).toContain('chat answered');
  expect(log).toContain('provider call failed');
  expect(log).toMatch(/"msg":"chat answered".*"key_id":"[0-9a-f]{16}"/);
  expectNothingOf(log, words, keys);
  for (const line of log.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});

test('the state folder contains neither the text of calls nor any keys', () => {
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(3);
  const { system: _configured, ...asked } = words;
  for (const { parentPath, name } of files)
    expectNothingOf(readFileSync(join(parentPath, name), 'latin1'), asked, keys);
});

// A reviewer has to read the request; the log that is kept for years does not contain it.
test('[evidence.chat] evidence of a pending call contains a digest of the request, not its text', async () => {
  const asked = await gateway.say('m', 'heliotrope-review at the tide', { session: 'waiting' });
  expect(asked.status).toBe(202);
  expect(JSON.stringify(await gateway.entries('waiting'))).not.toContain('heliotrope-review');
});
