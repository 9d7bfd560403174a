/** HTTP surfaces: the gateway, MCP and admin listeners. */
import * as z from 'zod';
import { defaultAdminTokenName } from './secret-names.ts';
import { bodyBytes, secretName } from './words.ts';

const offer = z.enum(['auto', 'on', 'off']).default('auto');

/** Event streams that MCP clients keep open for messages. */
const mcpStreams = z
  .strictObject({
    event_streams: offer.meta({
      description:
        'Whether GET /mcp and subscriptions/listen are offered. auto: yes on a host of its own, no on AWS Lambda, which bills open streams; with on, a stream there ends after 25 seconds.',
    }),
    older_transport: offer.meta({
      description:
        'Whether GET /sse is offered. auto: yes on a host of its own, no on AWS Lambda; with on, each open client there occupies one function.',
    }),
    max_streams_per_key: z
      .int()
      .positive()
      .max(1_000)
      .default(64)
      .meta({ description: 'Open streams of one key; additional ones are refused with 429.' }),
    max_streams_per_session: z
      .int()
      .positive()
      .max(100)
      .default(4)
      .meta({ description: 'Open streams of one session; additional ones are refused with 429.' }),
  })
  .prefault({});

export const server = z
  .strictObject({
    max_body_bytes: bodyBytes.default(10 * 1024 * 1024).meta({
      description: 'Largest request body in bytes; larger ones are refused with 413. A tenant may have a lower limit.',
    }),
    cors: z
      .strictObject({
        allowed_origins: z
          .array(z.string().min(1))
          .default([])
          .meta({ description: 'Origins such as https://app.example.com. Without any, browsers are refused.' }),
      })
      .prefault({})
      .meta({ description: 'Which web pages may call the gateway and MCP surfaces.' }),
    mcp: mcpStreams.meta({ description: 'Event streams that MCP clients keep open.' }),
  })
  .prefault({});

export const admin = z
  .strictObject({
    token_env: secretName.default(defaultAdminTokenName).meta({
      description:
        'Name of the environment variable or secret that holds the token of the platform administrator. If it is not set, no administrator token is accepted.',
    }),
    requests_per_second: z.int().positive().max(100_000).default(50).meta({
      description:
        "Requests per second that one key may send to the admin surface, on all routes together; bursts of up to five seconds' worth are accepted. Each process counts separately.",
    }),
  })
  .prefault({});
