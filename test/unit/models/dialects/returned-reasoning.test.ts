/** Reasoning that a client of responses sends back with its calls. */
import type { JsonObject } from '#core/kernel/json.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';

const user = { role: 'user', content: 'go' };
const readable = (text: string) => ({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] });
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
const result = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'r' });
const said = { type: 'message', role: 'assistant', content: 'Looking.' };
const read = (...input: JsonObject[]) => {
  const { body, leftOut } = readResponsesRequest({ model: 'm', input });
  const turns = (body.messages as JsonObject[]).filter(({ role }) => role === 'assistant');
  return { reasoning: turns.map(({ reasoning_content }) => reasoning_content), leftOut };
};

test('[responses.create] readable reasoning returns with the calls that it led to', () => {
  expect(read(user, readable('hm'), call('a'), call('b'), result('a'), result('b'))).toEqual({
    reasoning: ['hm'],
    leftOut: [],
  });
  expect(read(user, readable('one'), said, call('a'), result('a'), readable('two'), call('b'))).toEqual({
    reasoning: ['one', 'two'],
    leftOut: [],
  });
});

test('[responses.create] reasoning of an answer, and reasoning that only its provider can read, is left out', () => {
  const sealed = { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'E' };
  expect(read(user, readable('hm'), said, user)).toEqual({ reasoning: [undefined], leftOut: ['input.reasoning'] });
  expect(read(user, sealed, call('a'), result('a'))).toEqual({ reasoning: [undefined], leftOut: ['input.reasoning'] });
});
