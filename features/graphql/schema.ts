import type { GraphField } from '#core/contracts/route.ts';

/** Fields whose operations return a different shape than over REST. */
const reshaped: readonly GraphField[] = [
  {
    field: 'usage(from: Time, to: Time, path: String): Usage',
    types: `type Usage {
  "Absent where path was asked for."
  tenant: String
  path: String
  tenants: [String!]
  from: Time
  to: Time
  total: Int!
  decisions: [Count!]!
  protocols: [Count!]!
  tools: [Count!]!
  blockedByRule: [Count!]!
  outcomes: [Count!]!
  requests: Int!
  inputTokens: Float!
  outputTokens: Float!
  costUsd: Float!
  models: [ModelUsage!]!
}
type ModelUsage { model: String!  requests: Int!  inputTokens: Float!  outputTokens: Float!  costUsd: Float!  errors: Int! }`,
  },
  {
    field: 'policies: ToolPolicy',
    types: `type ToolPolicy { version: Int!  policy: String!  defaultDecision: String!  guards: [Guard!]!  rules: [Rule!]!  warnings: [String!]! }
type Guard { name: String!  reason: String }
type Rule { protocol: String  tool: String  target: String  capability: String  upstream: String  decision: String!  reason: String  suggestedAlternative: String  arguments: Parameters }`,
  },
  {
    field: 'analytics(dimension: [String!], from: Time, to: Time, step: String, path: String): AnalyticsConnection',
    types: `type AnalyticsConnection { nodes: [Series!]!  pageInfo: PageInfo!  from: Time!  to: Time!  step: String! }
type Series { dimension: String!  buckets: [Bucket!]! }
type Bucket {
  timestamp: Time!
  requests: Int!
  errors: Int!
  errorRate: Float!
  p50LatencyMs: Float
  p95LatencyMs: Float
  p99LatencyMs: Float
  tokens: Float!
  costUsd: Float!
  blocked: Int!
  reviewed: Int!
  evaluations: Int
  score: Float
}`,
  },
];

/** Fields in schema order. All other fields follow `audit`. */
const order = [
  'usage',
  'providers',
  'tenants',
  'policies',
  'cache',
  'violations',
  'analytics',
  'alerts',
  'budgets',
  'rollouts',
  'audit',
];

/** Returns the name in a field declaration that includes arguments and type. */
export const fieldName = (field: string): string => /^\w+/.exec(field)![0];

function sortFields(fields: readonly GraphField[]): GraphField[] {
  const place = ({ field }: GraphField) => {
    const at = order.indexOf(fieldName(field));
    return at >= 0 ? at : order.length + Number(fieldName(field) === 'whoami');
  };
  return [...reshaped, ...fields].sort((a, b) => place(a) - place(b));
}

/**
 * Returns the GraphQL schema of the admin surface, published as `docs/reference/schema.graphql`. Each field of `Query`
 * and `Mutation` is an operation from the routes table, with the same name in camelCase [admin.graphql].
 * @param fields fields from the definitions.
 */
export function sdl(fields: readonly GraphField[]): string {
  const all = sortFields(fields);
  return `"ISO 8601 time, UTC."
scalar Time
"Free-form parameters of a call, as JSON."
scalar Parameters

enum Role { viewer operator admin }
enum KeyKind { agent human service }

type Query {
${all.map(({ field }) => `  ${field}\n`).join('')}}

type Mutation {
  acknowledgeAlert(id: ID!): Alert
  createRollout(input: CreateRolloutInput!): Rollout
  pauseRollout(id: ID!): Rollout
  resumeRollout(id: ID!): Rollout
  rollbackRollout(id: ID!): Rollout
}

type PageInfo { hasNextPage: Boolean!  endCursor: String }
type Count { name: String!  count: Int! }

${all.map(({ types }) => types).join('\n\n')}
`;
}
