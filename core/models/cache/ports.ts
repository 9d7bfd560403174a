/** Ports of the response cache: exact, and semantic if enabled. */
import type { DialectName, Usage } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export interface CachedReply {
  readonly dialect: DialectName;
  readonly provider: string;
  readonly reply: JsonObject;
  readonly usage: Usage;
  /** Names of members that were not sent to the provider. */
  readonly leftOut: readonly string[];
}

export interface CacheQuestion {
  readonly tenant: string;
  /**
   * SHA-256 of the tenant, resolved model, dialect, policy version, and canonical request without stream, user and
   * metadata.
   */
  readonly key: string;
  readonly ttlSeconds: number;
  readonly maxEntries: number;
  /** Parts compared for a semantic hit: the last user message, and the rest of the key as `frame`. */
  readonly semantic?: { readonly frame: string; readonly text: string; readonly threshold: number };
}

export type Lookup =
  | { readonly state: 'HIT' | 'SEMANTIC-HIT'; readonly cached: CachedReply }
  /** No other caller has the same question in flight, so this caller must call `keep` or `drop`. */
  | { readonly state: 'MISS'; readonly flight: Flight };

/** Right to answer on behalf of all callers that ask the same question in the meantime. */
export interface Flight {
  keep(reply: CachedReply): void;
  /** Ends the flight without a reply to share, so one of the waiting callers tries next. */
  drop(): void;
}

export interface ResponseCache {
  lookup(question: CacheQuestion, signal: AbortSignal): Promise<Lookup>;
  /** Returns the number of entries evicted for lack of space since the previous call. */
  takeEvictions(): number;
  clear(tenant: string): number;
  /** Counts unexpired entries, for one tenant if specified. */
  stats(tenant?: string): { readonly entries: number };
}

export interface Embedder {
  readonly name: string;
  embed(text: string, signal: AbortSignal): Promise<readonly number[]>;
}
