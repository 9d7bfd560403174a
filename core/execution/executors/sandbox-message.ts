/** Messages to and from the `sandbox` function: a command, and its result or fault. */
import * as z from 'zod';
import { lambdaLimits } from '#core/contracts/host-limits.ts';
import { ExecutionFault, type ExecutionFaultKind } from './fault.ts';
import type { Command, CommandResult } from './ports.ts';

/** Longest command duration, chosen so that the function can still respond before it ends. */
export const longestSandboxMs: number = lambdaLimits.commandMs;
/** Size limit for each output stream, since a function's response can be at most 6 MB. */
const longestOutputBytes = 1024 * 1024;

const commandSchema = z.strictObject({
  argv: z.tuple([z.string().min(1)], z.string()),
  cwd: z.string().optional(),
  timeoutMs: z.int().positive().max(longestSandboxMs),
  maxOutputBytes: z.int().positive(),
  maxProcesses: z.int().positive(),
  /** Programs in the function get no environment variables. */
  env: z.array(z.never()),
});

const result = z.strictObject({
  exit_code: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  timed_out: z.boolean(),
});

const fault = z.object({
  kind: z.custom<ExecutionFaultKind>((value) => typeof value === 'string'),
  message: z.string(),
  hint: z.string().optional(),
  uncertain: z.boolean(),
});

export const sandboxReply = z.union([z.strictObject({ result }), z.strictObject({ fault })]);
export type SandboxReply = z.infer<typeof sandboxReply>;

/** Parses a command. @throws ExecutionFault `refused` for any other event. */
export function sandboxCommand(event: unknown): Command {
  const read = commandSchema.safeParse(event);
  if (!read.success) throw new ExecutionFault('refused', 'the sandbox was given no command');
  const { cwd, ...command } = read.data;
  return {
    ...command,
    ...(cwd !== undefined && { cwd }),
    maxOutputBytes: Math.min(command.maxOutputBytes, longestOutputBytes),
  };
}

/** Runs a command and returns its result or fault as a reply message. */
export async function sandboxReplyTo(run: () => Promise<CommandResult>): Promise<SandboxReply> {
  try {
    const { not_limited: _, ...result } = await run(); // the function itself is the limit
    return { result };
  } catch (thrown) {
    if (!(thrown instanceof ExecutionFault)) throw thrown;
    const { kind, message, hint, effect } = thrown;
    return { fault: { kind, message, uncertain: effect === 'unknown', ...(hint !== undefined && { hint }) } };
  }
}
