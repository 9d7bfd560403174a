/** Projects one evidence entry to the views. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { type Score, type ScoredCall, scored } from '#core/observatory/evaluation/score.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { dimensionOf } from './dimensions.ts';
import type { Measures } from './measures.ts';
import { projectChat } from './project-chat.ts';
import { decisionKinds, type Point, type Projection } from './projection.ts';
import { latencyMeasures } from './sketch.ts';

export function projectEntry(entry: EvidenceEntry): Projection {
  const { tenant, hash, timestamp, kind } = entry;
  const base = { tenant, hash, timestamp };
  // The outcome has its own entry, which is the one counted.
  if (kind === 'chat' && entry.body.outcome === 'begun') return { ...base, counter: { kind } };
  if (kind === 'chat') return { ...base, ...projectChat(entry) };
  if (kind === 'admin' && entry.body.action === scored) return { ...base, ...projectScore(entry) };
  if (!decisionKinds.includes(kind)) {
    const points = kind === 'result' ? [...actionPoints(entry, outcomeMeasures(entry)), ...upstreamPoints(entry)] : [];
    return { ...base, counter: { kind }, ...(points.length > 0 && { points }) };
  }
  const { protocol: written, tool } = protocolAndTool(entry);
  const protocol = foldCase(written); // rules ignore case, so counts do too
  const points = actionPoints(entry, decisionMeasures[kind as DecisionKind]);
  const decider = deciderOf(entry);
  const call = { kind, protocol, tool, ...(decider !== undefined && { decider }) };
  if (kind !== 'block') return { ...base, counter: call, points };
  const violation = violationOf(entry);
  const { matched_rule: rule, policy } = violation;
  const counter = { ...call, rule, ...(policy !== '' && { policy }) };
  return { ...base, counter, violations: [violation], points: [...points, ...unreachedPoints(entry)] };
}

/**
 * Returns the rule's digest, the guard or `default`. The set of other names, such as those of approvals, is unbounded.
 */
function deciderOf(entry: EvidenceEntry): string | undefined {
  const rule = textMember(entry, 'matched_rule');
  if (rule === 'default' || rule.startsWith('guard:')) return rule;
  return textMember(entry, 'rule_sha256') || undefined;
}

type DecisionKind = 'allow' | 'review' | 'block';
/**
 * Metrics of a decision. Each decision counts as a request; an approved action has two decisions and counts twice, as
 * in usage.
 */
const decisionMeasures: Readonly<Record<DecisionKind, Measures>> = {
  allow: { requests: 1 },
  review: { requests: 1, reviewed: 1 },
  block: { requests: 1, blocked: 1 },
};

/** Returns the measures of an execution: outcome and latency. It does not count as another request. */
function outcomeMeasures({ body }: EvidenceEntry): Measures {
  const { outcome, latency_ms } = body;
  return {
    ...((outcome === 'failed' || outcome === 'unknown') && { errors: 1 }),
    ...(typeof latency_ms === 'number' && latency_ms >= 0 && latencyMeasures(latency_ms)),
  };
}

function actionPoints(entry: EvidenceEntry, measures: Measures): Point[] {
  if (Object.keys(measures).length === 0) return [];
  const tool = textMember(entry, 'tool');
  return [
    { dimension: 'global', measures },
    { dimension: dimensionOf('tenant', entry.tenant), measures },
    ...(tool === '' ? [] : [{ dimension: dimensionOf('tool', tool), measures }]),
    ...heldChatPoints(entry, measures),
  ];
}

/**
 * Counts a held chat call under its model, since the call has no `chat` entry and no provider was called. After a
 * decision, a call that continues or ends has a `chat` entry, which is counted instead.
 */
function heldChatPoints(entry: EvidenceEntry, measures: Measures): Point[] {
  const model = textMember(entry, 'target');
  if (entry.kind !== 'review' || textMember(entry, 'protocol') !== 'llm' || model === '') return [];
  return [{ dimension: dimensionOf('model', model), measures }];
}

/** Returns the points that an execution adds for its upstream [admin.status]. A refusal is not the upstream's fault. */
function upstreamPoints({ body }: EvidenceEntry): Point[] {
  const { upstream, outcome, upstream_down, latency_ms } = body;
  if (typeof upstream !== 'string' || outcome === 'not_executed') return [];
  const took = typeof latency_ms === 'number' && latency_ms >= 0 && latencyMeasures(latency_ms);
  const measures = { requests: 1, ...(upstream_down === true && { errors: 1 }), ...took };
  return [{ dimension: dimensionOf('upstream', upstream), measures }];
}

/** Returns the points for a call that was not made because its server did not respond. */
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
    ...protocolAndTool(entry),
    target: textMember(entry, 'target'),
    capability: textMember(entry, 'capability'),
    policy: textMember(entry, 'policy'),
    matched_rule: textMember(entry, 'matched_rule'),
    ...(typeof reason === 'string' && { reason }),
  };
}

const protocolAndTool = (entry: EvidenceEntry) => ({
  protocol: textMember(entry, 'protocol'),
  tool: textMember(entry, 'tool'),
});

/** Returns a string member, or an empty string, since bodies are free-form. */
function textMember(entry: EvidenceEntry, name: string): string {
  const value = entry.body[name];
  return typeof value === 'string' ? value : '';
}

/** Projects an evaluator's score to its minute, and to the scored call in the request log. */
function projectScore({ tenant, body }: EvidenceEntry): Omit<Projection, 'tenant' | 'hash' | 'timestamp'> {
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

/** Converts a score to an integer, so that sums do not depend on the order of addition. */
const millionths = (score: number): number => Math.round(score * 1_000_000);
