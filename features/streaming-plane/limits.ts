/** Limits of the streaming plane. It is a separate process, so idle streams do not occupy a function. */
import { type HostLimits, lambdaLimits } from '#core/contracts/host-limits.ts';

export const planeLimits: HostLimits = {
  name: 'the streaming plane',
  executionMs: lambdaLimits.executionMs,
  mcpMs: lambdaLimits.mcpMs,
  commandMs: lambdaLimits.commandMs,
};
