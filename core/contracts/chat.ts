/** Chat traffic as it is counted, decided and recorded. Never its content. */

import type { JsonRules } from '../kernel/json.ts';
import type { RolloutMark } from './rollout.ts';

/** The two wire forms of a chat call: OpenAI chat completions and Anthropic messages. */
const dialectNames = ['openai', 'anthropic'] as const;
export type DialectName = (typeof dialectNames)[number];

export const chatSizes = {
  /** Output tokens reserved for a call that names no maximum. */
  defaultMaxTokens: 4096,
  /** Characters per token where the provider reports no count. */
  charactersPerToken: 4,
} as const;

/** How chat requests are read: numbers only pass through; a long conversation with many tools holds some thousand values. */
export const chatJson = { numbers: 'double', values: 50_000 } as const satisfies JsonRules;

/** Billable tokens of one call; what a provider did not count is absent. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  /** Of `cache_write_tokens`, those that are kept for an hour. */
  readonly cache_write_1h_tokens?: number;
  readonly reasoning_tokens?: number;
  /** Characters / 4, since the provider gave no counts. */
  readonly estimated?: boolean;
}

/** What one content filter found, once per filter and phase. */
export interface Finding {
  /** Name of the filter. */
  readonly policy: string;
  readonly type: 'keyword' | 'regex' | 'pii' | 'wasm' | 'tool_guard';
  readonly action: 'block' | 'review' | 'warn' | 'log' | 'redact';
  readonly phase: 'input' | 'output';
  readonly count: number;
  /** What was found, never the text itself: a keyword of the configuration, an entity, a filter's own reason. */
  readonly detail?: string;
  /** The filter erred or ran out of time; `action` is what its `on_error` and the governance mode made of it. */
  readonly erred?: boolean;
}

/** Endpoints of OpenAI beside chat that are governed as chat is [passthrough.governed]. */
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

/** What was called: chats, and the endpoints beside them that are recorded alike. */
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

/** `begun`: written before a provider is asked to change what it keeps; the entry of what became of it follows. */
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

/** Body of a `chat` evidence entry: one per call. */
export interface ChatRecord {
  readonly operation: ChatOperation;
  readonly decision: 'allow' | 'review' | 'block';
  readonly outcome: ChatOutcome;
  /** HTTP status the caller saw. */
  readonly status: number;
  readonly error?: string;
  /** Of a call that was refused before its model was looked for: what was found and what is allowed. */
  readonly reason?: string;
  /** The one tool that the request forces, whose arguments passed as data if the session holds no decision on them. */
  readonly structured_output?: string;
  /** Names of what the caller sent and the provider did not get: settings without a form there, betas that are not listed. */
  readonly left_out?: readonly string[];
  /** Id of the file, batch or response that was made, read or changed. */
  readonly resource?: string;
  /** With `aborted`: the key that cancelled the call. Absent where the caller went away. */
  readonly aborted_by?: string;
  /** The host does not learn whether the answer reached its caller. */
  readonly delivered?: 'unknown';
  /** As the caller named it, and as aliases resolved it. */
  readonly model: string;
  readonly resolved_model: string;
  /** Of the reply, where it names another model: the dearer of the two was charged. */
  readonly replied_model?: string;
  readonly provider?: string;
  readonly region?: string;
  /** The built-in mock answered for a model of another name. */
  readonly demo?: boolean;
  readonly stream: boolean;
  readonly transport: 'http' | 'ws';
  readonly policy_version: number;
  /** `content:<filter>` of the finding that decided; `behavior:<rule>`, `budget:<account>`, `model:<name>` for refusals. */
  readonly matched_rule?: string;
  readonly findings?: readonly Finding[];
  readonly usage: Usage;
  readonly cost_microusd: number;
  /** The price was not known and taken as the dearest one. */
  readonly cost_estimated?: boolean;
  readonly cache?: 'MISS' | 'HIT' | 'SEMANTIC-HIT';
  /** Entries this instance's cache dropped for want of room since its last entry. */
  readonly cache_evictions?: number;
  readonly finish_reason?: string;
  /** One for each choice, where there are several. */
  readonly finish_reasons?: readonly string[];
  readonly latency_ms: number;
  readonly first_token_ms?: number;
  /** Providers tried before the one that answered, each with why it did not. */
  /** Which side of a rollout the call was on. */
  readonly rollout?: RolloutMark;
  readonly attempts?: readonly { readonly provider: string; readonly error: string }[];
  readonly request_id: string;
  readonly request_sha256: string;
  readonly trace_id?: string;
  readonly approval_ref?: string;
  readonly break_glass?: boolean;
}
