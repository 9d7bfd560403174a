/** MCP tool definitions. */
import * as z from 'zod';
import { decision, sha256Hex, time } from '#core/contracts/answers/parts.ts';
import { capabilities } from '#core/contracts/envelope.ts';
import { operation } from '../endpoint.ts';

const seen = { fingerprint: sha256Hex.optional(), seen_at: time };
const about = z.strictObject({
  read_only: z.boolean().optional(),
  destructive: z.boolean().optional(),
  target: z.string().optional(),
});
/** Recorded tool of an MCP server, with its classification under the active policy. */
const seenTool = {
  upstream: z.string(),
  tool: z.string(),
  ...seen,
  state: z.enum(['new', 'changed', 'accepted']),
  changed: z
    .strictObject({
      fingerprint: sha256Hex,
      seen_at: time,
      guard: z.array(z.string()).optional(),
      shadows: z.array(z.string()).optional(),
    })
    .optional(),
  protocol: z.string(),
  policy_name: z.string(),
  capability: z.enum(capabilities),
  why: z.string(),
  target_argument: z.string().optional(),
  decision,
  matched_rule: z.string(),
  hidden: z.boolean(),
};
/** Definition as sent by the server: untrusted text. */
const definition = z.record(z.string(), z.unknown());

export const mcpTools = {
  listMcpTools: operation({
    route: 'GET /admin/v1/mcp/tools',
    function: 'policies',
    role: 'viewer',
    summary: 'MCP tool definitions seen, and which have changed',
    output: () => z.strictObject({ tools: z.array(z.strictObject(seenTool)) }),
    run: async () => (await import('#core/operations/mcp.ts')).listMcpTools,
  }),
  showMcpTool: operation({
    route: 'GET /admin/v1/mcp/tools/{name}',
    function: 'policies',
    role: 'viewer',
    query: ['upstream'],
    summary: 'One MCP tool: its accepted and its offered definition, and what the later one adds',
    command: {
      words: 'mcp show <tool>',
      summary: 'Show one tool: its offered definition next to the accepted one',
      examples: ['mcp show get_file', 'mcp show get_file --upstream notes --json'],
      options: { upstream: '<name> server, if several have the tool' },
    },
    output: () =>
      z.strictObject({
        ...seenTool,
        accepted: definition.optional().meta({ description: 'The text under `fingerprint`, if it is stored.' }),
        offered: definition.optional().meta({ description: 'The text under `changed.fingerprint`, if it is stored.' }),
        introduces: z
          .array(z.strictObject({ kind: z.string(), where: z.string().optional(), description: z.string() }))
          .optional()
          .meta({ description: 'What the offered definition adds to the accepted one, in sentences.' }),
        difference: z
          .array(z.strictObject({ path: z.string(), before: z.string().optional(), after: z.string().optional() }))
          .optional()
          .meta({ description: 'Both texts compared member by member; at most 200 places.' }),
        shadows: z.array(z.string()).meta({ description: 'Tools of other servers that it shadows.' }),
        not_kept: z.array(z.string()).meta({ description: 'Which text is missing, and why.' }),
      }),
    run: async () => (await import('#core/operations/mcp.ts')).showMcpTool,
  }),
  acceptMcpTool: operation({
    route: 'POST /admin/v1/mcp/tools/{name}/accept',
    function: 'policies',
    role: 'operator',
    humansOnly: true,
    query: ['upstream', 'fingerprint'],
    summary: 'Accept a changed definition',
    output: () =>
      z.strictObject({
        upstream: z.string(),
        tool: z.string(),
        ...seen,
        about: about.optional(),
        shadows: z.array(z.string()).optional(),
        state: z.literal('accepted'),
        evidence_hash: z.string(),
      }),
    run: async () => (await import('#core/operations/mcp.ts')).acceptMcpTool,
  }),
};
