/** Projects a `chat` entry: its hour's usage, its minute's points, its row in the request log, and violations. */
import type { ChatRecord, Finding } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { chatRecordOf } from './chat-record.ts';
import { dimensionOf, rolloutDimension } from './dimensions.ts';
import { addUp, callMeasures, isReplacedByDemo, type Measures } from './measures.ts';
import type { Point, Projection } from './projection.ts';
import { requestRowOf } from './request-row.ts';
import { latencyMeasures } from './sketch.ts';
import type { ChatViolation } from './violation.ts';

/** Actions whose findings are listed as violations; `redact` and `log` are only counted. */
const violationActions: ReadonlySet<string> = new Set(['block', 'review', 'warn']);
/**
 * Maximum numbers of violations and providers in one store operation. The strictest findings come first; evidence has
 * all of them.
 */
const maxViolations = 50;
const maxProviders = 20;

export function projectChat(entry: EvidenceEntry): Omit<Projection, 'tenant' | 'hash' | 'timestamp'> {
  const record = chatRecordOf(entry);
  const call = callMeasures(record);
  const violations = violationsOf(entry, record);
  return {
    counter: { kind: 'chat', model: record.resolved_model },
    measures: addUp([call, cacheMeasures(record), ...findingsOf(record).map(findingMeasures)]),
    points: [...callPoints(entry.tenant, record), ...providerPoints(record), ...rolloutPoints(record)],
    request: requestRowOf(entry, record),
    ...(violations.length > 0 && { violations }),
  };
}

/**
 * Outcomes with a response from a model or the cache, or with a failure. Only their latency shows how the service
 * performs.
 */
const answeredOutcomes: ReadonlySet<string> = new Set(['completed', 'cached', 'aborted', 'failed']);

/** Returns the points that the call adds to its minute: overall, for its tenant and for its model. */
function callPoints(tenant: string, record: ChatRecord): Point[] {
  const { resolved_model, outcome, usage, cost_microusd, latency_ms } = record;
  const measures = whatCounts({
    requests: 1,
    errors: outcome === 'failed' || isReplacedByDemo(record) ? 1 : 0,
    blocked: outcome === 'blocked' ? 1 : 0,
    reviewed: outcome === 'review' ? 1 : 0,
    other_model: record.replied_model === undefined ? 0 : 1,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cost_microusd,
    ...(answeredOutcomes.has(outcome) && latencyMeasures(latency_ms)),
  });
  return [
    { dimension: 'global', measures },
    { dimension: dimensionOf('tenant', tenant), measures },
    ...(resolved_model === '' ? [] : [{ dimension: dimensionOf('model', resolved_model), measures }]),
  ];
}

/** Returns the measures above zero, since a store writes one attribute for each. */
function whatCounts(measures: Measures): Measures {
  const counted: Record<string, number> = {};
  for (const name of Object.keys(measures)) if (measures[name]! > 0) counted[name] = measures[name]!;
  return counted;
}

function cacheMeasures({ cache, cache_evictions = 0 }: ChatRecord): Measures {
  return { ...(cache && { [`cache:${cache}`]: 1 }), ...(cache_evictions > 0 && { cache_evictions }) };
}

/** Returns the filters' findings. A session blocked for its behaviour also counts as a finding. */
function findingsOf({ findings = [], decision, matched_rule = '' }: ChatRecord): LooseFinding[] {
  if (decision !== 'block' || !matched_rule.startsWith('behavior:')) return [...findings];
  return [...findings, { policy: matched_rule, action: 'block', type: 'behavior', count: 1 }];
}

type LooseFinding =
  | Finding
  | { readonly policy: string; readonly action: 'block'; readonly type: 'behavior'; readonly count: number };

const findingMeasures = ({ action, policy }: LooseFinding): Measures => ({ [`finding:${action}:${policy}`]: 1 });

const strictness = ['block', 'review', 'warn'];

function violationsOf(entry: EvidenceEntry, record: ChatRecord): ChatViolation[] {
  const { agent, key_id } = entry.actor;
  return findingsOf(record)
    .filter(({ action }) => violationActions.has(action))
    .sort((a, b) => strictness.indexOf(a.action) - strictness.indexOf(b.action))
    .slice(0, maxViolations)
    .map((finding) => ({
      at: entry.timestamp,
      envelope_id: entry.envelope_id,
      session_id: entry.session_id,
      key_id,
      ...(agent !== undefined && { agent }),
      policy: finding.policy,
      matched_rule: finding.type === 'behavior' ? finding.policy : `content:${finding.policy}`,
      action: finding.action,
      ...('phase' in finding && { phase: finding.phase }),
      type: finding.type,
      model: record.resolved_model,
      count: finding.count,
      ...('detail' in finding && finding.detail !== undefined && { detail: finding.detail }),
    }));
}

/** Returns points for every provider called: first the providers that failed, then the one that completed the call. */
function providerPoints(record: ChatRecord): Point[] {
  const asked = new Map<string, Measures>();
  const note = (provider: string, measures: Measures) =>
    void (provider && asked.set(provider, addUp([asked.get(provider) ?? {}, measures])));
  for (const { provider, error } of record.attempts ?? []) {
    if (!notAsked.has(error)) note(provider, { requests: 1, ...(!ofTheCaller.test(error) && { errors: 1 }) });
  }
  if (record.provider !== undefined && reachedProvider(record)) note(record.provider, lastTry(record));
  return [...asked]
    .slice(0, maxProviders)
    .map(([name, measures]) => ({ dimension: dimensionOf('provider', name), measures }));
}

/**
 * Errors that are not a provider's fault: the provider was skipped, or the caller disconnected or sent an invalid
 * request.
 */
const notAsked: ReadonlySet<string> = new Set(['breaker_open', 'unavailable']);
const ofTheCaller = /^(aborted|400|413|422)$/;

/**
 * Reports whether the request was sent to a provider. A blocked or held call was not sent, unless its response was the
 * part that was blocked or held.
 */
function reachedProvider({ outcome, findings = [] }: ChatRecord): boolean {
  if (outcome === 'completed' || outcome === 'aborted' || outcome === 'failed') return true;
  if (outcome !== 'blocked' && outcome !== 'review') return false;
  return findings.some(({ phase, action }) => phase === 'output' && (action === 'block' || action === 'review'));
}

const lastTry = ({ outcome, latency_ms, usage, cost_microusd }: ChatRecord): Measures =>
  whatCounts({
    requests: 1,
    errors: outcome === 'failed' ? 1 : 0,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cost_microusd,
    ...latencyMeasures(latency_ms),
  });

/**
 * Returns the points that the call adds to its arm of a rollout [rollout.states]. Only provider faults count as errors,
 * not the caller's or policy blocks. A failed canary counts as an error even if the baseline responded; the latency is
 * then the baseline's.
 */
function rolloutPoints(record: ChatRecord): Point[] {
  const { rollout, outcome, attempts = [], provider, latency_ms, cost_microusd } = record;
  if (!rollout || !reachedProvider(record)) return [];
  const { id, observation, arm, canary } = rollout;
  const tried = attempts.filter((attempt) => attempt.provider === canary);
  const failedFirst = tried.some(({ error }) => !ofTheCaller.test(error));
  const dimension = rolloutDimension(id, observation, arm);
  if (arm === 'canary' && failedFirst && provider !== canary)
    return [{ dimension, measures: { requests: 1, errors: 1 } }];
  const own = attempts.some(({ error }) => ofTheCaller.test(error));
  const errors = outcome === 'failed' && !own ? 1 : 0;
  const timed = outcome === 'completed' || errors > 0;
  return [
    {
      dimension,
      measures: whatCounts({ requests: 1, errors, cost_microusd, ...(timed && latencyMeasures(latency_ms)) }),
    },
  ];
}
