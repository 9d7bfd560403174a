/** Streams from Anthropic providers to OpenAI callers. */
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { anthropicStreams } from '../../../golden/anthropic-streams.ts';
import { eventsOf } from '../../../golden/read.ts';
import { context, translated } from './translated-streams.ts';

const toOpenai = (sse: string, given = context) => translated(eventsOf(sse), 'openai', given);
describe.each(Object.entries(anthropicStreams))(
  'anthropic stream %s, translated for an openai caller',
  (name, golden) => {
    const events = toOpenai(golden.sse);
    const collector = dialects.openai.collector();
    for (const event of events) collector.add(event);
    const reply = collector.reply() as { choices: [{ message: JsonObject; finish_reason: string }]; usage: JsonObject };
    const [{ message: read, finish_reason }] = reply.choices;
    const blocks = golden.content as readonly JsonObject[];
    const texts = (kind: string) => blocks.flatMap((block) => (block.type === kind ? [block[kind]] : [])).join('');

    test('has the same content as the source', () => {
      expect(read.content ?? '').toBe(texts('text'));
      expect(read.reasoning_content ?? '').toBe(texts('thinking'));
      const calls = blocks.filter(({ type }) => type === 'tool_use');
      expect(
        ((read.tool_calls ?? []) as JsonObject[]).map(({ id, function: named }) => ({ id, ...(named as JsonObject) })),
      ).toEqual(calls.map(({ id, name: of, input }) => ({ id, name: of, arguments: JSON.stringify(input) })));
      const reasons = { text: 'stop', tools: 'tool_calls', oddFraming: 'stop', refusal: 'content_filter' };
      expect(finish_reason).toBe(reasons[name as keyof typeof reasons]);
    });

    test('sends the role first, a single finish reason, then the usage with correct totals', () => {
      expect(events[0]).toMatchObject({
        id: 'msg_1',
        model: 'claude-sonnet-4-5',
        created: context.createdAt,
        choices: [{ delta: { role: 'assistant' } }],
      });
      const reasons = events
        .flatMap(({ choices }) => choices as JsonObject[])
        .filter(({ finish_reason: said }) => said !== null);
      expect(reasons).toHaveLength(1);
      const usage = events.at(-1)!.usage as Record<string, number>;
      const prompt = { text: 133, tools: 25, oddFraming: 26, refusal: 25 }[name]!;
      const completion = { text: 15, tools: 40, oddFraming: 3, refusal: 0 }[name]!;
      expect(usage).toMatchObject({
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      });
    });

    test('only callers that request it get a usage chunk', () => {
      const quiet = toOpenai(golden.sse, { ...context, includeUsage: false });
      expect(quiet.every((event) => !('usage' in event) && (event.choices as unknown[]).length === 1)).toBe(true);
    });
  },
);
test('anthropic tool input that arrives with its block start is sent, and empty input is sent as {}', () => {
  const begin = (index: number, input: JsonObject) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input },
  });
  const events = translated(
    [
      ...[begin(0, { a: 1 }), { type: 'content_block_stop', index: 0 }, begin(1, {})],
      ...[{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }],
    ],
    'openai',
  );
  const collector = dialects.openai.collector();
  for (const event of events) collector.add(event);
  expect(collector.reply()).toMatchObject({
    choices: [
      {
        message: {
          tool_calls: [
            { id: 't0', function: { arguments: '{"a":1}' } },
            { id: 't1', function: { arguments: '{}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  });
});

test('[dialects.unknown-end] a stream with message_stop but no stop reason counts as truncated', () => {
  const events = translated(
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hal' } },
      { type: 'message_delta', delta: { stop_reason: null } },
      { type: 'message_stop' },
    ],
    'openai',
  );
  expect(events).toContainEqual(
    expect.objectContaining({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }),
  );
});
