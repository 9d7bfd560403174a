/** Streams from OpenAI providers to Anthropic callers: golden streams, and every problem reported about gateways. */
import type { JsonObject } from '#core/kernel/json.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { openaiStreams, type Said } from '../../../golden/openai-streams.ts';
import { eventsOf } from '../../../golden/read.ts';
import { chunk, context, message, translated } from './translated-streams.ts';

const toAnthropic = (sse: string) => translated(eventsOf(sse), 'anthropic');
/** Checks the guarantees that Anthropic makes for its streams. */
function expectWellFramed(events: readonly JsonObject[]): void {
  expect(events[0]!.type).toBe('message_start');
  expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1);
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop']);
  let open: number | undefined;
  let next = 0;
  for (const { type, index } of events.slice(1, -2)) {
    if (type === 'content_block_start') {
      expect(open).toBeUndefined();
      expect(index).toBe(next++);
      open = index as number;
    } else {
      expect(['content_block_delta', 'content_block_stop']).toContain(type);
      expect(index).toBe(open);
      if (type === 'content_block_stop') open = undefined;
    }
  }
  expect(open).toBeUndefined();
}
describe.each(Object.entries(openaiStreams))('openai stream %s, translated for an anthropic caller', (name, golden) => {
  const events = toAnthropic(golden.sse);
  const said: Said = golden.said[0];

  test('is well framed', () => expectWellFramed(events));

  test('has the same content as the source', () => {
    const { content } = message(events) as { content: JsonObject[] };
    const texts = (kind: string) => content.flatMap((block) => (block.type === kind ? [block[kind]] : [])).join('');
    expect(texts('text')).toBe((said.content ?? '') + (said.refusal ?? ''));
    expect(texts('thinking')).toBe(said.reasoning ?? '');
    expect(
      content.filter(({ type }) => type === 'tool_use').map(({ id, name: of, input }) => ({ id, name: of, input })),
    ).toEqual(
      (said.calls ?? []).map(({ id, name: of, arguments: text }) => ({
        id,
        name: of,
        input: JSON.parse(text || '{}'),
      })),
    );
  });

  test('message_start contains an input estimate, and message_delta contains the exact counts', () => {
    expect(events[0]).toMatchObject({
      message: { usage: { input_tokens: 33, output_tokens: 0 }, content: [], stop_reason: null },
    });
    const { usage } = events.at(-2) as { usage: JsonObject };
    if ('usage' in golden)
      expect(usage).toMatchObject({ input_tokens: 8, cache_read_input_tokens: 12, output_tokens: 7 });
    else expect(usage.input_tokens).toBe(33);
    if (name !== 'emptyDeltas') expect(usage.output_tokens).toBeGreaterThan(0);
  });
});
const fragment = (index: number, text: string, named: JsonObject = {}) =>
  chunk({
    tool_calls: [{ index, ...named, function: { ...(named.id ? { name: `tool_${named.id}` } : {}), arguments: text } }],
  });
const inputs = (events: JsonObject[]) =>
  (message(translated(events, 'anthropic')).content as JsonObject[]).map(({ type, id, name, input, text }) =>
    type === 'text' ? text : { id, name, input },
  );
describe('tool arguments are neither lost nor merged', () => {
  test('the first call is streamed as it arrives, and the second waits until the first is complete', () => {
    const through = translator('anthropic', 'openai').events(context);
    through.next(fragment(0, '', { id: 'a' }));
    expect(through.next(fragment(0, '{"x"'))).toEqual([
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"x"' } },
    ]);
    expect(through.next(fragment(1, '', { id: 'b' }))).toEqual([]);
    expect(through.next(fragment(0, ':1}')).map(({ type, index }) => [type, index])).toEqual([
      ['content_block_delta', 0],
      ['content_block_stop', 0],
      ['content_block_start', 1],
    ]);
  });

  test('braces inside strings do not end the arguments', () => {
    const text = '{"a":"}","b":{"c":"}{"}}';
    const events = [...text].flatMap((character, at) => [
      fragment(0, character, at === 0 ? { id: 'a' } : {}),
      fragment(1, at === 0 ? '{"z":' : at === text.length - 1 ? '1}' : ' ', at === 0 ? { id: 'b' } : {}),
    ]);
    expect(inputs([...events, chunk({}, 'tool_calls')])).toEqual([
      { id: 'a', name: 'tool_a', input: JSON.parse(text) },
      { id: 'b', name: 'tool_b', input: { z: 1 } },
    ]);
  });

  test('text after a call starts a new block, and later arguments of the call stay in the call’s block', () => {
    const events = [
      chunk({ content: 'before' }),
      fragment(0, '{"x":', { id: 'a' }),
      chunk({ content: 'between' }),
      fragment(0, '1}'),
      chunk({ content: ' after' }),
      chunk({}, 'tool_calls'),
    ];
    expect(inputs(events)).toEqual(['before', { id: 'a', name: 'tool_a', input: { x: 1 } }, 'between after']);
    expectWellFramed(translated(events, 'anthropic'));
  });

  test('accepts id and name in the first fragment, in every fragment, or after the arguments have started', () => {
    expect(inputs([fragment(0, '{"x"', { id: 'a' }), fragment(0, ':1}'), chunk({}, 'stop')])).toEqual([
      { id: 'a', name: 'tool_a', input: { x: 1 } },
    ]);
    expect(inputs([fragment(0, '{"x"', { id: 'a' }), fragment(0, ':1}', { id: 'a' }), chunk({}, 'stop')])).toEqual([
      { id: 'a', name: 'tool_a', input: { x: 1 } },
    ]);
    expect(inputs([fragment(0, '{"x"'), fragment(0, ':1}', { id: 'a' }), chunk({}, 'stop')])).toEqual([
      { id: 'a', name: 'tool_a', input: { x: 1 } },
    ]);
  });

  test('calls without an index are distinguished by their ids', () => {
    const bare = (id: string | undefined, text: string): JsonObject =>
      chunk({ tool_calls: [{ ...(id && { id }), function: { ...(id && { name: id }), arguments: text } }] });
    expect(inputs([bare('a', '{"x":'), bare(undefined, '1}'), bare('b', '{}'), chunk({}, 'stop')])).toEqual([
      { id: 'a', name: 'a', input: { x: 1 } },
      { id: 'b', name: 'b', input: {} },
    ]);
  });

  test('arguments that are not valid JSON reach the caller unchanged', () => {
    const events = translated([fragment(0, '{"x": oops', { id: 'a' }), chunk({}, 'tool_calls')], 'anthropic');
    expect(events.map(({ delta }) => (delta as JsonObject | undefined)?.partial_json).join('')).toBe('{"x": oops');
  });

  test('a call cut off by the length limit is closed', () => {
    const events = translated(
      [fragment(0, '{"x":', { id: 'a' }), fragment(1, '', { id: 'b' }), chunk({}, 'length')],
      'anthropic',
    );
    expectWellFramed(events);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
  });
});
describe('the end of a stream', () => {
  const stopOf = (events: JsonObject[]) => (translated(events, 'anthropic').at(-2)!.delta as JsonObject).stop_reason;

  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['function_call', 'tool_use'],
    ['content_filter', 'refusal'],
    ['something_new', 'max_tokens'],
    ['toString', 'max_tokens'],
  ])('[dialects.unknown-end] finish_reason %s becomes stop_reason %s', (finish, stop) => {
    expect(stopOf([chunk({ content: 'x' }, finish)])).toBe(stop);
  });

  test('[dialects.unknown-end] a source that ends without a finish reason counts as truncated, even with tool calls', () => {
    expect(stopOf([chunk({ content: 'x' })])).toBe('max_tokens');
    expect(stopOf([fragment(0, '{}', { id: 'a' })])).toBe('max_tokens');
  });

  test('blocks are closed when the finish reason arrives, and message_delta follows with the final counts', () => {
    const through = translator('anthropic', 'openai').events(context);
    const counts = (completion_tokens: number) => ({ prompt_tokens: 4, completion_tokens });
    through.next({ ...chunk({ content: 'x' }), usage: counts(1) });
    expect(through.next({ ...chunk({}, 'stop'), usage: counts(2) }).map(({ type }) => type)).toEqual([
      'content_block_stop',
    ]);
    expect(through.next({ id: 'c', choices: [], usage: counts(3) })).toMatchObject([
      { type: 'message_delta', usage: { input_tokens: 4, output_tokens: 3 } },
      { type: 'message_stop' },
    ]);
    expect(through.end()).toEqual([]);
  });

  test('an error inside a stream never looks like a normal end', () => {
    expect(() => translated([chunk({ content: 'x' }), { error: { message: 'key sk-1' } }], 'anthropic')).toThrow(
      expect.objectContaining({ code: 'provider_error' }),
    );
    expect(() => translated([{ type: 'error', error: { message: 'x' } }], 'openai')).toThrow(
      expect.objectContaining({ code: 'provider_error' }),
    );
  });
});
