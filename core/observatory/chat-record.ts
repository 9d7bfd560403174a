/**
 * Reads the body of a `chat` entry for projections. Bodies are free-form, so a value that is not a number counts as 0.
 */
import { type ChatOutcome, type ChatRecord, chatOperations, type Finding, type Usage } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { RolloutMark } from '#core/contracts/rollout.ts';
import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';

/** Returns a record with valid members; missing strings are empty. */
export function chatRecordOf({ body }: Pick<EvidenceEntry, 'body'>): ChatRecord {
  return {
    operation: chatOperations.find((operation) => operation === body.operation) ?? 'chat.completions',
    decision: body.decision === 'block' || body.decision === 'review' ? body.decision : 'allow',
    outcome: (text(body.outcome) ?? 'failed') as ChatOutcome,
    status: numberOf(body.status),
    model: text(body.model) ?? '',
    resolved_model: text(body.resolved_model) ?? text(body.model) ?? '',
    stream: body.stream === true,
    transport: body.transport === 'ws' ? 'ws' : 'http',
    policy_version: numberOf(body.policy_version),
    usage: recordedUsage(body.usage),
    cost_microusd: numberOf(body.cost_microusd),
    latency_ms: numberOf(body.latency_ms),
    request_id: text(body.request_id) ?? '',
    request_sha256: text(body.request_sha256) ?? '',
    findings: list(body.findings).flatMap(findingOf),
    attempts: list(body.attempts).map((attempt) => ({
      provider: text(attempt.provider) ?? '',
      error: text(attempt.error) ?? '',
    })),
    ...(body.demo === true && { demo: true }),
    ...rolloutOf(body.rollout),
    ...texts(body, [
      'error',
      'reason',
      'provider',
      'region',
      'matched_rule',
      'finish_reason',
      'trace_id',
      'approval_ref',
      'replied_model',
    ]),
    ...(body.cache === 'HIT' || body.cache === 'MISS' || body.cache === 'SEMANTIC-HIT' ? { cache: body.cache } : {}),
    ...(typeof body.cache_evictions === 'number' && { cache_evictions: numberOf(body.cache_evictions) }),
    ...(typeof body.first_token_ms === 'number' && { first_token_ms: numberOf(body.first_token_ms) }),
    ...(body.cost_estimated === true && { cost_estimated: true }),
    ...(body.break_glass === true && { break_glass: true }),
  };
}

function rolloutOf(value: unknown): { rollout?: RolloutMark } {
  const { id, observation, arm, canary } = fields(value);
  if (typeof id !== 'string' || typeof canary !== 'string' || (arm !== 'baseline' && arm !== 'canary')) return {};
  return { rollout: { id, observation: numberOf(observation), arm, canary } };
}

function recordedUsage(value: unknown): Usage {
  const usage = fields(value);
  return {
    input_tokens: numberOf(usage.input_tokens),
    output_tokens: numberOf(usage.output_tokens),
    ...(usage.estimated === true && { estimated: true }),
  };
}

function findingOf(value: Fields): Finding[] {
  const policy = text(value.policy);
  const action = text(value.action);
  if (policy === undefined || action === undefined) return [];
  return [
    {
      policy,
      action: action as Finding['action'],
      type: (text(value.type) ?? 'keyword') as Finding['type'],
      phase: value.phase === 'output' ? 'output' : 'input',
      count: numberOf(value.count) || 1,
      ...texts(value, ['detail']),
      ...(value.erred === true && { erred: true }),
    },
  ];
}

const texts = (from: Fields, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [[name, from[name]]] : [])),
  );

/** Returns a count or duration as a non-negative integer. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
