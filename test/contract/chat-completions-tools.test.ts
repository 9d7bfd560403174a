/** Tools on chat completions: passed, refused or decided, by `chat_completions.tool_use`. */
import { caller } from '../support/call-endpoint.ts';
import type { Loose } from '../support/loose.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { extra, toolPolicies } from '../support/scripted-tools.ts';

const settings = ['pass', 'reject', 'govern'] as const;
const hosts = new Map<string, TestPorts>();
beforeAll(async () => {
  for (const setting of settings) {
    const chosen = setting === 'pass' ? '' : `\nchat_completions: { tool_use: ${setting} }`;
    hosts.set(setting, await testPorts({ toolPolicies, extra: extra + chosen }));
  }
});
afterAll(async () => {
  for (const host of hosts.values()) await host.stop();
});

const tools = ['read_file', 'delete_all'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));
const ask = (setting: (typeof settings)[number], content: string, more: object = {}) =>
  caller(hosts.get(setting)!.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'x-session-id': `tools-${setting}` },
    body: { model: 'mock', messages: [{ role: 'user', content }], tools, ...more },
  });

/** Text and calls of an answer, whole or streamed. */
async function told(setting: (typeof settings)[number], content: string, stream: boolean, more: object = {}) {
  const { status, text, body } = await ask(setting, content, { stream, ...more });
  expect(status).toBe(200);
  const events: Loose[] = stream
    ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    : [body];
  const choices: Loose[] = events.flatMap((event) => event.choices);
  const parts: Loose[] = choices.map((choice) => choice.delta ?? choice.message);
  return {
    said: parts.map((part) => part.content ?? '').join(''),
    calls: parts.flatMap((part) => part.tool_calls ?? []).map((call: Loose) => call.function.name),
    finish: choices.map((choice) => choice.finish_reason).findLast((reason) => reason),
  };
}

describe.each([false, true])('[chat.tool-use] with stream %s', (stream) => {
  test('by default each call is the caller’s own matter', async () => {
    expect((await told('pass', 'delete it', stream)).calls).toEqual(['delete_all']);
  });

  test('govern: an allowed call passes, a blocked one is a text in its place', async () => {
    expect(await told('govern', 'read it', stream)).toEqual({
      ...{ said: 'Reading.', calls: ['read_file'], finish: 'tool_calls' },
    });
    const blocked = await told('govern', 'delete it', stream);
    expect(blocked).toMatchObject({ calls: [], finish: 'stop' });
    expect(blocked.said).toContain('Nobody deletes everything');
    expect((await told('govern', 'both', stream)).calls).toEqual(['read_file']);
  });

  test('govern and reject: a call of a tool that the request did not offer is decided, too', async () => {
    for (const setting of ['govern', 'reject'] as const)
      expect((await told(setting, 'delete it', stream, { tools: undefined })).calls).toEqual([]);
  });
});

test('[chat.tool-use] reject: only tools, calls and results are refused', async () => {
  const results = { tools: undefined, messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] };
  for (const more of [{}, results, { tools: undefined, functions: [{ name: 'f' }] }]) {
    const { status, body } = await ask('reject', 'read it', more);
    expect([status, body.error.type]).toEqual([400, 'invalid_request']);
    expect(body.error.message).toContain('chat_completions.tool_use');
  }
  expect((await ask('reject', 'hello', { tools: [] })).status).toBe(200);
});

test.each([
  ['functions', { tools: undefined, functions: [{ name: 'delete_all' }] }, 'Found functions, '],
  ['a search of the provider', { web_search_options: {} }, 'Found web_search_options, '],
  ['a tool of another type', { tools: [...tools, { type: 'web_search' }] }, 'tools[2].type is "web_search"; '],
  ['a tool without a type', { tools: [{ function: { name: 'delete_all' } }] }, 'tools[0].type is null; '],
])('[chat.tool-use] govern refuses what it could not decide: %s', async (_name, more, says) => {
  const { status, body } = await ask('govern', 'read it', more);
  expect([status, body.error.type]).toEqual([400, 'invalid_request']);
  expect(body.error.message).toContain(says);
  // A search is for the provider's entry to allow, whatever is done about tools.
  expect((await ask('pass', 'read it', more)).status).toBe('web_search_options' in more ? 400 : 200);
});
