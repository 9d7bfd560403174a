/** HTTP surfaces: the gateway, MCP and admin listeners. */
import * as z from 'zod';
import { mcpStreams } from './mcp-streams.ts';
import { bodyBytes, defaultAdminTokenName, secretName } from './words.ts';

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
        'Requests one key may send to the admin surface in a second, all routes together; those of five seconds at once. Each process counts for itself.',
    }),
  })
  .prefault({});
