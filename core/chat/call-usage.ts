/** Computes the usage for which a call is charged. */
import type { Usage } from '#core/contracts/chat.ts';
import { countOf } from '#core/kernel/narrow.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { costOf, demoCost } from '#core/limits/prices.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import { resolveModel } from '#core/models/routing/plan.ts';
import type { ChatCall } from './call.ts';
import type { KnownCall } from './call-stages.ts';

/** Returns the provider's counts, or estimates if there are none. Usage is zero if no provider accepted the call. */
export function callUsage(known: KnownCall): Usage {
  const { call, progress } = known;
  if (!progress || refusedByAll(known)) return { input_tokens: 0, output_tokens: 0 };
  const { counted } = progress;
  // A stream that was cut short only has counts from its start: Anthropic reports one token before the first word.
  const whole = !call.stream || progress.hasEnded(countOf(call.body.n) ?? 1);
  const complete = whole && counted.input_tokens !== undefined && counted.output_tokens !== undefined;
  return {
    ...counted,
    input_tokens: counted.input_tokens ?? call.inputTokens,
    output_tokens: Math.max(counted.output_tokens ?? 0, complete ? 0 : progress.estimatedOutput),
    ...(!complete && { estimated: true }),
  };
}

/** Attempts that providers do not charge for: those that were unreachable or returned an error status. */
const free = /^([45]\d\d|unreachable|unavailable|breaker_open|no_key)$/;

const refusedByAll = ({ provider, attempts = [] }: KnownCall): boolean =>
  provider === undefined && attempts.every(({ error }) => free.test(error));

/** Charge for an ended call. */
export interface Charge {
  readonly usage: Usage;
  readonly cost: Cost;
  /** Models named in the reply that were not requested. */
  readonly otherModels: readonly string[];
}

type Cost = ReturnType<typeof costOf>;

export function chargeOf(known: KnownCall): Charge {
  const usage = callUsage(known);
  const otherModels = otherModelsOf(known);
  return { usage, otherModels, cost: costOfCall(known, usage, otherModels) };
}

function costOfCall({ call, demo, progress }: KnownCall, usage: Usage, otherModels: readonly string[]): Cost {
  const { configuration } = call.snapshot;
  if (demo) return demoCost(configuration, call.resolvedModel, usage);
  // The charge is for the tier that was served, not the one requested [budget.served].
  const surcharge = surchargeOf({ ...call.body, ...progress?.served });
  let dearest = costOf(configuration, call.resolvedModel, usage, surcharge);
  for (const model of otherModels) {
    const cost = costOf(configuration, model, usage, surcharge);
    if (cost.microusd > dearest.microusd) dearest = cost;
  }
  return dearest;
}

/**
 * Returns the models named in the reply that were not requested. The most expensive is charged [budget.served].
 */
function otherModelsOf({ call, progress, demo }: KnownCall): readonly string[] {
  return !progress || demo ? [] : otherModelsIn(call, progress.models);
}

/** Returns the names that are neither the requested model nor a snapshot or alias of it. */
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

/** Date or version at the end of a name: a snapshot of the same model. */
const snapshot = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|00\d|0|latest)$/;

/** Returns the name without vendor, variant, snapshot and Bedrock version. */
const plainName = rememberedText((model: string): string => {
  const name = model.toLowerCase().split('/').at(-1)!;
  return name
    .replace(/^(?:[a-z]+\.)+/, '')
    .replace(/:[a-z0-9]+$/, '')
    .replace(/-v\d+$/, '')
    .replace(snapshot, '');
});

/** Checks whether a reply comes from the requested model [budget.served]. */
export const isSameModel = (asked: string, replied: string): boolean =>
  asked === replied || plainName(asked) === plainName(replied);
