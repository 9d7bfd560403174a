import type { GraphList } from '#core/contracts/route.ts';

/**
 * Returns the GraphQL schema of the admin surface, published as `docs/reference/schema.graphql`. Each field of `Query` and
 * `Mutation` is an operation of the routes table; names are the same in camelCase [admin.graphql].
 * @param lists the lists that other features add.
 */
export const sdl = (lists: readonly GraphList[]): string => `"ISO 8601 time, UTC."
scalar Time
"Free-form parameters of a call, as JSON."
scalar Parameters

enum Role { viewer operator admin }
enum KeyKind { agent human service }

type Query {
  usage(from: Time, to: Time, path: String): Usage
  providers: ProviderConnection
  tenants: TenantConnection
  policies: ToolPolicy
  cache: CacheStatistics
  violations(path: String, limit: Int = 50, cursor: String): ViolationConnection
  analytics(dimension: [String!], from: Time, to: Time, step: String, path: String): AnalyticsConnection
  alerts(state: String): AlertConnection
  budgets(path: String): BudgetConnection
  rollouts: RolloutConnection
  audit(actor: String, kind: String, session: String, tool: String, decision: String, from: Time, to: Time, path: String, limit: Int = 50, cursor: String): AuditConnection
${lists.map(({ field }) => `  ${field}\n`).join('')}  whoami: Whoami
}

type Mutation {
  acknowledgeAlert(id: ID!): Alert
  createRollout(input: CreateRolloutInput!): Rollout
  pauseRollout(id: ID!): Rollout
  resumeRollout(id: ID!): Rollout
  rollbackRollout(id: ID!): Rollout
}

type PageInfo { hasNextPage: Boolean!  endCursor: String }
type Count { name: String!  count: Int! }

type Usage {
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
type ModelUsage { model: String!  requests: Int!  inputTokens: Float!  outputTokens: Float!  costUsd: Float!  errors: Int! }

type ProviderConnection { nodes: [Provider!]!  pageInfo: PageInfo! }
type Provider {
  name: String!
  type: String!
  enabled: Boolean!
  models: [String!]!
  region: String
  baseUrl: String
  hasKey: Boolean!
  keySet: Boolean
  health: String!
  reason: String
  breaker: String
  requests: Int!
  errors: Int!
  errorRate: Float!
  p95LatencyMs: Float
}

type TenantConnection { nodes: [Tenant!]!  pageInfo: PageInfo! }
type Tenant { id: ID!  name: String!  keys: Int!  requestsPerMinute: Int  tokensPerMinute: Int  allowedModels: [String!]!  maxBodyBytes: Float }

type ToolPolicy { version: Int!  policy: String!  defaultDecision: String!  guards: [Guard!]!  rules: [Rule!]!  warnings: [String!]! }
type Guard { name: String!  reason: String }
type Rule { protocol: String  tool: String  target: String  capability: String  upstream: String  decision: String!  reason: String  suggestedAlternative: String  arguments: Parameters }

type CacheStatistics {
  enabled: Boolean!
  semantic: Boolean!
  ttlSeconds: Int!
  maxEntries: Int!
  hits: Int!
  semanticHits: Int!
  misses: Int!
  hitRate: Float!
  evictions: Int!
  entries: Int
}

type ViolationConnection { nodes: [Violation!]!  pageInfo: PageInfo!  byPolicy: [Count!]!  byRule: [Count!]!  byTenant: [Count!]!  byAction: [Count!]! }
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
}

type AnalyticsConnection { nodes: [Series!]!  pageInfo: PageInfo!  from: Time!  to: Time!  step: String! }
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
}

type AlertConnection { nodes: [Alert!]!  pageInfo: PageInfo! }
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
}

type BudgetConnection { nodes: [Budget!]!  pageInfo: PageInfo! }
type Budget { tenant: String  scope: String!  scopeId: String!  keyName: String  period: String!  limitUsd: Float!  spentUsd: Float!  reservedUsd: Float!  percentage: Float!  tier: String! }

type RolloutConnection { nodes: [Rollout!]!  pageInfo: PageInfo! }
type Rollout {
  id: ID!
  tenant: String!
  routeModel: String!
  baselineProviders: [String!]!
  canaryProvider: String!
  stages: [Int!]!
  currentStage: Int!
  currentPercentage: Float!
  state: String!
  observationWindowMs: Float!
  errorThreshold: Float!
  latencyP95Threshold: Float!
  startAt: Time
  stageStartedAt: Time!
  createdAt: Time!
  createdBy: String!
  completedAt: Time
  rollbackReason: String
}
input CreateRolloutInput {
  routeModel: String!
  canaryProvider: String!
  stages: [Int!]
  observationWindow: String
  errorThreshold: Float
  latencyP95Threshold: Float
  startAt: Time
}

type AuditConnection { nodes: [AuditEntry!]!  pageInfo: PageInfo!  unreadable: [UnreadableEntry!]! }
type UnreadableEntry { tenant: String!  sessionId: ID!  index: Int! }
type AuditEntry {
  tenant: String!
  sessionId: String!
  index: Int!
  timestamp: Time!
  kind: String!
  envelopeId: ID!
  actor: Parameters!
  body: Parameters!
  previousHash: String!
  hash: String!
}

${lists.map(({ types }) => `${types}\n\n`).join('')}type Whoami { tenant: String!  role: Role!  kind: KeyKind!  keyId: String!  name: String  person: String  owner: String  platform: Boolean! }
`;
