/** Projects an evaluator's score to its minute, and to the scored call in the request log. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Score } from '#core/observatory/evaluation/message.ts';
import type { ScoredCall } from '#core/observatory/evaluation/record.ts';
import { dimensionOf } from './dimensions.ts';
import type { Measures } from './measures.ts';
import type { Point, Projection } from './projection.ts';

export function projectScore({ tenant, body }: EvidenceEntry): Omit<Projection, 'tenant' | 'hash' | 'timestamp'> {
  const { call, score, labels, feedback } = body as Score & { readonly call?: ScoredCall };
  if (!call) return { counter: { kind: 'admin' } };
  const measures: Measures = {
    evaluations: 1,
    ...(score !== undefined && { scores: 1, score_millionths: millionths(score) }),
  };
  const points: Point[] = [
    { dimension: 'global', measures },
    { dimension: dimensionOf('tenant', tenant), measures },
    { dimension: dimensionOf('model', call.model), measures },
    ...(call.provider === null ? [] : [{ dimension: dimensionOf('provider', call.provider), measures }]),
  ];
  const said = { ...(score !== undefined && { score }), ...(labels && { labels }), ...(feedback && { feedback }) };
  return { counter: { kind: 'admin' }, points, evaluated: { at: call.at, entry: call.entry, said } };
}

/** Converts a score to an integer, so that sums do not depend on their order. */
const millionths = (score: number): number => Math.round(score * 1_000_000);
