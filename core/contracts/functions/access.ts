/** Rights and resources shared by several functions. */

/** Requests are CPU-bound, and CPU grows with memory: 1,024 MB answer sooner at about the same price. */
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

/** Tables for deciding about an action and recording its outcome. */
export const governing = {
  ...configuration,
  evidence: 'append',
  sessions: 'append',
  approvals: 'write',
  credentials: 'write',
  salts: 'put',
  manifests: 'get',
  cancellations: 'write',
  /** Sources seen by sessions, for rules on sources. */
  provenance: 'write',
  /** Definitions of tools that servers have listed. */
  mcp: 'append',
  traces: 'put',
} as const;
/** Queries for approvals: looks them up in their chain, and counts pending requests. */
export const approving = ['evidence', 'approvals.by_status'] as const;
/** Queries for decisions: also the sources that the session has seen. */
export const deciding = [...approving, 'provenance'] as const;

/** Rights for executing allowed actions, in addition to the tables. */
export const executing = {
  votes: 'verifies',
  assumesBrokerRoles: true,
  queriesClusters: true,
  runsCommands: true,
  callsUpstreams: true,
} as const;

/** Tables for the optional classifier of the tool guard: counters, to which its model calls are charged. */
export const classifying = { counters: 'write' } as const;
