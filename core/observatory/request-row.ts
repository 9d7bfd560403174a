/** A row of the request log: one chat call, without its content. */
import type { requestRowSchema } from '#core/contracts/answers/usage.ts';
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Shape } from '#core/contracts/shape.ts';

/** Retention of request rows and of points per minute, in hours. */
export const recentHours = 48;

export interface RequestRow extends Shape<typeof requestRowSchema> {
  readonly request_sha256: string;
  readonly operation: ChatRecord['operation'];
  readonly outcome: ChatRecord['outcome'];
  readonly decision: ChatRecord['decision'];
  readonly cache?: NonNullable<ChatRecord['cache']>;
}

export const toUsd = (microusd: number): number => microusd / 1_000_000;

/** Length limit for the reason, which evidence records in full. */
const errorCharacters = 300;

export function requestRowOf(entry: EvidenceEntry, record: ChatRecord): RequestRow {
  const { first_token_ms, cache, matched_rule, error } = record;
  // If there was no response, uses the provider that was called last.
  const provider = record.provider ?? (record.attempts?.at(-1)?.provider || undefined);
  return {
    at: entry.timestamp,
    envelope_id: entry.envelope_id,
    request_id: record.request_id,
    request_sha256: record.request_sha256,
    session_id: entry.session_id,
    key_id: entry.actor.key_id,
    operation: record.operation,
    model: record.model,
    resolved_model: record.resolved_model,
    ...(record.reason !== undefined && { reason: record.reason }),
    ...(provider !== undefined && { provider }),
    ...(record.demo && { demo: true }),
    stream: record.stream,
    status: record.status,
    outcome: record.outcome,
    decision: record.decision,
    tokens: { input: record.usage.input_tokens, output: record.usage.output_tokens },
    cost_microusd: record.cost_microusd,
    cost_usd: toUsd(record.cost_microusd),
    latency_ms: record.latency_ms,
    ...(first_token_ms !== undefined && { first_token_ms }),
    ...(cache !== undefined && { cache }),
    ...(matched_rule !== undefined && { matched_rule }),
    ...(error !== undefined && { error: error.slice(0, errorCharacters) }),
  };
}
