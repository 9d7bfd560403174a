/** How long a host lets an execution take: a configuration that promises more is refused where it is loaded. */

export interface HostLimits {
  /** For error messages. */
  readonly name: string;
  /** A held approval and the execution after it, in milliseconds: HTTP, Git and SQL. */
  readonly executionMs: number;
  /** The same for calls of MCP clients to MCP servers. */
  readonly mcpMs: number;
  /** One command. */
  readonly commandMs: number;
  /** How long a stream may stay open that waits for messages; absent where open streams cost nothing. */
  readonly eventStreamMs?: number;
  /** `false` where the host does not tell a function that its HTTP caller has gone, nor whether an answer arrived. */
  readonly seesCallers?: false;
}

/**
 * Time-outs of the functions that carry actions out, in seconds. API Gateway cuts off an answer that is silent for 5 minutes: `action`
 * ends with it, and says before what it knows. The answers of `mcp` are event streams with pings.
 */
export const functionSeconds = { action: 300, mcp: 900, sandbox: 60 } as const;

/** No execution takes longer, wherever it runs: the longest of the functions above. */
export const longestExecutionSeconds = Math.max(...Object.values(functionSeconds));

/** Kept of a function's time for deciding and minting before an execution, and for recording its outcome after it. */
const keptMs = 20_000;

/** Lambda ends a function at its time-out; the sandbox must answer before its own. */
export const lambdaLimits: HostLimits = {
  name: 'AWS Lambda',
  executionMs: functionSeconds.action * 1000 - keptMs,
  mcpMs: functionSeconds.mcp * 1000 - keptMs,
  commandMs: functionSeconds.sandbox * 1000 - 10_000,
  // An open stream occupies one function, and Lambda bills it.
  eventStreamMs: 25_000,
  seesCallers: false,
};

/** A process of its own: an open stream that waits for messages occupies no function. */
export const planeLimits: HostLimits = {
  name: 'the streaming plane',
  executionMs: lambdaLimits.executionMs,
  mcpMs: lambdaLimits.mcpMs,
  commandMs: lambdaLimits.commandMs,
};
