/** Event streams that MCP clients keep open for messages. */
import * as z from 'zod';

const offer = z.enum(['auto', 'on', 'off']).default('auto');

export const mcpStreams = z
  .strictObject({
    event_streams: offer.meta({
      description:
        'Whether GET /mcp and subscriptions/listen are offered. auto: yes on a host of its own, no on AWS Lambda, which bills open streams; on there, a stream ends after 25 seconds.',
    }),
    older_transport: offer.meta({
      description:
        'Whether GET /sse is offered. auto: yes on a host of its own, no on AWS Lambda; on there, each open client occupies one function.',
    }),
    max_streams_per_key: z
      .int()
      .positive()
      .max(1_000)
      .default(64)
      .meta({ description: 'Open streams of one key; further ones are refused with 429.' }),
    max_streams_per_session: z
      .int()
      .positive()
      .max(100)
      .default(4)
      .meta({ description: 'Open streams of one session; further ones are refused with 429.' }),
  })
  .prefault({});
