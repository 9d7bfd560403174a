/** Function `sandbox`: runs one program in an empty folder; it has no network, no rights, and no secrets. */
import type { CommandRunner } from '#core/execution/executors/ports.ts';
import { type SandboxReply, sandboxCommand, sandboxReplyTo } from '#core/execution/executors/sandbox-message.ts';

/** What executors sent; it is validated again here. */
export const createHandler =
  (run: CommandRunner) =>
  (event: unknown): Promise<SandboxReply> =>
    sandboxReplyTo(async () => run(sandboxCommand(event)));
