/** Tool calls of `/v1/responses`, and tools in a namespace. */
import { caller } from '../support/call-endpoint.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { eventsOf, governed, post, rejecting, tools } from './responses-gateway.ts';

describe('[chat.tool-use]', () => {
  const calls = async (body: object, stream: boolean, session: string) => {
    const answer = await post({ tools, ...body, stream }, governed, session);
    const response = stream ? eventsOf(answer.text).at(-1).response : answer.body;
    return { output: response.output as Loose[], text: answer.text };
  };

  test.each([false, true])('an allowed call passes whole, stream %s', async (stream) => {
    const { output } = await calls({ input: 'read it' }, stream, `allow-${stream}`);
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: 'Reading.' }] },
      {
        type: 'function_call',
        name: 'read_file',
        arguments: expect.stringContaining('a.txt'),
        call_id: expect.any(String),
      },
    ]);
  });

  test.each([false, true])('a blocked call is a text in its place, stream %s', async (stream) => {
    const { output, text } = await calls({ input: 'delete it' }, stream, `block-${stream}`);
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: expect.stringContaining('Nobody deletes everything') }] },
    ]);
    expect(text).not.toContain('"function_call"');
  });

  test('a call of a tool that was not offered is decided, too', async () => {
    const { text } = await calls({ input: 'both', tools: [] }, true, 'no-tools');
    expect(text).toContain('was blocked');
  });

  test('tools are refused under tool_use: reject, and chat completions keep theirs', async () => {
    const refused = await post({ input: 'read it', tools }, rejecting);
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain('/v1/responses');
    expect((await post({ input: 'hello' }, rejecting)).status).toBe(200);
    const chat = await caller(rejecting.ports)('POST', '/v1/chat/completions', {
      key: keys.agent,
      body: {
        model: 'mock',
        messages: [{ role: 'user', content: 'read it' }],
        tools: tools.map(({ type, name, parameters }) => ({ type, function: { name, parameters } })),
      },
    });
    expect(chat.body.choices[0].message.tool_calls).toHaveLength(1);
  });
});
describe('[responses.create] tools in a namespace, as Codex groups those of MCP servers', () => {
  const grouped = {
    type: 'namespace',
    name: 'mcp__notes',
    description: 'Notes.',
    tools: [
      ...tools,
      { type: 'function', name: `long_${'x'.repeat(60)}`, parameters: {} },
      { type: 'hosted', name: 'robot' },
    ],
  };
  const own = { type: 'function_call', namespace: 'mcp__notes', name: 'read_file' };

  test('have their own names in the answer, and unsupported ones are left out by name', async () => {
    const answer = await post({ input: 'group read', tools: [tools[1], grouped] });
    expect(answer.status).toBe(200);
    expect(answer.body.output).toEqual([expect.objectContaining({ ...own, arguments: '{"path":"c.txt"}' })]);
    expect(answer.headers['x-left-out']).toBe(
      `tools[1] mcp__notes__long_${'x'.repeat(60)}, tools[1] mcp__notes__robot`,
    );
  });

  test('and in the events of a stream', async () => {
    const { text } = await post({ input: 'group read', tools: [grouped], stream: true });
    const items = eventsOf(text).filter(({ type }) => /output_item/.test(type));
    expect(items.map(({ type, item }) => [type, item.namespace, item.name])).toEqual([
      ['response.output_item.added', 'mcp__notes', 'read_file'],
      ['response.output_item.done', 'mcp__notes', 'read_file'],
    ]);
  });

  test('are decided', async () => {
    const { body } = await post({ input: 'group delete', tools: [grouped] });
    expect(JSON.stringify(body.output)).toContain('Nobody deletes everything.');
    expect(JSON.stringify(body.output)).not.toContain('function_call');
  });

  test('keep their name in the conversation that is sent back', async () => {
    const { status } = await post({
      input: [
        { type: 'message', role: 'user', content: 'hello' },
        { ...own, call_id: 'c1', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'text' },
      ],
      tools: [grouped],
      tool_choice: { type: 'function', namespace: 'mcp__notes', name: 'read_file' },
    });
    expect(status).toBe(200);
  });

  test('with the name of another tool are refused as ambiguous', async () => {
    const twin = { type: 'function', name: 'mcp__notes__read_file', parameters: {} };
    const { status, body } = await post({ input: 'hello', tools: [twin, grouped] });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('"mcp__notes__read_file" twice')]);
  });
});
