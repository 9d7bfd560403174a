/** Builds the command for a call to executor `shell`. */
import * as z from 'zod';
import type { ExecutorSettings } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { shellCarriers } from '#core/contracts/executor-tools.ts';
import { callRefused } from '../fault.ts';
import { parametersOf } from '../parameters.ts';
import type { Command, ExecutorPorts } from '../ports.ts';

type ShellSettings = ExecutorSettings['shell'];

const shellParameters = z.strictObject({
  /** The program and its arguments. */
  argv: z.array(z.string()).min(1).max(1024).optional(),
  /** The same command as a single line that needs no evaluation by a shell. */
  command: z.string().min(1).optional(),
  /** A folder below the configured working directory. */
  cwd: z.string().optional(),
  /** Time limit, capped at the configured one. */
  timeout_ms: z.int().positive().optional(),
});

/**
 * Shell names. With `command`, these tools only name the line's syntax. With `argv`, they would run the shell itself.
 */
const shells = ['bash', 'sh'];

/** Builds the command for a call. @throws ExecutionFault `refused` */
export async function commandOf(
  envelope: ActionEnvelope,
  settings: ShellSettings,
  shellWords: ExecutorPorts['shellWords'],
): Promise<Command> {
  const parameters = parametersOf(shellParameters, envelope.parameters);
  const argv = await argvOf(parameters, shellWords);
  const [program] = argv;
  assertProgram(
    program,
    envelope.tool,
    parameters.argv === undefined ? [...shellCarriers, ...shells] : shellCarriers,
    settings,
  );
  if (argv.some((word) => word.includes('\0') || !word.isWellFormed()))
    throw callRefused('an argument is not well-formed text');
  return {
    argv,
    ...(settings.working_directory !== undefined && { root: settings.working_directory }),
    ...(parameters.cwd !== undefined && { cwd: parameters.cwd }),
    timeoutMs: Math.min(parameters.timeout_ms ?? settings.timeout_ms, settings.timeout_ms),
    maxOutputBytes: settings.max_output_bytes,
    maxProcesses: settings.max_processes,
    perProcess: { memoryBytes: settings.max_memory_bytes, cpuSeconds: settings.max_cpu_seconds },
    env: settings.env,
    ...(settings.contained && { containment: { network: settings.network } }),
  };
}

async function argvOf(
  { argv, command }: z.infer<typeof shellParameters>,
  shellWords: ExecutorPorts['shellWords'],
): Promise<readonly [string, ...string[]]> {
  if ((argv === undefined) === (command === undefined))
    throw callRefused('the call names no program', 'Give either argv (a list of strings) or command (one line).');
  const words = argv ?? (await shellWords?.(command!));
  const [program, ...rest] = words ?? [];
  if (program === undefined || program === '')
    throw callRefused(
      'the line is more than one plain command',
      'No shell runs here: no pipes, redirections, variables or wildcards. Give argv, one action for each command.',
    );
  return [program, ...rest];
}

function assertProgram(
  program: string,
  tool: string,
  carriers: readonly string[],
  { allowed_binaries }: ShellSettings,
): void {
  const operation = tool.slice(tool.lastIndexOf('.') + 1);
  if (!carriers.includes(operation.toLowerCase()) && operation !== program)
    throw callRefused(`tool ${tool} does not run ${program}`, 'Name the tool after its program, or use shell.run.');
  if (!allowed_binaries.includes(program))
    throw callRefused(
      `program ${program} is not among ${allowed_binaries.join(', ') || 'those allowed (none)'}`,
      'Name programs without a folder; an operator lists them under executors.shell.allowed_binaries.',
    );
}
