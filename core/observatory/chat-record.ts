/**
 * Reads the body of a `chat` entry for projections. Bodies are free-form, so a value that is not a number counts as 0.
 */
import { type ChatOutcome, type ChatRecord, chatOperations, type Finding, type Usage } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { RolloutMark } from '#core/contracts/rollout.ts';

type Body = EvidenceEntry['body'];

/** Returns a record with valid members; missing strings are empty. */
export function chatRecordOf({ body }: Pick<EvidenceEntry, 'body'>): ChatRecord {
  return {
    operation: chatOperations.find((operation) => operation === body.operation) ?? 'chat.completions',
    decision: body.decision === 'block' || body.decision === 'review' ? body.decision : 'allow',
    outcome: (nonEmptyText(body.outcome) ?? 'failed') as ChatOutcome,
    status: numberOf(body.status),
    model: nonEmptyText(body.model) ?? '',
    resolved_model: nonEmptyText(body.resolved_model) ?? nonEmptyText(body.model) ?? '',
    stream: body.stream === true,
    transport: body.transport === 'ws' ? 'ws' : 'http',
    policy_version: numberOf(body.policy_version),
    usage: usageOf(body.usage),
    cost_microusd: numberOf(body.cost_microusd),
    latency_ms: numberOf(body.latency_ms),
    request_id: nonEmptyText(body.request_id) ?? '',
    request_sha256: nonEmptyText(body.request_sha256) ?? '',
    findings: listOf(body.findings).flatMap(findingOf),
    attempts: listOf(body.attempts).map((attempt) => ({
      provider: nonEmptyText(attempt.provider) ?? '',
      error: nonEmptyText(attempt.error) ?? '',
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
  const { id, observation, arm, canary } = fieldsOf(value);
  if (typeof id !== 'string' || typeof canary !== 'string' || (arm !== 'baseline' && arm !== 'canary')) return {};
  return { rollout: { id, observation: numberOf(observation), arm, canary } };
}

function usageOf(value: unknown): Usage {
  const usage = fieldsOf(value);
  return {
    input_tokens: numberOf(usage.input_tokens),
    output_tokens: numberOf(usage.output_tokens),
    ...(usage.estimated === true && { estimated: true }),
  };
}

function findingOf(value: Body): Finding[] {
  const policy = nonEmptyText(value.policy);
  const action = nonEmptyText(value.action);
  if (policy === undefined || action === undefined) return [];
  return [
    {
      policy,
      action: action as Finding['action'],
      type: (nonEmptyText(value.type) ?? 'keyword') as Finding['type'],
      phase: value.phase === 'output' ? 'output' : 'input',
      count: numberOf(value.count) || 1,
      ...texts(value, ['detail']),
      ...(value.erred === true && { erred: true }),
    },
  ];
}

const texts = (from: Body, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [[name, from[name]]] : [])),
  );

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Returns a count or duration as a non-negative integer. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

const fieldsOf = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};

const listOf = (value: unknown): Body[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
