/** Host time limits. A configuration that exceeds them is refused when it is loaded. */

export interface HostLimits {
  /** The host's name in error messages. */
  readonly name: string;
  /** Limit in milliseconds for a held approval and its execution, for HTTP, Git and SQL calls. */
  readonly executionMs: number;
  /** The same limit for calls from MCP clients to MCP servers. */
  readonly mcpMs: number;
  readonly commandMs: number;
  /** Maximum time for which an idle event stream may stay open. Absent if open streams cost nothing. */
  readonly eventStreamMs?: number;
  /** `false` if functions cannot detect that the HTTP caller disconnected or whether a response arrived. */
  readonly seesCallers?: false;
}

/**
 * Timeouts of the functions that execute actions, in seconds. API Gateway closes a response after 5 minutes without
 * data, so `action` responds before that. `mcp` responses are event streams with pings.
 */
export const functionSeconds = { action: 300, mcp: 900, sandbox: 60 } as const;

/** Upper limit for an execution on any host: the longest timeout above. */
export const longestExecutionSeconds = Math.max(...Object.values(functionSeconds));

/** Time reserved for making the decision and minting credentials before an execution, and for recording its outcome. */
const keptMs = 20_000;

/** Limits on Lambda, which ends a function at its timeout. The sandbox must respond before that. */
export const lambdaLimits: HostLimits = {
  name: 'AWS Lambda',
  executionMs: functionSeconds.action * 1000 - keptMs,
  mcpMs: functionSeconds.mcp * 1000 - keptMs,
  commandMs: functionSeconds.sandbox * 1000 - 10_000,
  // An open stream occupies one function, and Lambda bills for it.
  eventStreamMs: 25_000,
  seesCallers: false,
};
