/** Recorded chat completion streams, byte for byte, with their content. */
import * as z from 'zod';
import { object, readCases, text } from '../support/yaml.ts';

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-4o-mini' };
const line = (chunk: object): string => `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`;

/** Bytes, the delta of a choice with its finish reason and index, or other members of a chunk. */
const event = z.union([
  text,
  z
    .tuple([object, text.nullable().default(null), z.number().default(0)])
    .transform(([delta, finish_reason, index]) => line({ choices: [{ index, delta, logprobs: null, finish_reason }] })),
  object.transform(line),
]);
const call = z.strictObject({ id: text, name: text, arguments: text });
const optional = text.exactOptional();
const said = z.strictObject({
  content: optional,
  refusal: optional,
  reasoning: optional,
  finish: text,
  calls: z.array(call).exactOptional(),
});
/** Content that the caller must have received at the end, choice by choice. */
export type Said = Readonly<z.infer<typeof said>>;

const stream = z
  .strictObject({
    events: z.array(event),
    said: z.tuple([said], said),
    /** `usage` of the last chunk that has one. */
    usage: object.exactOptional(),
  })
  .transform(({ events, ...of }) => ({ sse: events.join(''), ...of }));

export const openaiStreams = readCases(
  'test/golden/openai-streams.yaml',
  z.strictObject({
    text: stream,
    /** Two calls in sequence, with arguments in one-byte pieces and text before them. */
    parallelTools: stream,
    /** The same two calls, with alternating pieces. */
    interleavedTools: stream,
    /** Complete arguments, index 0 for every call, `stop` at the end, as compatible servers send them. */
    wholeTools: stream,
    /** A call without arguments, and text after it. */
    emptyArguments: stream,
    refusal: stream,
    twoChoices: stream,
    emptyDeltas: stream,
    /**
     * Byte order mark, comments, every kind of line ending, no space after the colon, an event over several data lines.
     */
    oddFraming: stream,
    reasoning: stream,
    contentFilter: stream,
  }),
);
