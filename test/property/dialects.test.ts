/** Properties of streams, however their bytes are split and their pieces are ordered. */
import fc from 'fast-check';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { encodeSse, sseDecoder } from '#core/models/dialects/sse.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { anthropicStreams } from '../golden/anthropic-streams.ts';
import { openaiStreams } from '../golden/openai-streams.ts';
import { bytesOf, decoded, jsonOf } from '../golden/read.ts';

const context = { model: 'm', inputTokens: 9, id: 'env', createdAt: 7, includeUsage: true };

const goldens = [
  ...Object.entries(openaiStreams).map(([name, { sse }]) => ({
    name,
    sse,
    provider: 'openai' as const,
    caller: 'anthropic' as const,
  })),
  ...Object.entries(anthropicStreams).map(([name, { sse }]) => ({
    name,
    sse,
    provider: 'anthropic' as const,
    caller: 'openai' as const,
  })),
];

/** Returns the bytes that the caller gets. */
function relayed(
  events: readonly JsonObject[],
  caller: 'openai' | 'anthropic',
  provider: 'openai' | 'anthropic',
): string {
  const through = translator(caller, provider).events(context);
  const sent = [...events.flatMap((event) => through.next(event)), ...through.end()];
  return sent.map((event) => dialects[caller].encode(event)).join('') + dialects[caller].terminator;
}

test.each(goldens)(
  '$provider stream $name: any split of the bytes gives the same events and the same translation',
  ({ sse, caller, provider }) => {
    const bytes = bytesOf(sse);
    const whole = decoded(bytes);
    const translated = relayed(jsonOf(whole), caller, provider);
    const everyByte = decoded(
      bytes,
      Array.from({ length: bytes.length }, (_, at) => at),
    );
    expect(everyByte).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const events = decoded(bytes, cuts);
        expect(events).toEqual(whole);
        expect(relayed(jsonOf(events), caller, provider)).toBe(translated);
      }),
      { numRuns: 30 },
    );
  },
);

test('the decoder gives the same result for any text, however it is split', () => {
  const pieces = fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    ':',
    'data',
    'data:',
    'data: ',
    'event: x',
    'id: 1',
    ' ',
    'é',
    '👋',
    '\uFEFF',
    'a',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.array(fc.nat(200)), (parts, cuts) => {
      const bytes = bytesOf(parts.join(''));
      const within = cuts.map((cut) => cut % (bytes.length + 1));
      expect(decoded(bytes, within)).toEqual(decoded(bytes));
    }),
    { numRuns: 500, examples: [[['\uFEFF', '\uFEFF', 'data:', 'a', '\n', '\n'], [1]]] },
  );
});

test('any encoded event can be read back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.option(fc.stringMatching(/^[a-z_]+$/)), fc.string({ unit: 'grapheme' }))),
      (events) => {
        const sse = events.map(([event, data]) => encodeSse(event ?? undefined, data)).join('');
        const read = sseDecoder().push(bytesOf(sse));
        const unified = (text: string) => text.replace(/\r\n?/g, '\n');
        expect(read).toEqual(
          events.map(([event, data]) => ({ ...(event !== null && { event }), data: unified(data) })),
        );
      },
    ),
  );
});

const args = fc.dictionary(
  fc.string(),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.dictionary(fc.string(), fc.string())),
  { maxKeys: 4 },
);

/**
 * Calls whose arguments are split into pieces, interleaved in any order that keeps the pieces of each call in sequence.
 */
const dealt = fc
  .array(fc.tuple(args, fc.array(fc.nat(400), { maxLength: 6 })), { minLength: 1, maxLength: 4 })
  .chain((calls) => {
    const pieces = calls.map(([input, cuts]) => {
      const text = JSON.stringify(input);
      const bounds = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other), text.length];
      return bounds.slice(1).map((end, at) => text.slice(bounds[at], end));
    });
    const order = pieces.flatMap((of, index) => of.map(() => index));
    return fc.record({
      inputs: fc.constant(calls.map(([input]) => input)),
      pieces: fc.constant(pieces),
      order: fc.shuffledSubarray(order, { minLength: order.length, maxLength: order.length }),
      texts: fc.array(fc.constantFrom('', 'word '), { minLength: order.length, maxLength: order.length }),
    });
  });

test('tool arguments that are split and interleaved arrive complete, each with the right call', () => {
  fc.assert(
    fc.property(dealt, ({ inputs, pieces, order, texts }) => {
      const next = inputs.map(() => 0);
      const seen: number[] = [];
      const chunks = order.map((index, at): JsonObject => {
        const isFirst = next[index] === 0;
        if (isFirst) seen.push(index);
        const text = pieces[index]![next[index]!++]!;
        const call = {
          index,
          ...(isFirst && { id: `call_${index}`, type: 'function' }),
          function: { ...(isFirst && { name: `f${index}` }), arguments: text },
        };
        return { choices: [{ index: 0, delta: { content: texts[at]!, tool_calls: [call] }, finish_reason: null }] };
      });
      const through = translator('anthropic', 'openai').events(context);
      const events = [...chunks.flatMap((chunk) => through.next(chunk)), ...through.end()];
      const collector = dialects.anthropic.collector();
      for (const event of events) collector.add(event);
      const { content } = collector.reply() as {
        content: { type: string; id: string; name: string; input: unknown; text: string }[];
      };
      expect(
        content.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, input })),
      ).toEqual(
        seen.map((index) => ({
          id: `call_${index}`,
          name: `f${index}`,
          input: JSON.parse(JSON.stringify(inputs[index])),
        })),
      );
      expect(content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')).toBe(texts.join(''));
      const starts = events.filter(({ type }) => type === 'content_block_start').map(({ index }) => index);
      expect(starts).toEqual(starts.map((_, at) => at));
    }),
    { numRuns: 300 },
  );
});

test('replaying a reply and collecting it again leaves it unchanged in either dialect', () => {
  const text = fc.string({ unit: 'grapheme' });
  const blocks = fc.array(
    fc.oneof(
      text.map((said): JsonObject => ({ type: 'text', text: said })),
      fc.tuple(fc.uuid(), args).map(
        ([id, input]): JsonObject => ({
          type: 'tool_use',
          id,
          name: 'f',
          input: JSON.parse(JSON.stringify(input)) as JsonObject,
        }),
      ),
    ),
  );
  fc.assert(
    fc.property(blocks, text, fc.nat(), (content, said, tokens) => {
      const message: JsonObject = {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        content,
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: tokens, output_tokens: 1 },
      };
      const whole = dialects.anthropic.collector();
      for (const event of dialects.anthropic.replay(message)) whole.add(event);
      expect(whole.reply()).toEqual(message);

      const completion: JsonObject = {
        id: 'c',
        object: 'chat.completion',
        model: 'x',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: said, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: tokens, completion_tokens: 1 },
      };
      const collector = dialects.openai.collector();
      for (const event of dialects.openai.replay(completion)) collector.add(event);
      expect(collector.reply()).toEqual(completion);
    }),
  );
});
