/** Computes the usage for which a call is charged. */
import type { Usage } from '#core/contracts/chat.ts';
import { costOf, demoCost } from '#core/limits/prices.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import { resolveModel } from '#core/models/routing/plan.ts';
import type { ChatCall } from './call.ts';
import type { KnownCall } from './call-stages.ts';
import { isSameModel } from './replied-model.ts';

/** Returns the provider's counts, or estimates without them. Usage is zero if no provider accepted the call. */
export function usageOf(known: KnownCall): Usage {
  const { call, progress } = known;
  if (!progress || refusedByAll(known)) return { input_tokens: 0, output_tokens: 0 };
  const { counted } = progress;
  // A stream that was cut short has counts from its start only: Anthropic reports one token before the first word.
  const whole = !call.stream || progress.finishReason !== undefined;
  const complete = whole && counted.input_tokens !== undefined && counted.output_tokens !== undefined;
  return {
    ...counted,
    input_tokens: counted.input_tokens ?? call.inputTokens,
    output_tokens: Math.max(counted.output_tokens ?? 0, complete ? 0 : progress.estimatedOutput),
    ...(!complete && { estimated: true }),
  };
}

/** Attempts that providers do not charge for: unreachable, or answered with an error status. */
const free = /^([45]\d\d|unreachable|unavailable|breaker_open|no_key)$/;

const refusedByAll = ({ provider, attempts = [] }: KnownCall): boolean =>
  provider === undefined && attempts.every(({ error }) => free.test(error));

export function costOfCall(known: KnownCall): { microusd: number; estimated: boolean } {
  const { call } = known;
  const { configuration } = call.snapshot;
  if (known.demo) return demoCost(configuration, call.resolvedModel, usageOf(known));
  // Charges the served tier, not the requested one [budget.served].
  const surcharge = surchargeOf({ ...call.body, ...known.progress?.served });
  const costs = [call.resolvedModel, ...otherModelsOf(known)].map((model) =>
    costOf(configuration, model, usageOf(known), surcharge),
  );
  return costs.reduce((dearest, cost) => (cost.microusd > dearest.microusd ? cost : dearest));
}

/**
 * Returns the models named in the reply that were not requested. The most expensive is charged [chat.replied-model].
 */
export function otherModelsOf({ call, progress, demo }: KnownCall): readonly string[] {
  return !progress || demo ? [] : otherModelsIn(call, progress.models);
}

/** Returns the names that are neither the call's model nor a snapshot or alias of it. */
export function otherModelsIn(
  { snapshot, model: asked, resolvedModel }: Pick<ChatCall, 'snapshot' | 'model' | 'resolvedModel'>,
  names: readonly string[],
): readonly string[] {
  return names.filter(
    (name) =>
      !isSameModel(resolvedModel, name) &&
      !isSameModel(asked, name) &&
      !isSameModel(resolvedModel, resolveModel(snapshot.configuration, name)),
  );
}
