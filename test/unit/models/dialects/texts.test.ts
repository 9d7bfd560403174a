/** Text in requests, replies and events: finding and replacing. */

import type { JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { anthropicStreams } from '../../../golden/anthropic-streams.ts';
import { openaiStreams } from '../../../golden/openai-streams.ts';
import { eventsOf } from '../../../golden/read.ts';

const { openai, anthropic } = dialects;
const seen = (slots: readonly TextSlot[]) => slots.map(({ kind, text }) => [kind, text]);
/** Returns text values in order, each list with its kind. */
const kinds = (...lists: (readonly [string, ...string[]])[]) =>
  lists.flatMap(([kind, ...texts]) => texts.map((text) => [kind, text]));
/** Returns the slots of running text, without those that are always complete, such as a name. */
const running = (slots: readonly TextSlot[]) => slots.filter(({ whole }) => !whole);

/** Replaces all text that the slots show, and nothing else in the object. */
function redacted(body: JsonObject, slots: readonly TextSlot[]): JsonObject {
  for (const slot of slots) slot.set(`<${slot.text}>`);
  return body;
}

const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":1}' } };
const picture = { type: 'image_url', image_url: { url: 'http://x/y' } };
const parameters = { properties: { q: { description: 'what' } } };
const openaiRequest = (): JsonObject =>
  structuredClone({
    model: 'm',
    messages: [
      { role: 'system', content: 'rules' },
      { role: 'developer', content: [{ type: 'text', text: 'more rules' }] },
      { role: 'user', content: [{ type: 'text', text: 'look' }, picture] },
      { role: 'assistant', content: null, refusal: 'no', reasoning_content: 'hm', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'result' },
      { role: 'user', content: '' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'finds', parameters } }],
  });

test('openai: lists all text that the model reads, in order, with tool definitions first', () => {
  expect(seen(openai.requestTexts(openaiRequest()))).toEqual(
    kinds(
      ['other', 'f', 'finds', 'what', 'q'],
      ['system', 'rules', 'more rules'],
      ['text', 'look'],
      ['other', 'http://x/y'],
      ['refusal', 'no'],
      ['reasoning', 'hm'],
      ['tool_arguments', '{"q":1}'],
      ['other', 'f'],
      ['tool_result', 'result'],
    ),
  );
  const body = openaiRequest();
  const replaceable = openai.requestTexts(body).filter(({ channel }) => !channel.endsWith('#names'));
  expect(redacted(body, replaceable)).toMatchObject({
    messages: [
      { content: '<rules>' },
      { content: [{ text: '<more rules>' }] },
      { content: [{ text: '<look>' }, { image_url: { url: '<http://x/y>' } }] },
      {
        refusal: '<no>',
        reasoning_content: '<hm>',
        tool_calls: [{ id: 'a', function: { name: '<f>', arguments: '<{"q":1}>' } }],
      },
      { content: '<result>' },
      { content: '' },
    ],
    tools: [
      {
        function: { name: '<f>', description: '<finds>', parameters: { properties: { q: { description: '<what>' } } } },
      },
    ],
  });
});

const text = (text: string) => ({ type: 'text', text });
const words = { type: 'text', media_type: 'text/plain', data: 'words' };
const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
const use = { type: 'tool_use', id: 'a', name: 'f', input: { q: 'x' } };
const results = [
  { type: 'tool_result', tool_use_id: 'a', content: [text('found'), { type: 'image', source: {} }] },
  { type: 'tool_result', tool_use_id: 'b', content: 'plain' },
  { type: 'document', title: 'T', source: words },
  { type: 'search_result', title: 'S', source: 'http://s', content: [text('hit')] },
  text('go on'),
];
const anthropicRequest = (): JsonObject =>
  structuredClone({
    model: 'm',
    max_tokens: 5,
    system: [{ ...text('rules'), cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [thinking, text('ok'), use] },
      { role: 'user', content: results },
    ],
    tools: [{ name: 'f', description: 'finds', input_schema: { type: 'object' } }],
  });

test('anthropic: lists all text that the model reads, in order, with tool definitions first', () => {
  expect(seen(anthropic.requestTexts(anthropicRequest()))).toEqual(
    kinds(
      ['other', 'f', 'finds'],
      ['system', 'rules'],
      ['text', 'hi'],
      ['reasoning', 'hm'],
      ['text', 'ok'],
      ['tool_arguments', '{"q":"x"}'],
      ['other', 'f'],
      ['tool_result', 'found', 'plain'],
      ['text', 'T', 'words', 'S', 'hit', 'go on'],
      ['other', 'http://s'],
    ),
  );
  expect(seen(anthropic.requestTexts({ ...anthropicRequest(), tools: [], system: 'plain' }))[0]).toEqual([
    'system',
    'plain',
  ]);
});

test('tool input is replaced as an object, or stored as _raw if it is no longer JSON', () => {
  const body = anthropicRequest();
  const slot = anthropic.requestTexts(body).find(({ kind }) => kind === 'tool_arguments')!;
  const input = () => (body.messages as JsonObject[])[1]!.content;
  slot.set('{"q":"[gone]"}');
  expect(input()).toMatchObject([{}, {}, { input: { q: '[gone]' } }]);
  slot.set('{"q":[gone]}');
  expect(slot.text).toBe('{"q":[gone]}');
  expect(input()).toMatchObject([{}, {}, { input: { _raw: '{"q":[gone]}' } }]);
});

test.each(Object.entries(openaiStreams))('openai %s: the channels of its events contain all the text', (_, golden) => {
  const running = new Map<string, string>();
  for (const event of eventsOf(golden.sse))
    for (const { channel, text } of openai.eventTexts(event)) running.set(channel, (running.get(channel) ?? '') + text);
  for (const [index, said] of golden.said.entries()) {
    const { content, refusal, reasoning } = said as { content?: string; refusal?: string; reasoning?: string };
    expect(running.get(`${index}:content`)).toBe(content);
    expect(running.get(`${index}:refusal`)).toBe(refusal);
    expect(running.get(`${index}:reasoning_content`)).toBe(reasoning);
  }
});

test('openai: a choice ends only its own channels, and the usage chunk ends all channels', () => {
  const ends = eventsOf(openaiStreams.twoChoices.sse).map((event) => openai.endedChannels(event));
  const first = ends.filter((ended) => ended !== undefined)[0];
  expect(first).toEqual(['0:']);
  expect(openai.endedChannels(eventsOf(openaiStreams.text.sse).at(-1)!)).toBe('all');
});

test.each(Object.entries(anthropicStreams))(
  'anthropic %s: the channels of its events contain all the text',
  (_, golden) => {
    const running = new Map<string, string>();
    for (const event of eventsOf(golden.sse))
      for (const { channel, text } of anthropic.eventTexts(event))
        running.set(channel, (running.get(channel) ?? '') + text);
    for (const [index, block] of golden.content.entries()) {
      const { text, thinking, input } = block as { text?: string; thinking?: string; input?: object };
      expect(running.get(`block:${index}:text`)).toBe(text);
      expect(running.get(`block:${index}:thinking`)).toBe(thinking);
      expect(JSON.parse(running.get(`block:${index}:input`) ?? '{}')).toEqual(input ?? {});
    }
  },
);

test('anthropic: a block ends only its own channels, and the end of the message ends all channels', () => {
  expect(anthropic.endedChannels({ type: 'content_block_stop', index: 3 })).toEqual(['block:3:']);
  expect(anthropic.endedChannels({ type: 'message_delta', delta: {} })).toBe('all');
  expect(anthropic.endedChannels({ type: 'message_stop' })).toBe('all');
  expect(anthropic.endedChannels({ type: 'ping' })).toBeUndefined();
});

test('text held back is sent on the channel it came from', () => {
  for (const dialect of [openai, anthropic]) {
    const events = [...Object.values(openaiStreams), ...Object.values(anthropicStreams)]
      .flatMap(({ sse }) => eventsOf(sse))
      .filter((event) => 'choices' in event === (dialect === openai));
    for (const like of events)
      for (const { channel, kind } of running(dialect.eventTexts(like))) {
        const sent = dialect.textEvent(channel, 'held', like);
        expect(running(dialect.eventTexts(sent)).map((slot) => [slot.channel, slot.kind, slot.text])).toEqual([
          [channel, kind, 'held'],
        ]);
        expect(sent).toMatchObject(dialect === openai ? { id: 'chatcmpl-1', model: 'gpt-4o-mini' } : {});
      }
  }
});

test('log probabilities are sent together with the text that they spell', () => {
  const event = (content: string): JsonObject => ({
    choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content }] }, finish_reason: null }],
  });
  const same = event('fine');
  for (const slot of openai.eventTexts(same)) slot.set('fine');
  expect(same).toEqual(event('fine'));
  const held = event('secret');
  for (const slot of openai.eventTexts(held)) slot.set('');
  expect(JSON.stringify(held)).not.toContain('secret');
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  '[content.every-text] a member named %s is checked like any other text',
  (name) => {
    const messages = [{ role: 'user', content: 'hi', [name]: 'said beside' }];
    for (const { requestTexts } of [openai, anthropic])
      expect(seen(requestTexts({ model: 'm', messages, metadata: { [name]: 'said elsewhere' } }))).toEqual(
        expect.arrayContaining([
          ['other', 'said beside'],
          ['other', 'said elsewhere'],
        ]),
      );
  },
);
