/** Rights and resources shared by several functions. */

/**
 * Settings of functions that respond to callers. Requests are CPU-bound, and CPU grows with memory, so functions with
 * 1,024 MB respond sooner at about the same price.
 */
export const interactive = { timeoutSeconds: 29, memoryMb: 1024 } as const;
export const configuration = { config: 'get' } as const;
/** Tables that a vote changes, through any channel. */
export const voting = {
  ...configuration,
  evidence: 'append',
  sessions: 'append',
  approvals: 'write',
  salts: 'put',
  deliveries: 'append',
} as const;

/** Tables used to make a decision on an action and record its outcome. */
export const governing = {
  ...configuration,
  evidence: 'append',
  sessions: 'append',
  approvals: 'write',
  credentials: 'write',
  salts: 'put',
  manifests: 'get',
  cancellations: 'write',
  /** Definitions of tools that servers have listed. */
  mcp: 'append',
  traces: 'put',
} as const;
/** Queries for approvals: looking them up in their chain, and counting pending requests. */
export const approving = ['evidence', 'approvals.by_status'] as const;

/** Rights for executing allowed actions, in addition to the tables. */
export const executing = {
  votes: 'verifies',
  assumesBrokerRoles: true,
  queriesClusters: true,
  runsCommands: true,
  callsUpstreams: true,
} as const;

/** Table for the tool guard's optional classifier: the counters to which its model calls are charged. */
export const classifying = { counters: 'write' } as const;
