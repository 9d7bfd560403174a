/** What a call is charged with, from what its stages returned. */
import type { Usage } from '#core/contracts/chat.ts';
import { costOf, demoCost } from '#core/limits/prices.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import type { KnownCall } from './call-stages.ts';

/** The provider's counts, else estimates; nothing where no provider took the call. */
export function usageOf(known: KnownCall): Usage {
  const { call, progress } = known;
  if (!progress || refusedByAll(known)) return { input_tokens: 0, output_tokens: 0 };
  const { counted } = progress;
  // A stream cut short has counts of its beginning: Anthropic's says one token before the first word.
  const whole = !call.stream || progress.finishReason !== undefined;
  const complete = whole && counted.input_tokens !== undefined && counted.output_tokens !== undefined;
  return {
    ...counted,
    input_tokens: counted.input_tokens ?? call.inputTokens,
    output_tokens: Math.max(counted.output_tokens ?? 0, complete ? 0 : progress.estimatedOutput),
    ...(!complete && { estimated: true }),
  };
}

/** Attempts that providers ask no money for: not reached, or answered with an error status. */
const free = /^([45]\d\d|unreachable|unavailable|breaker_open|no_key)$/;

const refusedByAll = ({ provider, attempts = [] }: KnownCall): boolean =>
  provider === undefined && attempts.every(({ error }) => free.test(error));

export function costOfCall(known: KnownCall): { microusd: number; estimated: boolean } {
  const { call } = known;
  const { configuration } = call.snapshot;
  if (known.demo) return demoCost(configuration, call.resolvedModel, usageOf(known));
  return costOf(configuration, call.resolvedModel, usageOf(known), surchargeOf(call.body));
}
