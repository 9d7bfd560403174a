/** Alerts. */
import * as z from 'zod';
import { alertSchema } from '#core/contracts/answers/alerts.ts';
import { count } from '#core/contracts/answers/parts.ts';
import { paging } from '#core/contracts/route.ts';
import { operation } from '../endpoint.ts';

const common = {
  function: 'observatory',
  rights: { tables: { alerts: 'append' }, queries: ['alerts', 'alerts.by_open'] },
} as const;

export const alerts = {
  listAlerts: operation({
    route: 'GET /admin/v1/alerts',
    ...common,
    role: 'viewer',
    query: ['state', ...paging],
    summary: 'Alerts, newest first',
    graph: {
      field: 'alerts(state: String): AlertConnection',
      types: `type AlertConnection { nodes: [Alert!]!  pageInfo: PageInfo! }
type Alert {
  id: ID!
  severity: String!
  type: String!
  dimension: String!
  metric: String!
  value: Float!
  threshold: Float!
  message: String!
  state: String!
  createdAt: Time!
  acknowledgedBy: String
  resolvedAt: Time
}`,
      member: 'alerts',
    },
    command: {
      words: 'alerts',
      summary: 'List alerts, newest first',
      examples: ['alerts', 'alerts --only active', "alerts --json | jq -r '.alerts[] | [.severity, .message] | @tsv'"],
      options: { state: '--only <state> active, acknowledged or resolved' },
    },
    output: () =>
      z.strictObject({
        alerts: z.array(alertSchema).meta({ description: 'Newest first, at most 500.' }),
        total: count.meta({ description: 'Number of alerts in this state, shown or not.' }),
        cursor: z.string().optional().meta({
          description: 'Present if there are more open alerts of tenants that are stored as rows: pass it as `cursor`.',
        }),
      }),
    run: async () => (await import('#core/operations/alerts.ts')).listAlerts,
  }),
  acknowledgeAlert: operation({
    route: 'POST /admin/v1/alerts/{id}/acknowledge',
    ...common,
    role: 'operator',
    summary: 'Acknowledge an alert',
    // Sends a message.
    rights: { ...common.rights, tables: { ...common.rights.tables, deliveries: 'append' } },
    command: {
      words: 'alerts acknowledge <id>',
      summary: 'Acknowledge an alert: a person is looking into it',
      examples: ['alerts acknowledge default.58d2e2b6e25fa1ce-1'],
    },
    output: () => alertSchema,
    run: async () => (await import('#core/operations/alerts.ts')).acknowledgeAlert,
  }),
};
