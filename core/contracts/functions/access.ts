/** What several functions may touch, and what they run with. */

/** What a request takes is CPU, and a function's share of it grows with its memory: 1,024 MB answer sooner at about the same price. */
export const interactive = { timeoutSeconds: 29, memoryMb: 1024 } as const;
export const configuration = { config: 'get' } as const;
/** What a vote changes, whichever way it comes in. */
export const voting = {
  ...configuration,
  evidence: 'append',
  sessions: 'append',
  approvals: 'write',
  salts: 'put',
  deliveries: 'append',
} as const;

/** What deciding about an action, and recording what became of it, changes. */
export const governing = {
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
export const approving = ['evidence', 'approvals.by_status'] as const;
/** With what the session of a call has seen. */
export const deciding = [...approving, 'provenance'] as const;

/** What carrying out allowed actions takes, besides the stores. */
export const executing = {
  votes: 'verifies',
  assumesBrokerRoles: true,
  queriesClusters: true,
  runsCommands: true,
  callsUpstreams: true,
} as const;

/** What the classifier of the tool guard takes, where one is configured: models, and counters that their calls are charged to. */
export const classifying = { counters: 'write' } as const;
