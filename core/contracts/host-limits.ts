/** Time limits of hosts. A configuration that exceeds them is refused when it is loaded. */

export interface HostLimits {
  /** Name of the host in error messages. */
  readonly name: string;
  /** Limit for a held approval and its execution, in milliseconds: HTTP, Git and SQL. */
  readonly executionMs: number;
  /** Same limit for calls of MCP clients to MCP servers. */
  readonly mcpMs: number;
  readonly commandMs: number;
  /** How long an idle event stream may stay open. Absent if open streams cost nothing. */
  readonly eventStreamMs?: number;
  /** `false` if functions cannot detect that the HTTP caller disconnected or whether a response arrived. */
  readonly seesCallers?: false;
}

/**
 * Time-outs of the functions that execute actions, in seconds. API Gateway closes a response after 5 minutes without
 * data, so `action` answers before that. Responses of `mcp` are event streams with pings.
 */
export const functionSeconds = { action: 300, mcp: 900, sandbox: 60 } as const;

/** Upper limit of an execution on any host: the longest time-out above. */
export const longestExecutionSeconds = Math.max(...Object.values(functionSeconds));

/** Time reserved for deciding and minting before an execution and for recording its outcome. */
const keptMs = 20_000;

/** Limits on Lambda, which ends a function at its time-out. The sandbox must answer before that. */
export const lambdaLimits: HostLimits = {
  name: 'AWS Lambda',
  executionMs: functionSeconds.action * 1000 - keptMs,
  mcpMs: functionSeconds.mcp * 1000 - keptMs,
  commandMs: functionSeconds.sandbox * 1000 - 10_000,
  // An open stream occupies one function, and Lambda bills it.
  eventStreamMs: 25_000,
  seesCallers: false,
};
