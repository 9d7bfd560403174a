/** Health, metrics, the caller's identity, and a deployment's state. */
import * as z from 'zod';
import { count, health, share, time } from '#core/contracts/answers/parts.ts';
import {
  breaker,
  budgetSchema,
  dependencySchema,
  failingDeliverySchema,
  providerHealth,
  providerType,
  rateLimitSchema,
} from '#core/contracts/answers/status.ts';
import { capabilities } from '#core/contracts/envelope.ts';
import { keyKinds, roles } from '#core/contracts/route.ts';
import { operation } from '../endpoint.ts';

export const violation = z.looseObject({
  at: time,
  envelope_id: z.string(),
  session_id: z.string(),
  policy: z.string().optional(),
  matched_rule: z.string().optional(),
  protocol: z.string().optional(),
  tool: z.string().optional(),
  target: z.string().optional(),
  capability: z.enum(capabilities).optional(),
  key_id: z.string(),
  agent: z.string().optional(),
  reason: z.string().optional(),
});

export const status = {
  health: operation({
    route: 'GET /health',
    function: 'observatory',
    role: 'open',
    summary: 'Health and version',
    output: health,
  }),
  metrics: operation({
    route: 'GET /metrics',
    function: 'observatory',
    role: 'viewer',
    summary: 'Metrics in Prometheus text form',
    output: { text: 'text/plain' },
    run: async () => (await import('#core/operations/observatory.ts')).metrics,
  }),
  whoami: operation({
    route: 'GET /admin/v1/whoami',
    function: 'observatory',
    role: 'viewer',
    agents: 'yes',
    summary: 'Role, kind and tenant of the caller',
    graph: {
      field: 'whoami: Whoami',
      types: `type Whoami { tenant: String!  role: Role!  kind: KeyKind!  keyId: String!  name: String  person: String  owner: String  platform: Boolean! }`,
    },
    command: {
      words: 'whoami',
      summary: "Show the caller's role, kind and tenant",
      examples: ['whoami', 'whoami --json | jq .role'],
    },
    output: () =>
      z.strictObject({
        tenant: z.string(),
        role: z.enum(roles),
        kind: z.enum(keyKinds),
        key_id: z.string(),
        name: z.string().optional(),
        person: z.string().optional(),
        owner: z.string().optional(),
        platform: z.boolean(),
        path: z.string().optional().meta({
          description: '<organisation>/<team>/<project>/<environment> of the tenant, where it stands in one.',
        }),
        teams: z.array(z.string()).optional().meta({ description: 'Teams of the person, as <organisation>/<team>.' }),
      }),
    run: async () => (await import('#core/operations/observatory.ts')).whoami,
  }),
  status: operation({
    route: 'GET /admin/v1/health/detailed',
    function: 'observatory',
    role: 'viewer',
    summary: 'Stores, versions, queues, sessions, recent violations',
    command: {
      words: 'status',
      summary: 'Show providers, pending approvals, evidence sessions, budgets and recent violations',
      examples: ['status', 'status --json | jq .pending_approvals'],
    },
    output: () =>
      z.strictObject({
        status: z.enum(['ok', 'degraded', 'unavailable']).meta({
          description: 'degraded: a dependency that decisions do not need is down. unavailable: a store is down.',
        }),
        dependencies: z.array(dependencySchema),
        version: z.string(),
        tenant: z.string(),
        policy: z.string(),
        policy_version: count,
        warnings: z.array(z.string()),
        federation: z
          .strictObject({
            plane: z.string(),
            control_plane_version: count.meta({ description: '0 before the first document.' }),
            confirmed_at: time.optional().meta({ description: 'When the control plane last confirmed it.' }),
            expires_at: time.optional(),
            stale: z.string().optional().meta({ description: 'Why the configuration is stale.' }),
            refused: z.string().optional().meta({ description: 'Why the newest document was refused.' }),
            refused_at: time.optional(),
          })
          .optional()
          .meta({ description: 'On a data plane: what it has received from its control plane.' }),
        providers: z.array(
          z.strictObject({
            name: z.string(),
            type: providerType,
            enabled: z.boolean(),
            health: providerHealth,
            breaker: breaker.optional(),
            error_rate: share,
            reason: z.string().optional().meta({ description: 'Why it is unhealthy, if that is known.' }),
          }),
        ),
        pending_approvals: count,
        pending_approvals_more: z.literal(true).optional(),
        oldest_pending_seconds: count,
        evidence_sessions: count,
        evidence_sessions_more: z.literal(true).optional(),
        deliveries: z.strictObject({
          due: count,
          failing: z.array(failingDeliverySchema).meta({
            description: 'Notifications that did not reach their channel; those given up are listed here for 30 days.',
          }),
        }),
        budgets: z.array(budgetSchema),
        rate_limit: rateLimitSchema,
        recent_violations: z.array(violation),
      }),
    run: async () => (await import('#core/operations/observatory.ts')).status,
  }),
};
