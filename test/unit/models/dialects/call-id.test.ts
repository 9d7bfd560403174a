/** Members of a tool call that its vendor expects back, sent through callers whose dialect has no such member. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { ResponseEvents, responseOf } from '#core/models/dialects/responses/events.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { chunk, context, message, translated } from './translated-streams.ts';
import { toOpenai, user } from './translating.ts';

const signed = { extra_content: { google: { thought_signature: 'TSIG+/==' } } };
const inside = { function: { name: 'f', arguments: '{"a":1}', thought_signature: 'S' } };
const call = { id: 'call_g', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
const result = { role: 'tool', tool_call_id: 'call_g', content: 'done' };
const reply = (...calls: JsonObject[]): JsonObject => ({
  id: 'c',
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' },
  ],
});
const chunks = (...deltas: JsonObject[]) => [
  ...deltas.map((fragment) => chunk({ tool_calls: [{ index: 0, ...fragment }] })),
  chunk({}, 'tool_calls'),
];
/** Returns the call in several pieces. */
const pieces = ({ function: named, ...rest }: JsonObject) =>
  chunks({ ...rest, function: { ...objectOf(named), arguments: '{"a"' } }, { function: { arguments: ':1}' } });

/** Returns the history that the vendor gets from a messages API caller that sends back what it received. */
function afterMessages(answer: JsonObject): Json {
  const [{ id } = {}] = objectsOf(answer.content);
  const back = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id!, content: 'done' }] };
  const messages = [user, { role: 'assistant', content: answer.content! }, back];
  return objectsOf(toOpenai({ model: 'm', max_tokens: 9, messages }).messages).slice(1);
}
function afterResponses(answer: JsonObject): Json {
  const [{ call_id } = {}] = objectsOf(answer.output);
  const back = { type: 'function_call_output', call_id: call_id!, output: 'done' };
  return objectsOf(
    readResponsesRequest({ model: 'm', input: [user, ...objectsOf(answer.output), back] }).body.messages,
  ).slice(1);
}
const asResponse = { id: 'e', createdAt: 1 };
const streamedResponse = (events: JsonObject[]): JsonObject => {
  const response = new ResponseEvents({}, asResponse);
  for (const event of events) response.next(event);
  return objectOf(response.end().at(-1)!.response)!;
};

describe.each<[string, JsonObject]>([
  ['extra_content', { ...call, ...signed }],
  ['a member that nobody knows yet', { ...call, later: { a: ['x'] } }],
  ['a member of the function', { ...call, ...inside }],
  ['no such member', call],
])('[chat.translated-members] %s is restored when the history is sent back', (name, given) => {
  const history = [{ role: 'assistant', content: null, tool_calls: [given] }, result];

  test('through messages, both complete and streamed', () => {
    expect(afterMessages(translator('anthropic', 'openai').reply(reply(given), context))).toEqual(history);
    expect(afterMessages(message(translated(pieces(given), 'anthropic')))).toEqual(history);
  });

  test('through responses, both complete and streamed', () => {
    expect(afterResponses(responseOf(reply(given), {}, asResponse))).toEqual(history);
    expect(afterResponses(streamedResponse(pieces(given)))).toEqual(history);
  });

  test('the id contains only characters that vendors accept, and is unchanged unless it carries a member', () => {
    const [{ id } = {}] = objectsOf(translator('anthropic', 'openai').reply(reply(given), context).content);
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(id === 'call_g').toBe(name === 'no such member');
  });
});

describe('[chat.translated-members] a member that arrives after the start of the call', () => {
  const late = chunks({ ...call }, { function: { arguments: '' }, ...signed });
  const repeated = chunks({ ...call, ...signed }, { function: { arguments: '' }, ...signed });

  test('ends the stream with an error', () => {
    expect(() => translated(late, 'anthropic')).toThrow('extra_content');
    expect(() => streamedResponse(late)).toThrow('extra_content');
  });

  test('may be repeated', () => {
    expect(message(translated(repeated, 'anthropic'))).toMatchObject({ stop_reason: 'tool_use' });
    expect(streamedResponse(repeated)).toMatchObject({ status: 'completed' });
  });
});

describe('[chat.translated-members] a call id that is sent back', () => {
  const idWith = (members: Json) => `call_1__with__${Buffer.from(JSON.stringify(members)).toString('base64url')}`;
  const history = (id: string) => ({
    model: 'm',
    max_tokens: 9,
    messages: [user, { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] }],
  });
  const callIn = (id: string) => objectsOf(objectsOf(toOpenai(history(id)).messages)[1]!.tool_calls)[0]!;

  test('does not overwrite any part of the call', () => {
    const members = { id: 'other', Type: 'x', function: { name: 'g', Arguments: '{}' }, custom: { name: 'h' } };
    expect(callIn(idWith(members))).toEqual({
      id: 'call_1',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    });
  });

  test.each(['call__with__', 'call_1__with__AAAA', idWith(['x']), idWith('x'), '__with__'])(
    '%s carries no members and is left unchanged',
    (id) => expect(callIn(id).id).toBe(id),
  );

  test.each(['id', 'tool_use_id'])('content filters can read and redact the id in %s', (member) => {
    const secret = { extra_content: 'ssn 123' };
    const type = member === 'id' ? 'tool_use' : 'tool_result';
    const block: JsonObject = { type, [member]: idWith(secret), name: 'f', input: {} };
    const body = { model: 'm', messages: [{ role: 'user', content: [block] }] };
    const slot = dialects.anthropic.requestTexts(body).find(({ text }) => text.includes('ssn 123'))!;
    slot.set(slot.text.replace('123', '***'));
    expect(block[member]).toBe(idWith({ extra_content: 'ssn ***' }));
  });
});

test('[chat.translated-members] a custom tool call keeps its extra member', () => {
  const given = { id: 'c1', type: 'custom', custom: { name: 'p', input: 'x' }, ...signed };
  const [item = {}] = objectsOf(responseOf(reply(given), {}, asResponse).output);
  expect(objectsOf(readResponsesRequest({ model: 'm', input: [item] }).body.messages)).toEqual([
    { role: 'assistant', content: null, tool_calls: [given] },
  ]);
});
