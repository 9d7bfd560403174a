/** Every deployed function as data: who may touch what. The stacks build roles from it, a test compares the template. */
import { functionSeconds } from './host-limits.ts';
import type { TableName } from './tables.ts';

type Access = 'get' | 'put' | 'append' | 'write';
type ObjectAccess = 'read' | 'write';

export interface FunctionSpec {
  readonly purpose: string;
  /** By key: `get` reads rows, `put` puts them and reads nothing, `append` does both, `write` also updates them. */
  readonly tables: Partial<Record<TableName, Access>>;
  /** Tables and `table.index`es that the function lists: no access word implies it. */
  readonly queries?: readonly (TableName | `${TableName}.${string}`)[];
  readonly startsApprovals?: boolean;
  /** Starts the clock of a rollout. */
  readonly startsRollouts?: boolean;
  readonly settlesTasks?: boolean;
  readonly signs?: boolean;
  readonly verifiesSignatures?: boolean;
  /** Appends to the transparency logs and signs their checkpoints, or reads the logs and the public half of their key. */
  readonly log?: 'appends' | 'reads';
  /** Signs approving votes with their own key, or reads that key's public half to use an approval. */
  readonly votes?: 'signs' | 'verifies';
  /** Secrets the function may read: keys of tenants, chat signing, brokers, model providers. None reads the admin token. */
  readonly secrets?: readonly (
    | 'keys'
    | 'slack'
    | 'github'
    | 'brokers'
    | 'webhooks'
    | 'providers'
    | 'canary'
    | 'federation'
  )[];
  /** Answers through the response-streaming integration, whether the caller streams or not. */
  readonly streams?: true;
  /** May invoke models of Amazon Bedrock. */
  readonly invokesModels?: true;
  /** May invoke this function, asynchronously. */
  readonly handsOverTo?: string;
  /** May post to and close WebSocket connections. */
  readonly postsToConnections?: true;
  /** May assume the roles and read the stored secrets that the deployment names for its credential brokers. */
  readonly assumesBrokerRoles?: true;
  /** Calls servers that may stand in a private network: runs in the VPC that a deployment names. */
  readonly callsUpstreams?: true;
  /** May run statements on the Aurora clusters that the deployment names, by the RDS Data API. */
  readonly queriesClusters?: true;
  /** May have the `sandbox` run a command, and waits for it. */
  readonly runsCommands?: true;
  /** Runs programs that others chose: no environment, no network, no rights; so many at a time, so much disk. */
  readonly sandboxed?: { readonly concurrency: number; readonly diskMb: number };
  /** Bodies of configurations and WASM modules in the object store. */
  readonly objects?: ObjectAccess;
  /** Large results of actions in the object store. */
  readonly results?: ObjectAccess;
  /** Texts of tool definitions in the object store. */
  readonly definitions?: ObjectAccess;
  /** May write (never delete or overwrite) the Object-Lock archive. */
  readonly archives?: boolean;
  /** May remove rows of evidence. */
  readonly expires?: true;
  /** May list and read the archive and the checkpoints beside it. */
  readonly readsArchive?: boolean;
  readonly schedule?: { readonly everyMinutes: number };
  /** Runs only where the deployment asks for it. */
  readonly optional?: true;
  readonly stream?: TableName;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

/** What a row permits, without what it runs with. */
export type Rights = Omit<FunctionSpec, 'timeoutSeconds' | 'memoryMb'>;

/** What a request takes is CPU, and a function's share of it grows with its memory: 1,024 MB answer sooner at about the same price. */
const interactive = { timeoutSeconds: 29, memoryMb: 1024 } as const;
const configuration = { config: 'get' } as const;
/** What a vote changes, whichever way it comes in. */
const voting = {
  ...configuration,
  evidence: 'append',
  sessions: 'append',
  approvals: 'write',
  salts: 'put',
  deliveries: 'append',
} as const;

/** What deciding about an action, and recording what became of it, changes. */
const governing = {
  ...configuration,
  evidence: 'append',
  sessions: 'append',
  approvals: 'write',
  credentials: 'write',
  salts: 'put',
  manifests: 'get',
  cancellations: 'write',
  /** What sessions have seen, where a rule asks. */
  provenance: 'write',
  /** Definitions of the tools of servers that were seen. */
  mcp: 'append',
  traces: 'put',
} as const;
/** An approval is looked up in the chain that it was given in; what waits is counted. */
const approving = ['evidence', 'approvals.by_status'] as const;
/** With what the session of a call has seen. */
const deciding = [...approving, 'provenance'] as const;

/** What carrying out allowed actions takes, besides the stores. */
const executing = {
  votes: 'verifies',
  assumesBrokerRoles: true,
  queriesClusters: true,
  runsCommands: true,
  callsUpstreams: true,
} as const;

/** What the classifier of the tool guard takes, where one is configured: models, and counters that their calls are charged to. */
const classifying = { counters: 'write' } as const;

/** What a chat call may touch. It reads and writes no credential: its own travel as secrets of the providers. */
const chat = {
  tables: {
    ...configuration,
    evidence: 'append',
    sessions: 'append',
    counters: 'write',
    approvals: 'write',
    salts: 'put',
    manifests: 'get',
    cancellations: 'write',
    // What the person said, for tool calls of the same session.
    provenance: 'write',
    rollouts: 'get',
    // A share of the calls is queued for an evaluator.
    deliveries: 'put',
    traces: 'put',
  },
  queries: [...approving, 'rollouts'],
  startsApprovals: true,
  votes: 'verifies',
  secrets: ['providers'],
  objects: 'read',
  results: 'read',
  invokesModels: true,
  callsUpstreams: true,
  timeoutSeconds: 900,
  // They wait for providers, and are billed for it (docs/explanation/cost.md). test/runtime/memory.ts holds that it is enough.
  memoryMb: 512,
} as const;

export const functions = {
  'chat-completions': {
    ...chat,
    purpose: 'answers chat completions, responses, embeddings and other endpoints of models; files and batches',
    tables: { ...chat.tables, batches: 'append' },
    queries: [...chat.queries, 'batches'],
    streams: true,
  },
  messages: { ...chat, purpose: 'answers messages calls and governs their tool use', streams: true },
  'count-tokens': {
    ...interactive,
    purpose: 'estimates the tokens of a messages request',
    tables: { ...configuration, counters: 'write' },
    objects: 'read',
  },
  models: {
    ...interactive,
    purpose: 'lists the models a tenant may use; cancels running requests',
    // Whether a request that does not run has ended stands in evidence.
    tables: { ...configuration, evidence: 'get', cancellations: 'write', counters: 'write' },
    queries: ['evidence.by_time'],
    objects: 'read',
  },
  ws: {
    ...interactive,
    purpose: 'takes WebSocket connections and messages, and hands chat calls over',
    tables: { ...configuration, connections: 'write' },
    objects: 'read',
    handsOverTo: 'ws-worker',
    postsToConnections: true,
  },
  'ws-worker': {
    ...chat,
    purpose: 'answers a chat call over its WebSocket',
    tables: { ...chat.tables, connections: 'write' },
    postsToConnections: true,
  },
  'test-action': {
    purpose: 'governs one action',
    tables: { ...governing, ...classifying, actions: 'write' },
    queries: deciding,
    ...executing,
    startsApprovals: true,
    secrets: ['brokers', 'providers'],
    invokesModels: true,
    objects: 'read',
    results: 'write',
    definitions: 'write',
    streams: true,
    timeoutSeconds: functionSeconds.action,
    memoryMb: 1024,
  },
  mcp: {
    purpose: 'answers MCP clients: governs tool calls, passes the rest on to upstream servers',
    tables: { ...governing, actions: 'write', deliveries: 'append', counters: 'write', mcp: 'write' },
    queries: deciding,
    votes: 'verifies',
    assumesBrokerRoles: true,
    callsUpstreams: true,
    startsApprovals: true,
    settlesTasks: true,
    secrets: ['brokers', 'providers'],
    invokesModels: true,
    objects: 'read',
    results: 'write',
    definitions: 'write',
    streams: true,
    timeoutSeconds: functionSeconds.mcp,
    memoryMb: 1024,
  },
  approvals: {
    ...interactive,
    purpose: 'lists approvals, takes votes',
    tables: voting,
    queries: ['approvals.by_status'],
    votes: 'signs',
    settlesTasks: true,
    objects: 'read',
    results: 'read',
  },
  'approval-callback': {
    ...interactive,
    purpose: 'takes votes from the webhooks of chat and Git hosts',
    // Slack waits three seconds: it is answered before the vote is recorded.
    streams: true,
    tables: voting,
    votes: 'signs',
    settlesTasks: true,
    secrets: ['slack', 'github'],
    objects: 'read',
  },
  evidence: {
    purpose: 'exports, verifies and reports evidence; the audit log; the transparency log and its cosignatures',
    // Where the log stands, and who cosigned it, lies beside the projections.
    // Budgets in force are compared with what entries say.
    tables: { ...configuration, evidence: 'get', sessions: 'append', observations: 'append', counters: 'get' },
    queries: ['evidence', 'evidence.by_time', 'observations', 'sessions.by_opened'],
    signs: true,
    log: 'reads',
    readsArchive: true,
    objects: 'read',
    streams: true,
    timeoutSeconds: 900,
    memoryMb: 1024,
  },
  policies: {
    ...interactive,
    startsRollouts: true,
    purpose:
      'configuration, policy versions, simulation and explanation; MCP tool definitions; task manifests; session risk; rollouts',
    tables: {
      config: 'write',
      evidence: 'append',
      sessions: 'append',
      approvals: 'get',
      mcp: 'append',
      manifests: 'write',
      rollouts: 'append',
      // What both sides of a rollout did.
      observations: 'get',
    },
    queries: ['evidence', 'evidence.by_time', 'manifests.by_created', 'observations', 'rollouts'],
    secrets: ['keys'],
    objects: 'write',
    definitions: 'read',
  },
  credentials: {
    ...interactive,
    purpose: 'lists and revokes issued credentials and capability tickets',
    tables: { ...configuration, evidence: 'append', sessions: 'append', credentials: 'write' },
    queries: ['credentials'],
    callsUpstreams: true,
    secrets: ['brokers'],
    objects: 'read',
  },
  federation: {
    ...interactive,
    purpose: 'serves the configuration to data planes, takes their status, evidence heads and metrics',
    tables: {
      ...configuration,
      // A chain of a plane that differs from what it reported is recorded.
      evidence: 'append',
      sessions: 'append',
      federation: 'append',
      observations: 'put',
    },
    queries: ['federation'],
    signs: true,
    objects: 'read',
  },
  observatory: {
    ...interactive,
    startsRollouts: true,
    purpose:
      'health, whoami, status, usage, requests, analytics, alerts, violations, budgets, metrics, GraphQL; rebuilds projections',
    tables: {
      ...configuration,
      // Acknowledging an alert is recorded and announced.
      alerts: 'append',
      approvals: 'get',
      // Rebuilding reads the log and is recorded in it.
      evidence: 'append',
      sessions: 'append',
      observations: 'write',
      deliveries: 'append',
      // GraphQL moves rollouts.
      rollouts: 'append',
      counters: 'get',
    },
    queries: [
      'alerts',
      'approvals.by_status',
      'deliveries.by_due',
      'evidence',
      'evidence.by_time',
      'observations',
      'rollouts',
      'sessions.by_opened',
      'traces',
    ],
    objects: 'read',
  },
  'approval-steps': {
    purpose: 'the steps of the approval state machine: announce, hold the task token, time out, execute, record',
    tables: { ...governing, ...classifying, deliveries: 'append' },
    queries: ['evidence', 'provenance'],
    ...executing,
    settlesTasks: true,
    secrets: ['brokers', 'providers'],
    invokesModels: true,
    objects: 'read',
    results: 'write',
    definitions: 'write',
    timeoutSeconds: functionSeconds.action,
    memoryMb: 512,
  },
  sweep: {
    purpose:
      'starts clocks that did not start, settles decided executions, denies what expired, ends leases and reservations',
    tables: {
      ...configuration,
      evidence: 'append',
      sessions: 'append',
      approvals: 'write',
      credentials: 'write',
      actions: 'write',
      deliveries: 'append',
      counters: 'write',
      rollouts: 'append',
      observations: 'get',
    },
    queries: ['actions.by_due', 'approvals.by_status', 'credentials.by_due', 'evidence', 'observations', 'rollouts'],
    startsApprovals: true,
    settlesTasks: true,
    callsUpstreams: true,
    secrets: ['brokers'],
    objects: 'read',
    schedule: { everyMinutes: 1 },
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  alerts: {
    purpose: 'measures traffic, budgets, approvals and chains each minute, opens and resolves alerts',
    tables: {
      ...configuration,
      alerts: 'append',
      approvals: 'get',
      counters: 'get',
      deliveries: 'append',
      evidence: 'append',
      // What data planes reported.
      federation: 'get',
      observations: 'get',
      sessions: 'append',
    },
    queries: ['alerts', 'approvals.by_status', 'evidence', 'observations', 'sessions.by_opened'],
    objects: 'read',
    schedule: { everyMinutes: 1 },
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  notify: {
    purpose: 'delivers notifications with retries and a dead letter',
    // What an evaluator answers is evidence.
    tables: { ...configuration, approvals: 'get', deliveries: 'append', evidence: 'append', sessions: 'append' },
    queries: ['deliveries.by_due'],
    callsUpstreams: true,
    secrets: ['slack', 'github', 'webhooks'],
    objects: 'read',
    stream: 'deliveries',
    schedule: { everyMinutes: 1 },
    timeoutSeconds: 60,
    memoryMb: 256,
  },
  sandbox: {
    purpose: 'runs one command of an allowed shell action: no network, no rights, an empty folder',
    tables: {},
    sandboxed: { concurrency: 10, diskMb: 512 },
    timeoutSeconds: functionSeconds.sandbox,
    memoryMb: 1024,
  },
  archive: {
    ...interactive,
    purpose: 'compares evidence with the archive when asked, and archives what is missing',
    tables: { ...configuration, evidence: 'append', sessions: 'append', observations: 'write' },
    queries: ['evidence', 'sessions.by_opened'],
    archives: true,
    readsArchive: true,
    signs: true,
    log: 'appends',
    objects: 'read',
  },
  'archive-check': {
    purpose:
      'compares every session with the archive once a day, counts what is missing, removes rows that expired and are archived',
    tables: { ...configuration, evidence: 'append', sessions: 'append' },
    queries: ['evidence', 'sessions.by_opened'],
    expires: true,
    readsArchive: true,
    verifiesSignatures: true,
    objects: 'read',
    schedule: { everyMinutes: 1440 },
    timeoutSeconds: 900,
    memoryMb: 512,
  },
  canary: {
    purpose: 'makes a round of calls each minute as a caller and an approver do, where the deployment asks for it',
    tables: {},
    secrets: ['canary'],
    schedule: { everyMinutes: 1 },
    optional: true,
    timeoutSeconds: 55,
    memoryMb: 256,
  },
  'federation-poll': {
    purpose:
      'asks the control plane for the configuration each minute and reports to it, where the deployment is a data plane',
    tables: {
      config: 'write',
      approvals: 'get',
      // What comes into force or is refused is recorded; chains are reported as the tables have them.
      evidence: 'append',
      sessions: 'append',
      observations: 'get',
    },
    queries: ['approvals.by_status', 'evidence', 'observations', 'sessions.by_opened'],
    callsUpstreams: true,
    // Its token alone: keys of the plane are stored by their digests, by the function that takes configurations.
    secrets: ['federation'],
    objects: 'write',
    schedule: { everyMinutes: 1 },
    optional: true,
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  project: {
    purpose:
      'projects the evidence stream into observations and the archive, signs checkpoints of it, appends to the transparency log, queues policy events',
    tables: { observations: 'write', deliveries: 'put' },
    archives: true,
    readsArchive: true,
    signs: true,
    log: 'appends',
    stream: 'evidence',
    timeoutSeconds: 60,
    memoryMb: 1024,
  },
} as const satisfies Record<string, FunctionSpec>;

export type FunctionName = keyof typeof functions;

/** Functions with a `schedule` that every deployment has. */
export type ScheduledFunction = {
  [Name in FunctionName]: (typeof functions)[Name] extends { readonly optional: true }
    ? never
    : (typeof functions)[Name] extends { readonly schedule: object }
      ? Name
      : never;
}[FunctionName];
