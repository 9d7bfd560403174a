/**
 * The tables as data. `features/tables.ts` adds those of features. All tables are on-demand and encrypted, and have
 * PITR. TTL only cleans up; code always compares the time attribute.
 */
interface TableIndex {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly projection: 'ALL' | 'KEYS_ONLY';
}

export interface TableSpec {
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly ttl?: string;
  readonly stream?: 'NEW_IMAGE';
  readonly indexes?: readonly TableIndex[];
  /** Purpose of the table, for the generated reference. */
  readonly holds: string;
}

/** Tables by name, except those of features. All keys are strings. */
export const tables = {
  evidence: {
    holds:
      'evidence entries: chain = tenant#session, position = zero-padded index; by_time = audit order, day = tenant#day#shard',
    partitionKey: 'chain',
    sortKey: 'position',
    stream: 'NEW_IMAGE',
    indexes: [{ name: 'by_time', partitionKey: 'day', sortKey: 'at', projection: 'KEYS_ONLY' }],
  },
  sessions: {
    holds:
      'chain head, owner, counts of each session: id = tenant#session; also signed manifests and risk of keys; by_opened = list of a tenant, opened_in = tenant#shard',
    partitionKey: 'id',
    indexes: [{ name: 'by_opened', partitionKey: 'opened_in', sortKey: 'opened', projection: 'KEYS_ONLY' }],
  },
  approvals: {
    holds:
      'approval records by envelope_id and one pointer per call digest; by_status = pending list and history; by_due = records due for the sweep, of all tenants',
    partitionKey: 'id',
    ttl: 'ttl',
    indexes: [
      { name: 'by_status', partitionKey: 'tenant_status', sortKey: 'queued', projection: 'KEYS_ONLY' },
      { name: 'by_due', partitionKey: 'due_in', sortKey: 'due', projection: 'KEYS_ONLY' },
    ],
  },
  actions: {
    holds:
      'allowed actions the gateway has started, until their outcome is recorded; outcomes under idempotency keys; by_due = those to close',
    partitionKey: 'id',
    ttl: 'ttl',
    indexes: [{ name: 'by_due', partitionKey: 'due_in', sortKey: 'due_at', projection: 'KEYS_ONLY' }],
  },
  config: {
    holds:
      'policy version rows, the current pointer, the digest of the last imported file; tenants and keys added by the API, keys by digest; by_list = tenants, or the keys of one',
    partitionKey: 'id',
    indexes: [{ name: 'by_list', partitionKey: 'listed_in', sortKey: 'id', projection: 'KEYS_ONLY' }],
  },
  credentials: {
    holds:
      'issued credentials: scope, expiry, revocation; never a value; also capability tickets; kept_in = tenant#shard; by_due = those due for revocation',
    partitionKey: 'kept_in',
    sortKey: 'id',
    ttl: 'ttl',
    indexes: [{ name: 'by_due', partitionKey: 'due_in', sortKey: 'revoke_due', projection: 'KEYS_ONLY' }],
  },
  salts: {
    holds:
      'salts of redacted values: id = tenant#entry; deleting one makes its value unrecoverable without breaking the chain',
    partitionKey: 'id',
  },
  observations: {
    holds:
      'projections of the evidence stream: decision counters, violations, archive marks; rebuildable; head and index of the transparency log; chains that wait for their checkpoint, which the stream delivers',
    partitionKey: 'series',
    sortKey: 'at',
    ttl: 'ttl',
    stream: 'NEW_IMAGE',
  },
  alerts: {
    holds:
      'alerts: scope = tenant or _ for the platform, id = digest of type, dimension and metric; earlier ones are kept, too; by_open = those that are not resolved, of all scopes',
    partitionKey: 'scope',
    sortKey: 'id',
    ttl: 'ttl',
    indexes: [{ name: 'by_open', partitionKey: 'open_in', sortKey: 'opened_at', projection: 'KEYS_ONLY' }],
  },
  counters: {
    holds:
      'per tenant: windows of the rate limits, spend of the budgets, open reservations, in one versioned item or up to 512 shards; global budgets; breakers of providers',
    partitionKey: 'id',
  },
  connections: {
    holds: 'open WebSockets: their callers, and which requests run',
    partitionKey: 'id',
    ttl: 'ttl',
  },
  cancellations: {
    holds:
      'running calls that their owners asked to cancel: id = tenant#key#call; checked once per second while a call runs',
    partitionKey: 'id',
    ttl: 'expires',
  },
  mcp: {
    holds:
      'MCP sessions, with the point at which they continue at each upstream; fingerprints of tool definitions per upstream',
    partitionKey: 'id',
    ttl: 'ttl',
  },
  manifests: {
    holds: 'task manifests by id, and what each session and key is bound by; by_created = list of a tenant',
    partitionKey: 'tenant',
    sortKey: 'id',
    ttl: 'ttl',
    indexes: [{ name: 'by_created', partitionKey: 'tenant', sortKey: 'created', projection: 'ALL' }],
  },
  traces: {
    holds: 'the last traces of all processes: ring = one of eight shards, at = time#suffix; some traces in each item',
    partitionKey: 'ring',
    sortKey: 'at',
    ttl: 'ttl',
  },
  batches: {
    holds:
      'files and batches that callers have at model providers, without content: owner = tenant#key, id in time order',
    partitionKey: 'owner',
    sortKey: 'id',
    ttl: 'ttl',
  },
  rollouts: {
    holds: 'rollouts by id, and which one is in force for each model',
    partitionKey: 'kind',
    sortKey: 'id',
  },
  deliveries: {
    stream: 'NEW_IMAGE',
    holds: 'notifications to send: due time, attempts, dead letters; callback replays already seen',
    partitionKey: 'id',
    ttl: 'ttl',
    indexes: [{ name: 'by_due', partitionKey: 'due_in', sortKey: 'due', projection: 'KEYS_ONLY' }],
  },
} as const satisfies Record<string, TableSpec>;

/** Id suffix of evaluator deliveries. Functions that respond to chat calls may not put any other deliveries. */
export const evaluationIdEnd = '#evaluation#evaluation';

/** Specifications of the tables that features declare, by name. */
// biome-ignore lint/suspicious/noEmptyInterface: features add its members
export interface FeatureTables {}

export type TableName = keyof typeof tables | keyof FeatureTables;

/** Returns the environment variable that contains a table's physical name. */
export const tableEnvironment = (table: TableName): string => `TABLE_${table.toUpperCase()}`;
