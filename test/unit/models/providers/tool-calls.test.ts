/** Tool calls from servers with OpenAI's API, as clients receive them. */
import type { JsonObject } from '#core/kernel/json.ts';
import { completeChunks, completeReply } from '#core/models/providers/tool-calls.ts';

const made = expect.stringMatching(/^call_[0-9a-f-]{36}$/);
const call = (id: string | undefined, name: string | undefined, args?: unknown, index?: number) =>
  JSON.parse(JSON.stringify({ index, id, type: id && 'function', function: { name, arguments: args } })) as JsonObject;

/** Joins the fragments of each call as the official clients do: by index, with text appended. */
function joined(...chunks: JsonObject[][]): JsonObject[] {
  const complete = completeChunks();
  const calls: Record<string, string>[] = [];
  for (const tool_calls of chunks) {
    const [choice] = complete({ choices: [{ index: 0, delta: { tool_calls } }] }).choices as JsonObject[];
    for (const { index, id, type, function: named } of (choice!.delta as { tool_calls: JsonObject[] }).tool_calls) {
      calls[index as number] ??= { id: '', type: '', name: '', arguments: '' };
      const one = calls[index as number]!;
      const parts = { id, type, ...(named as JsonObject) };
      for (const [key, part] of Object.entries(parts)) one[key] = `${one[key]}${part ?? ''}`;
    }
  }
  return calls;
}

const a = { id: 'a', type: 'function', name: 'get_a', arguments: '{"x":1}' };
const b = { id: 'b', type: 'function', name: 'get_b', arguments: '{"y":2}' };

test.each([
  [
    'as OpenAI sends them',
    [[call('a', 'get_a', '', 0)], [call(undefined, undefined, '{"x":1}', 0)], [call('b', 'get_b', '{"y":2}', 1)]],
    [a, b],
  ],
  [
    'without an index',
    [[call('a', 'get_a', '{"x"')], [call(undefined, undefined, ':1}')], [call('b', 'get_b', '{"y":2}')]],
    [a, b],
  ],
  ['without an index, in one chunk', [[call('a', 'get_a', '{"x":1}'), call('b', 'get_b', '{"y":2}')]], [a, b]],
  [
    'without an id',
    [[call(undefined, 'get_a', '{"x":1}', 0), call(undefined, 'get_b', '{"y":2}', 1)]],
    [
      { ...a, id: made },
      { ...b, id: made },
    ],
  ],
  [
    'without both, in one chunk',
    [[call(undefined, 'get_a', '{"x":1}'), call(undefined, 'get_b', '{"y":2}')]],
    [
      { ...a, id: made },
      { ...b, id: made },
    ],
  ],
  [
    'without both, one after the other',
    [[call(undefined, 'get_a', '{"x":1}')], [call(undefined, 'get_b', '{"y"')], [call(undefined, undefined, ':2}')]],
    [
      { ...a, id: made },
      { ...b, id: made },
    ],
  ],
  [
    'with null in place of index and id',
    [
      [{ ...call(undefined, 'get_a', '{"x":1}'), index: null, id: null }],
      [{ ...call(undefined, 'get_b', '{"y":2}'), index: null, id: null }],
    ],
    [
      { ...a, id: made },
      { ...b, id: made },
    ],
  ],
  ['with id and name in each fragment', [[call('a', 'get_a', '{"x"', 0)], [call('a', 'get_a', ':1}', 0)]], [a]],
  ['all with index 0', [[call('a', 'get_a', '{"x":1}', 0)], [call('b', 'get_b', '{"y":2}', 0)]], [a, b]],
  ['numbered from 1', [[call('a', 'get_a', '{"x":1}', 1)], [call('b', 'get_b', '{"y":2}', 2)]], [a, b]],
  ['with an object as arguments', [[call('a', 'get_a', { x: 1 }, 0)]], [a]],
])('[chat.completions] streamed tool calls %s reach the client in full', (_, chunks, calls) => {
  expect(joined(...chunks)).toEqual(calls);
});

test('[chat.completions] tool calls in a complete reply get unique ids, a type and arguments as a string', () => {
  const completed = (tool_calls: JsonObject[]) =>
    completeReply({ choices: [{ index: 0, message: { role: 'assistant', tool_calls } }] }).choices;
  const whole = (id: unknown, text: string) => ({ id, type: 'function', function: { name: 'get_a', arguments: text } });
  expect(
    completed([
      call('a', 'get_a', '{"x":1}'),
      call('a', 'get_a', { x: 1 }),
      { function: { name: 'get_a', arguments: null } },
      { id: 'c', type: 'custom', custom: { name: 'write', input: 'text' } },
    ]),
  ).toMatchObject([
    {
      message: {
        tool_calls: [
          whole('a', '{"x":1}'),
          whole(made, '{"x":1}'),
          whole(made, '{}'),
          { id: 'c', type: 'custom', custom: { name: 'write', input: 'text' } },
        ],
      },
    },
  ]);
});

test('[chat.completions] a streamed call without arguments ends with an empty object, unless the reply is cut off', () => {
  const ended = (finish_reason: string) => {
    const complete = completeChunks();
    const write = { index: 2, id: 'c', type: 'custom', custom: { name: 'write', input: '' } };
    const tool_calls = [call('a', 'get_a', '', 0), call('b', 'get_b', '{"y":2}', 1), write];
    complete({ choices: [{ index: 0, delta: { tool_calls } }] });
    const end = { choices: [{ index: 0, delta: {}, finish_reason }] };
    const { choices } = complete(end);
    expect(complete(end)).toEqual(end);
    return choices;
  };
  const empty = { delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } };
  expect(ended('tool_calls')).toEqual([{ index: 0, ...empty, finish_reason: 'tool_calls' }]);
  expect(ended('length')).toEqual([{ index: 0, delta: {}, finish_reason: 'length' }]);
});

test('[chat.completions] function_call from an older server becomes a tool call, unless the caller sent functions', () => {
  const named = { name: 'get_a', arguments: '{"x":1}' };
  const reply = { choices: [{ message: { role: 'assistant', function_call: named }, finish_reason: 'function_call' }] };
  const [choice] = completeReply(reply).choices as JsonObject[];
  expect(choice).toEqual({
    message: { role: 'assistant', tool_calls: [{ id: made, type: 'function', function: named }] },
    finish_reason: 'tool_calls',
  });
  expect(completeReply(reply, true)).toEqual(reply);

  const chunk = (function_call: JsonObject) => ({ choices: [{ index: 0, delta: { function_call } }] });
  const chunks = [chunk({ name: 'get_a', arguments: '{"x"' }), chunk({ arguments: ':1}' })];
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'function_call' }] };
  const complete = completeChunks();
  expect(chunks.map(complete)).toMatchObject([
    { choices: [{ delta: { tool_calls: [{ index: 0, id: made, function: { name: 'get_a', arguments: '{"x"' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
  ]);
  expect(complete(end)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  const older = completeChunks(true);
  expect([...chunks, end].map(older)).toEqual([...chunks, end]);
});

test('[chat.completions] chunks and replies without tool calls are left unchanged', () => {
  const chunk = { choices: [{ index: 0, delta: { content: 'x' } }] };
  const reply = { choices: [{ index: 0, message: { content: 'x' } }] };
  expect([completeChunks()(chunk), completeReply(reply)]).toEqual([chunk, reply]);
});
