/** Usage, chat calls, analytics and violations. */

import * as z from 'zod';
import { counts, cursor, subject, time } from '#core/contracts/answers/parts.ts';
import { bucketSchema, requestRowSchema, usageCounts } from '#core/contracts/answers/usage.ts';
import { paging } from '#core/contracts/route.ts';
import { count as countOf, fields } from '#core/kernel/json-fields.ts';
import { usd as dollars, milliseconds as ms, optionOf } from '../command.ts';
import { operation } from '../endpoint.ts';
import { violation } from './status.ts';

const answer = z.strictObject({
  from: time,
  to: time,
  path: z.string().optional().meta({ description: 'The path as requested: global is then the traffic below it.' }),
  step: z.enum(['1m', '5m', '1h']),
  dimensions: z.array(z.string()).meta({
    description: 'global, tenant:<id>, model:<name>, provider:<name>, tool:<name>, plane:<name>: the keys of summary.',
  }),
  summary: z
    .record(z.string(), z.array(bucketSchema))
    .meta({ description: 'Buckets by dimension, oldest first; a step without traffic has none.' }),
});

export const usage = {
  usage: operation({
    route: 'GET /admin/v1/usage',
    function: 'observatory',
    role: 'viewer',
    query: ['from', 'to', 'path'],
    summary: 'Counts per tenant, decision, tool and model',
    command: {
      words: 'usage',
      summary: 'Show requests, tokens and cost by model, and decisions on actions',
      examples: [
        'usage',
        'usage --from 2026-11-01T00:00:00Z',
        "usage --json | jq '.models[] | [.model, .cost_usd]'",
        'usage --path acme/web',
      ],
      options: { from: '<time> first hour (ISO 8601)', to: '<time> last hour', path: optionOf.path },
    },
    output: () =>
      z.strictObject({
        ...subject,
        from: time.optional(),
        to: time.optional(),
        ...usageCounts,
      }),
    run: async () => (await import('#core/operations/observatory.ts')).usage,
  }),
  listRequests: operation({
    route: 'GET /admin/v1/requests',
    function: 'observatory',
    role: 'operator',
    query: ['model', 'outcome', 'key', 'text', 'from', 'to', 'path', ...paging],
    summary: 'Chat calls, newest first',
    command: {
      words: 'requests',
      summary: 'List chat calls of the last 48 hours, newest first',
      examples: ['requests --limit 20', 'requests --outcome failed', 'requests --model mock --json'],
      options: {
        path: optionOf.path,
        model: '<name> model as requested, or as resolved',
        outcome: '<outcome> completed, cached, blocked, review, aborted, failed, refused',
      },
      table: {
        of: 'requests',
        none: 'no chat call in the last 48 hours',
        columns: {
          time: 'at',
          model: ({ resolved_model, model }) => resolved_model ?? model,
          provider: 'provider',
          outcome: ({ outcome, demo }) => (demo === true ? `${outcome} (demo)` : outcome),
          status: 'status',
          tokens: ({ tokens }) => `${countOf(fields(tokens).input)}/${countOf(fields(tokens).output)}`,
          cost: ({ cost_usd }) => dollars(cost_usd),
          took: ({ latency_ms }) => ms(latency_ms),
          cache: 'cache',
          rule: ({ matched_rule, error }) => matched_rule ?? error,
        },
      },
    },
    output: () =>
      z.strictObject({
        requests: z.array(requestRowSchema),
        cursor,
      }),
    run: async () => (await import('#core/operations/chat-views.ts')).listRequests,
  }),
  analytics: operation({
    route: 'GET /admin/v1/analytics',
    function: 'observatory',
    role: 'viewer',
    query: ['dimension', 'from', 'to', 'step', 'path'],
    repeatable: ['dimension'],
    summary: 'Buckets of the last 48 hours by dimension',
    command: {
      words: 'analytics',
      summary: 'Show requests, errors, latency, tokens and cost of the last 48 hours by dimension',
      examples: [
        'analytics',
        'analytics --dimension model:gpt-4o --dimension tool:scm.create_pull_request --step 5m',
        'analytics --path acme/web --dimension global',
        "analytics --from 2026-11-23T08:00:00Z --step 1h --json | jq '.summary'",
      ],
      options: {
        dimension: '<dimension> global, tenant:<id>, model:<name>, provider:<name>, tool:<name> (repeatable)',
        from: '<time> earliest time (ISO 8601; default: an hour ago)',
        to: optionOf.to,
        step: '<step> 1m, 5m or 1h',
        path: '<glob> totals of all tenants below a path of the organisations, such as acme/web or acme/**/production',
      },
    },
    output: () => answer,
    run: async () => (await import('#core/operations/analytics.ts')).analytics,
  }),
  realtimeAnalytics: operation({
    route: 'GET /admin/v1/analytics/realtime',
    function: 'observatory',
    role: 'viewer',
    query: ['dimension', 'path'],
    repeatable: ['dimension'],
    summary: 'Buckets of the last five minutes by dimension',
    output: () => answer,
    run: async () => (await import('#core/operations/analytics.ts')).realtimeAnalytics,
  }),
};

export const violations = {
  violations: operation({
    route: 'GET /admin/v1/violations',
    function: 'observatory',
    role: 'viewer',
    query: ['path', ...paging],
    summary: 'Policy violations with breakdowns',
    graph: {
      field: 'violations(path: String, limit: Int = 50, cursor: String): ViolationConnection',
      types: `type ViolationConnection { nodes: [Violation!]!  pageInfo: PageInfo!  byPolicy: [Count!]!  byRule: [Count!]!  byTenant: [Count!]!  byAction: [Count!]! }
type Violation {
  at: Time!
  envelopeId: ID!
  sessionId: String!
  policy: String
  matchedRule: String
  protocol: String
  tool: String
  target: String
  capability: String
  keyId: String!
  agent: String
  reason: String
}`,
      member: 'violations',
    },
    command: {
      words: 'violations',
      summary: 'List blocked actions and findings of content filters, newest first',
      examples: ['violations --limit 10', 'violations --json | jq .by_policy'],
      options: { path: optionOf.path },
    },
    output: () =>
      z.strictObject({
        violations: z.array(violation),
        by_policy: counts.meta({ description: 'Blocked actions by policy, chat calls by content filter.' }),
        by_rule: counts.meta({ description: 'Blocked actions by the rule that blocked them.' }),
        by_tenant: counts,
        by_action: counts,
        cursor,
      }),
    run: async () => (await import('#core/operations/observatory.ts')).violations,
  }),
};
