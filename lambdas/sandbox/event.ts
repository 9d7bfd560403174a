/** The `sandbox` function: runs one program in an empty folder, without network access, rights or secrets. */
import type { CommandRunner } from '#core/execution/executors/ports.ts';
import { type SandboxReply, sandboxCommand, sandboxReplyTo } from '#core/execution/executors/sandbox-message.ts';

/** Revalidates the executor's input and runs the program. */
export const createHandler =
  (run: CommandRunner) =>
  (event: unknown): Promise<SandboxReply> =>
    sandboxReplyTo(async () => run(sandboxCommand(event)));
