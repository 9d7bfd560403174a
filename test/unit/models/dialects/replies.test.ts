/** Complete replies: translated, replayed as streams, assembled from streams. */

import * as z from 'zod';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { endpoints } from '#core/models/dialects/endpoints.ts';
import { ResponseEvents, responseOf } from '#core/models/dialects/responses/events.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { anthropicStreams } from '../../../golden/anthropic-streams.ts';
import { openaiStreams, type Said } from '../../../golden/openai-streams.ts';
import { eventsOf } from '../../../golden/read.ts';
import { object, readCases } from '../../../support/yaml.ts';

const { rowsOf, completion, message, asMessage, asCompletion } = readCases(
  'test/unit/models/dialects/replies.yaml',
  z.strictObject({
    completion: object,
    message: object,
    asMessage: object,
    asCompletion: object,
    rowsOf: z.array(z.tuple([z.string(), object, object, z.boolean()])),
  }),
);

const { openai, anthropic } = dialects;
const context = { model: 'asked', inputTokens: 33, id: 'env-1', createdAt: 1_700_000_001, includeUsage: false };

function collected(dialect: typeof openai, events: readonly JsonObject[]): JsonObject | undefined {
  const collector = dialect.collector();
  for (const event of events) collector.add(event);
  return collector.reply();
}

describe('translated', () => {
  test('a reply is translated to the other dialect', () => {
    expect(translator('anthropic', 'openai').reply(completion, context)).toEqual(asMessage);
    expect(translator('openai', 'anthropic').reply(message, context)).toEqual(asCompletion);
  });

  test('a refusal is translated, and missing counts are estimated', () => {
    const refused = { choices: [{ message: { content: null, refusal: 'I will not do it' }, finish_reason: 'stop' }] };
    expect(translator('anthropic', 'openai').reply(refused, context)).toMatchObject({
      id: 'msg_env-1',
      model: 'asked',
      content: [{ type: 'text', text: 'I will not do it' }],
      stop_reason: 'refusal',
      usage: { input_tokens: 33, output_tokens: 4 },
    });
    expect(
      translator('openai', 'anthropic').reply(
        { content: [{ type: 'text', text: '12345' }], stop_reason: 'max_tokens' },
        context,
      ),
    ).toMatchObject({
      id: 'env-1',
      model: 'asked',
      choices: [{ message: { content: '12345' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 33, completion_tokens: 2, total_tokens: 35 },
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'length'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['something_new', 'length'],
    ['constructor', 'length'],
  ])(
    '[dialects.unknown-end] stop_reason %s becomes finish_reason %s, and a response is complete only after a normal end',
    (stop_reason, finish_reason) => {
      expect(translator('openai', 'anthropic').reply({ content: [], stop_reason }, context)).toMatchObject({
        choices: [{ finish_reason }],
      });
      const response = responseOf(
        { choices: [{ index: 0, message: {}, finish_reason }] },
        {},
        { id: 'r', createdAt: 0 },
      );
      expect(response.status).toBe(['stop', 'tool_calls'].includes(finish_reason) ? 'completed' : 'incomplete');
    },
  );

  test.each([undefined, null])(
    '[dialects.unknown-end] a reply without a finish reason (%s) counts as truncated',
    (reason) => {
      const said = (end: JsonObject) => ({ message: { content: 'Hal' }, ...end });
      const end = reason === undefined ? {} : { finish_reason: reason };
      expect(translator('anthropic', 'openai').reply({ choices: [said(end)] }, context).stop_reason).toBe('max_tokens');
      const message: JsonObject = { content: [], ...(reason === undefined ? {} : { stop_reason: reason }) };
      expect(translator('openai', 'anthropic').reply(message, context)).toMatchObject({
        choices: [{ finish_reason: 'length' }],
      });
      const completion = { choices: [{ index: 0, ...said(end) }] };
      expect(responseOf(completion, {}, { id: 'r', createdAt: 0 }).status).toBe('incomplete');
      // Replayed in its own dialect it has no reason either, so it is never cached for other callers.
      expect(openai.replay(completion).at(-1)).toMatchObject({ choices: [{ finish_reason: null }] });
      expect(anthropic.replay(message)).toContainEqual(
        expect.objectContaining({ type: 'message_delta', delta: { stop_reason: null, stop_sequence: null } }),
      );
      expect(collected(openai, openai.replay(completion))).toBeUndefined();
    },
  );

  test.each<[string, JsonObject]>([
    ['reasoning_details alone', { reasoning_details: [{ text: 'a' }, { summary: 'b' }, { data: 'x' }] }],
    ['both, once', { reasoning: 'ab', reasoning_details: [{ text: 'ab' }] }],
  ])('[chat.translated-members] reasoning is kept in another dialect: %s', (_, said) => {
    const reply = { choices: [{ index: 0, message: { content: 'x', ...said }, finish_reason: 'stop' }] };
    const message = translator('anthropic', 'openai').reply(reply, context);
    expect(message.content).toMatchObject([{ type: 'thinking', thinking: 'ab' }, { type: 'text' }]);
    const chunk = { choices: [{ index: 0, delta: said, finish_reason: null }] };
    const through = translator('anthropic', 'openai').events(context);
    expect(collected(anthropic, [...through.next(chunk), ...through.end()])?.content).toMatchObject([
      { type: 'thinking', thinking: 'ab' },
    ]);
    expect(JSON.stringify(responseOf(reply, {}, { id: 'r', createdAt: 0 }))).toContain('"text":"ab"');
  });

  test('[chat.translated-members] content sent as an array of parts, as Mistral does, keeps its text and thinking in other dialects', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ];
    const reply = { choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] };
    const blocks = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Hello' },
    ];
    expect(translator('anthropic', 'openai').reply(reply, context).content).toMatchObject(blocks);
    const chunks = [...content.map((part) => ({ choices: [{ index: 0, delta: { content: [part] } }] })), ending];
    const through = translator('anthropic', 'openai').events(context);
    const events = [...chunks.flatMap((chunk) => through.next(chunk)), ...through.end()];
    expect(collected(anthropic, events)?.content).toMatchObject(blocks);
    const items = [
      { type: 'reasoning', content: [{ text: 'hm' }] },
      { type: 'message', content: [{ text: 'Hello' }] },
    ];
    expect(responseOf(reply, {}, { id: 'r', createdAt: 0 }).output).toMatchObject(items);
    const response = new ResponseEvents({}, { id: 'r', createdAt: 0 });
    for (const chunk of chunks) response.next(chunk);
    expect(response.end().at(-1)).toMatchObject({ response: { output: items } });
  });

  test('arguments that are not a JSON object are kept unchanged', () => {
    const calls = ['oops', '[1]', ' '].map((text, index) => ({
      id: `c${index}`,
      function: { name: 'f', arguments: text },
    }));
    expect(
      translator('anthropic', 'openai').reply({ choices: [{ message: { tool_calls: calls } }] }, context).content,
    ).toMatchObject([{ input: { _raw: 'oops' } }, { input: { _raw: '[1]' } }, { input: {} }]);
  });
});

const ending: JsonObject = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

describe('collected', () => {
  test.each(Object.entries(openaiStreams))('openai stream %s', (_, golden) => {
    const reply = collected(openai, eventsOf(golden.sse)) as {
      choices: { message: JsonObject; finish_reason: string }[];
      usage?: JsonObject;
    };
    expect(reply.choices).toHaveLength(golden.said.length);
    for (const [index, said] of (golden.said as readonly Said[]).entries()) {
      const { message: read, finish_reason } = reply.choices[index]!;
      expect(read.content || undefined).toBe(said.content);
      expect(read.refusal || undefined).toBe(said.refusal);
      expect(read.reasoning_content || undefined).toBe(said.reasoning);
      expect(finish_reason).toBe(said.finish);
      expect(read.tool_calls).toEqual(
        said.calls?.map(({ id, ...named }) => ({ id, type: 'function', function: named })),
      );
    }
    if ('usage' in golden) expect(reply.usage).toEqual(golden.usage);
  });

  test.each(Object.entries(anthropicStreams))('anthropic stream %s', (_, golden) => {
    const reply = collected(anthropic, eventsOf(golden.sse));
    expect(reply).toMatchObject({ id: 'msg_1', type: 'message', stop_reason: golden.stop, usage: golden.usage });
    expect(reply!.content).toEqual(golden.content);
  });

  test('a stream that did not end properly yields no reply', () => {
    for (const [dialect, goldens] of [
      [openai, openaiStreams],
      [anthropic, anthropicStreams],
    ] as const)
      for (const { sse } of Object.values(goldens)) {
        const events = eventsOf(sse).filter(
          ({ choices }) => choices === undefined || (choices as unknown[]).length > 0,
        );
        expect(collected(dialect, events)).toBeDefined();
        expect(collected(dialect, events.slice(0, -1))).toBeUndefined();
      }
    expect(collected(openai, [...eventsOf(openaiStreams.text.sse), { error: { message: 'x' } }])).toBeUndefined();
    expect(collected(anthropic, [{ type: 'error' }, ...eventsOf(anthropicStreams.text.sse)])).toBeUndefined();
  });
});

describe('[passthrough.governed] checks that a response has the requested number of rows', () => {
  test.each(rowsOf)('%s of %j', (name, body, reply, sound) => {
    expect(
      endpoints[name as keyof typeof endpoints].isReply(reply as unknown as JsonObject, body as unknown as JsonObject),
    ).toBe(sound);
  });
});

describe('a response item is incomplete if its text was truncated', () => {
  const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const calls = [0, 1].map((index) => ({ index, id: `c${index}`, function: { name: 'read', arguments: '{"a' } }));
  const said = chunk({ content: 'Once upon' });
  const statuses = (chunks: readonly JsonObject[], end: (events: ResponseEvents) => JsonObject[]) => {
    const events = new ResponseEvents({}, { id: 'r', createdAt: 0 });
    const sent = [...chunks.flatMap((each) => events.next(each)), ...end(events)];
    const output = (sent.at(-1)!.response as JsonObject).output as readonly JsonObject[];
    const ended = sent.filter(({ type }) => type === 'response.output_item.done');
    return [output.map(({ status }) => status), ended.map(({ item }) => (item as JsonObject).status)];
  };
  const over = (events: ResponseEvents) => events.end();
  const failed = (events: ResponseEvents) => events.failed(new GatewayError('provider_error', 'broke off'));

  test.each<[string, readonly JsonObject[], (events: ResponseEvents) => JsonObject[], unknown]>([
    ['a text that is whole', [said, chunk({}, 'stop')], over, [['completed'], ['completed']]],
    ['a text at the limit of length', [said, chunk({}, 'length')], over, [['incomplete'], ['incomplete']]],
    ['a text whose provider broke off', [said], failed, [['incomplete'], []]],
    [
      'a text before a call that was cut',
      [said, chunk({ tool_calls: [calls[0]!] })],
      failed,
      [['completed', 'incomplete'], ['completed']],
    ],
    [
      'the last of two calls',
      [chunk({ tool_calls: calls }), chunk({}, 'length')],
      over,
      [
        ['completed', 'incomplete'],
        ['completed', 'incomplete'],
      ],
    ],
  ])('%s', (_name, chunks, end, expected) => expect(statuses(chunks, end)).toEqual(expected));
});
