/** Recorded Anthropic message streams, byte for byte, with their content. */
import * as z from 'zod';
import { object, readCases, text } from '../support/yaml.ts';

/** Bytes, or the data of an event. */
const event = z.union([text, object.transform((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)]);
const stream = z
  .strictObject({ events: z.array(event), content: z.array(object), stop: text, usage: object })
  .transform(({ events, ...of }) => ({ sse: events.join(''), ...of }));

export const anthropicStreams = readCases(
  'test/golden/anthropic-streams.yaml',
  z.strictObject({
    text: stream,
    tools: stream,
    refusal: stream,
    /** Comments and CRLF; counts are sent twice and the later ones apply. */
    oddFraming: stream,
  }),
);
