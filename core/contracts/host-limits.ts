/** How long a host lets an execution take: a configuration that promises more is refused where it is loaded. */
import { functions } from './functions.ts';

export interface HostLimits {
  /** For error messages. */
  readonly name: string;
  /** A held approval and the execution after it, in milliseconds: HTTP, Git and SQL. */
  readonly executionMs: number;
  /** The same for calls of MCP clients to MCP servers. */
  readonly mcpMs: number;
  /** One command. */
  readonly commandMs: number;
}

/** Kept of a function's time for deciding and minting before an execution, and for recording its outcome after it. */
const keptMs = 20_000;

const ofFunctions = (...names: readonly (keyof typeof functions)[]): number =>
  Math.min(...names.map((name) => functions[name].timeoutSeconds)) * 1000 - keptMs;

/** Lambda ends a function at its time-out; the sandbox must answer before its own. */
export const lambdaLimits: HostLimits = {
  name: 'AWS Lambda',
  executionMs: ofFunctions('test-action', 'approval-steps'),
  mcpMs: ofFunctions('mcp'),
  commandMs: functions.sandbox.timeoutSeconds * 1000 - 10_000,
};
