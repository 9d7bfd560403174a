/** Where text is found and replaced: requests, replies, events. */

import type { JsonObject } from '#core/kernel/json.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { anthropicStreams } from '../../../golden/anthropic-streams.ts';
import { openaiStreams } from '../../../golden/openai-streams.ts';
import { eventsOf } from '../../../golden/read.ts';

const { openai, anthropic } = dialects;
const seen = (slots: readonly TextSlot[]) => slots.map(({ kind, text }) => [kind, text]);
/** Slots of running text: what comes whole, such as a name, is apart. */
const running = (slots: readonly TextSlot[]) => slots.filter(({ whole }) => !whole);

/** Every text the slots show is replaced, and nothing else of the object. */
function redacted(body: JsonObject, slots: readonly TextSlot[]): JsonObject {
  for (const slot of slots) slot.set(`<${slot.text}>`);
  return body;
}

const openaiRequest = (): JsonObject => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'rules' },
    { role: 'developer', content: [{ type: 'text', text: 'more rules' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'http://x/y' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: 'no',
      reasoning_content: 'hm',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":1}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'result' },
    { role: 'user', content: '' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'f', description: 'finds', parameters: { properties: { q: { description: 'what' } } } },
    },
  ],
});

test('openai: every text the model reads, in order, definitions first', () => {
  expect(seen(openai.requestTexts(openaiRequest()))).toEqual([
    ['other', 'f'],
    ['other', 'finds'],
    ['other', 'what'],
    ['other', 'q'],
    ['system', 'rules'],
    ['system', 'more rules'],
    ['text', 'look'],
    ['other', 'http://x/y'],
    ['refusal', 'no'],
    ['reasoning', 'hm'],
    ['tool_arguments', '{"q":1}'],
    ['other', 'f'],
    ['tool_result', 'result'],
  ]);
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

const anthropicRequest = (): JsonObject => ({
  model: 'm',
  max_tokens: 5,
  system: [{ type: 'text', text: 'rules', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'ok' },
        { type: 'tool_use', id: 'a', name: 'f', input: { q: 'x' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [
            { type: 'text', text: 'found' },
            { type: 'image', source: {} },
          ],
        },
        { type: 'tool_result', tool_use_id: 'b', content: 'plain' },
        { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
        { type: 'search_result', title: 'S', source: 'http://s', content: [{ type: 'text', text: 'hit' }] },
        { type: 'text', text: 'go on' },
      ],
    },
  ],
  tools: [{ name: 'f', description: 'finds', input_schema: { type: 'object' } }],
});

test('anthropic: every text the model reads, in order, definitions first', () => {
  expect(seen(anthropic.requestTexts(anthropicRequest()))).toEqual([
    ['other', 'f'],
    ['other', 'finds'],
    ['system', 'rules'],
    ['text', 'hi'],
    ['reasoning', 'hm'],
    ['text', 'ok'],
    ['tool_arguments', '{"q":"x"}'],
    ['other', 'f'],
    ['tool_result', 'found'],
    ['tool_result', 'plain'],
    ['text', 'T'],
    ['text', 'words'],
    ['text', 'S'],
    ['text', 'hit'],
    ['text', 'go on'],
    ['other', 'http://s'],
  ]);
  expect(seen(anthropic.requestTexts({ ...anthropicRequest(), tools: [], system: 'plain' }))[0]).toEqual([
    'system',
    'plain',
  ]);
});

test('tool input is replaced as an object; what is not JSON any more is kept as it is, never the old text', () => {
  const body = anthropicRequest();
  const slot = anthropic.requestTexts(body).find(({ kind }) => kind === 'tool_arguments')!;
  const input = () => (body.messages as JsonObject[])[1]!.content;
  slot.set('{"q":"[gone]"}');
  expect(input()).toMatchObject([{}, {}, { input: { q: '[gone]' } }]);
  slot.set('{"q":[gone]}');
  expect(slot.text).toBe('{"q":[gone]}');
  expect(input()).toMatchObject([{}, {}, { input: { _raw: '{"q":[gone]}' } }]);
});

test.each(Object.entries(openaiStreams))(
  'openai %s: the channels of its events carry what the stream says',
  (_, golden) => {
    const running = new Map<string, string>();
    for (const event of eventsOf(golden.sse))
      for (const { channel, text } of openai.eventTexts(event))
        running.set(channel, (running.get(channel) ?? '') + text);
    for (const [index, said] of golden.said.entries()) {
      const { content, refusal, reasoning } = said as { content?: string; refusal?: string; reasoning?: string };
      expect(running.get(`${index}:content`)).toBe(content);
      expect(running.get(`${index}:refusal`)).toBe(refusal);
      expect(running.get(`${index}:reasoning_content`)).toBe(reasoning);
    }
  },
);

test('openai: parallel calls are channels of their own, and end with their choice', () => {
  const events = eventsOf(openaiStreams.interleavedTools.sse);
  const channels = new Set(events.flatMap((event) => running(openai.eventTexts(event)).map(({ channel }) => channel)));
  expect([...channels]).toEqual(['0:tool:0', '0:tool:1']);
  expect(events.slice(0, -1).every((event) => openai.endedChannels(event) === undefined)).toBe(true);
  expect(openai.endedChannels(events.at(-1)!)).toEqual(['0:']);
});

test('openai: a choice ends its own channels, the usage chunk ends all', () => {
  const ends = eventsOf(openaiStreams.twoChoices.sse).map((event) => openai.endedChannels(event));
  const first = ends.filter((ended) => ended !== undefined)[0];
  expect(first).toEqual(['0:']);
  expect(openai.endedChannels(eventsOf(openaiStreams.text.sse).at(-1)!)).toBe('all');
});

test.each(Object.entries(anthropicStreams))('anthropic %s: the channels carry what the stream says', (_, golden) => {
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
});

test('anthropic: a block ends its channels, the message ends all', () => {
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

test('log probabilities go with the text they spell out', () => {
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

test('replies: content, refusal, reasoning, calls', () => {
  const reply: JsonObject = {
    choices: [
      { index: 0, message: { role: 'assistant', content: 'a', refusal: null, reasoning_content: 'r' } },
      {
        index: 1,
        message: { content: null, refusal: 'no', tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }] },
      },
    ],
  };
  expect(running(openai.replyTexts(reply)).map(({ channel, text }) => [channel, text])).toEqual([
    ['0:content', 'a'],
    ['0:reasoning_content', 'r'],
    ['1:refusal', 'no'],
    ['1:tool:0', '{}'],
  ]);
  const message: JsonObject = {
    content: [
      { type: 'text', text: 't' },
      { type: 'tool_use', input: { a: 1 } },
    ],
  };
  expect(anthropic.replyTexts(message).map(({ channel, text }) => [channel, text])).toEqual([
    ['block:0:text', 't'],
    ['block:1:input', '{"a":1}'],
  ]);
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  '[content.every-text] a member named %s is a text like any other',
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
