/** Projects one evidence entry to the views. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { scored } from '#core/observatory/evaluation/record.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { dimensionOf } from './dimensions.ts';
import type { Measures } from './measures.ts';
import { projectChat } from './project-chat.ts';
import { projectScore } from './project-score.ts';
import { decisionKinds, type Point, type Projection } from './projection.ts';
import { latencyMeasures } from './sketch.ts';

export function projectEntry(entry: EvidenceEntry): Projection {
  const { tenant, hash, timestamp, kind } = entry;
  const base = { tenant, hash, timestamp };
  // The outcome has its own entry, which counts.
  if (kind === 'chat' && entry.body.outcome === 'begun') return { ...base, counter: { kind } };
  if (kind === 'chat') return { ...base, ...projectChat(entry) };
  if (kind === 'admin' && entry.body.action === scored) return { ...base, ...projectScore(entry) };
  if (!decisionKinds.includes(kind)) {
    const points = kind === 'result' ? [...actionPoints(entry, outcomeMeasures(entry)), ...upstreamPoints(entry)] : [];
    return { ...base, counter: { kind }, ...(points.length > 0 && { points }) };
  }
  const { protocol: written, tool } = callOf(entry);
  const protocol = foldCase(written); // rules ignore case, so counts do too
  const points = actionPoints(entry, decisionMeasures[kind as DecisionKind]);
  if (kind !== 'block') return { ...base, counter: { kind, protocol, tool }, points };
  const violation = violationOf(entry);
  const { matched_rule: rule, policy } = violation;
  const counter = { kind, protocol, tool, rule, ...(policy !== '' && { policy }) };
  return { ...base, counter, violations: [violation], points: [...points, ...unreachedPoints(entry)] };
}

type DecisionKind = 'allow' | 'review' | 'block';
/**
 * Measures of a decision. Each counts as a request; an approved action is decided twice and counts twice, as in usage.
 */
const decisionMeasures: Readonly<Record<DecisionKind, Measures>> = {
  allow: { requests: 1 },
  review: { requests: 1, reviewed: 1 },
  block: { requests: 1, blocked: 1 },
};

/** Returns the measures of an execution: outcome and latency. It is not another request. */
function outcomeMeasures({ body }: EvidenceEntry): Measures {
  const { outcome, latency_ms } = body;
  return {
    ...((outcome === 'failed' || outcome === 'unknown') && { errors: 1 }),
    ...(typeof latency_ms === 'number' && latency_ms >= 0 && latencyMeasures(latency_ms)),
  };
}

function actionPoints(entry: EvidenceEntry, measures: Measures): Point[] {
  if (Object.keys(measures).length === 0) return [];
  const tool = textOf(entry, 'tool');
  return [
    { dimension: 'global', measures },
    { dimension: dimensionOf('tenant', entry.tenant), measures },
    ...(tool === '' ? [] : [{ dimension: dimensionOf('tool', tool), measures }]),
    ...heldChatPoints(entry, measures),
  ];
}

/**
 * Counts a held chat call under its model, since it has no `chat` entry and no provider was called. After a decision, a
 * call that continues or ends has a `chat` entry, which counts.
 */
function heldChatPoints(entry: EvidenceEntry, measures: Measures): Point[] {
  const model = textOf(entry, 'target');
  if (entry.kind !== 'review' || textOf(entry, 'protocol') !== 'llm' || model === '') return [];
  return [{ dimension: dimensionOf('model', model), measures }];
}

/** Returns an upstream's points for an execution [admin.health-upstreams]. A refusal is not a fault of the upstream. */
function upstreamPoints({ body }: EvidenceEntry): Point[] {
  const { upstream, outcome, upstream_down, latency_ms } = body;
  if (typeof upstream !== 'string' || outcome === 'not_executed') return [];
  const took = typeof latency_ms === 'number' && latency_ms >= 0 && latencyMeasures(latency_ms);
  const measures = { requests: 1, ...(upstream_down === true && { errors: 1 }), ...took };
  return [{ dimension: dimensionOf('upstream', upstream), measures }];
}

/** Returns the points of a call that was not made because its server had not answered. */
function unreachedPoints({ body }: EvidenceEntry): Point[] {
  const { upstream, matched_rule } = body;
  if (typeof upstream !== 'string' || matched_rule !== 'upstream:unreachable') return [];
  return [{ dimension: dimensionOf('upstream', upstream), measures: { requests: 1, errors: 1 } }];
}

function violationOf(entry: EvidenceEntry) {
  const { agent, key_id } = entry.actor;
  const { reason } = entry.body;
  return {
    at: entry.timestamp,
    envelope_id: entry.envelope_id,
    session_id: entry.session_id,
    key_id,
    ...(agent !== undefined && { agent }),
    ...callOf(entry),
    target: textOf(entry, 'target'),
    capability: textOf(entry, 'capability'),
    policy: textOf(entry, 'policy'),
    matched_rule: textOf(entry, 'matched_rule'),
    ...(typeof reason === 'string' && { reason }),
  };
}

const callOf = (entry: EvidenceEntry) => ({ protocol: textOf(entry, 'protocol'), tool: textOf(entry, 'tool') });

/** Returns a text member, or an empty text, since bodies are free-form. */
function textOf(entry: EvidenceEntry, name: string): string {
  const value = entry.body[name];
  return typeof value === 'string' ? value : '';
}
