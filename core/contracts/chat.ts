/** Counts, outcomes and records of chat traffic, but never its content. */

import type { JsonRules } from '../kernel/json.ts';
import type { RolloutMark } from './rollout.ts';

/** Chat call formats: OpenAI chat completions and Anthropic messages. */
const dialectNames = ['openai', 'anthropic'] as const;
export type DialectName = (typeof dialectNames)[number];

export const chatSizes = {
  /** Output tokens reserved for a call that sets no maximum. */
  defaultMaxTokens: 4096,
  /** Characters per token, used if the provider reports no count. */
  charactersPerToken: 4,
} as const;

/**
 * JSON rules for chat requests. Numbers are only passed through, and long conversations contain thousands of values.
 */
export const chatJson = { numbers: 'double', values: 50_000 } as const satisfies JsonRules;

/** Billable tokens of one call. Counts that the provider did not report are absent. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  /** The part of `cache_write_tokens` that is cached for an hour. */
  readonly cache_write_1h_tokens?: number;
  readonly reasoning_tokens?: number;
  /** Set if the counts are estimates (characters / 4) because the provider reported none. */
  readonly estimated?: boolean;
}

/** A content filter's finding, one per filter and phase. */
export interface Finding {
  /** Name of the filter. */
  readonly policy: string;
  readonly type: 'keyword' | 'regex' | 'pii' | 'wasm' | 'tool_guard';
  readonly action: 'block' | 'review' | 'warn' | 'log' | 'redact';
  readonly phase: 'input' | 'output';
  readonly count: number;
  /** A configured keyword, an entity type or the filter's reason, but never the text itself. */
  readonly detail?: string;
  /** The filter failed or timed out, in which case `action` follows from its `on_error` and the governance mode. */
  readonly erred?: boolean;
}

/** Other OpenAI endpoints that are governed in the same way as chat [passthrough.governed]. */
export const endpointNames = [
  'embeddings',
  'completions',
  'moderations',
  'images.generations',
  'images.edits',
  'audio.transcriptions',
  'audio.translations',
  'audio.speech',
] as const;
export type EndpointName = (typeof endpointNames)[number];

/** Operations recorded as `chat` entries: chats and the other governed endpoints. */
export const chatOperations = [
  'chat.completions',
  'messages',
  'responses',
  'responses.retrieve',
  'responses.items',
  'responses.delete',
  ...endpointNames,
  'files',
  'files.content',
  'files.delete',
  'batches',
  'batches.cancel',
] as const;
export type ChatOperation = (typeof chatOperations)[number];

/**
 * Outcomes. `begun` is recorded before a call that changes data stored at a provider, and the final outcome follows.
 */
export const chatOutcomes = [
  'completed',
  'cached',
  'blocked',
  'review',
  'aborted',
  'failed',
  'refused',
  'begun',
] as const;
export type ChatOutcome = (typeof chatOutcomes)[number];

/** Body of a `chat` evidence entry. */
export interface ChatRecord {
  readonly operation: ChatOperation;
  readonly decision: 'allow' | 'review' | 'block';
  readonly outcome: ChatOutcome;
  /** HTTP status sent to the caller. */
  readonly status: number;
  readonly error?: string;
  /** For a call refused before the model lookup: what was found and what is allowed. */
  readonly reason?: string;
  /**
   * The single tool that the request forces. Its arguments were passed on as data if the session contains no decision
   * on them.
   */
  readonly structured_output?: string;
  /**
   * Names of settings and betas that were not forwarded, because the provider has no equivalent or they are not listed.
   */
  readonly left_out?: readonly string[];
  /** Id of the file, batch or response that was created, read or changed. */
  readonly resource?: string;
  /** With `aborted`, the key that cancelled the call. Absent if the caller disconnected. */
  readonly aborted_by?: string;
  /** Set if the host cannot observe whether the response reached the caller. */
  readonly delivered?: 'unknown';
  /** The caller's name for the model, and the name after resolving aliases. */
  readonly model: string;
  readonly resolved_model: string;
  /** The model in the reply, if it differs. The more expensive of the two was charged. */
  readonly replied_model?: string;
  readonly provider?: string;
  readonly region?: string;
  /** Set if the built-in mock responded in place of another model. */
  readonly demo?: boolean;
  readonly stream: boolean;
  readonly transport: 'http' | 'ws';
  readonly policy_version: number;
  /**
   * `content:<filter>` of the finding that determined the outcome. For refusals, `behavior:<rule>`, `budget:<account>`
   * or `model:<name>`.
   */
  readonly matched_rule?: string;
  readonly findings?: readonly Finding[];
  readonly usage: Usage;
  readonly cost_microusd: number;
  /** Set if the price was unknown and the highest known one was used. */
  readonly cost_estimated?: boolean;
  readonly cache?: 'MISS' | 'HIT' | 'SEMANTIC-HIT';
  /** Number of entries that this instance's full cache has evicted since the last evidence entry. */
  readonly cache_evictions?: number;
  readonly finish_reason?: string;
  /** Finish reasons, one per choice if there are several choices. */
  readonly finish_reasons?: readonly string[];
  readonly latency_ms: number;
  readonly first_token_ms?: number;
  /** Providers tried before the one that responded, and why each of them failed. */
  /** The side of a rollout that served the call. */
  readonly rollout?: RolloutMark;
  readonly attempts?: readonly { readonly provider: string; readonly error: string }[];
  readonly request_id: string;
  readonly request_sha256: string;
  readonly trace_id?: string;
  readonly approval_ref?: string;
  readonly break_glass?: boolean;
}
