/** The response cache: exact, and semantic where it is switched on. */
import type { DialectName, Usage } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export interface CachedReply {
  readonly dialect: DialectName;
  readonly provider: string;
  readonly reply: JsonObject;
  readonly usage: Usage;
  /** Names of what its provider did not get. */
  readonly leftOut: readonly string[];
}

export interface CacheQuestion {
  readonly tenant: string;
  /** SHA-256 over tenant, resolved model, dialect, canonical request without stream, user and metadata, policy version. */
  readonly key: string;
  readonly ttlSeconds: number;
  readonly maxEntries: number;
  /** Everything of the key but the last user text, and that text: what a semantic hit compares. */
  readonly semantic?: { readonly frame: string; readonly text: string; readonly threshold: number };
}

export type Lookup =
  | { readonly state: 'HIT' | 'SEMANTIC-HIT'; readonly cached: CachedReply }
  /** No other caller asks the same: this caller must `keep` or `drop`. */
  | { readonly state: 'MISS'; readonly flight: Flight };

/** The right to answer for all who ask the same meanwhile. */
export interface Flight {
  keep(reply: CachedReply): void;
  /** Nothing fit for others came of it: one of those who wait tries itself. */
  drop(): void;
}

export interface ResponseCache {
  lookup(question: CacheQuestion, signal: AbortSignal): Promise<Lookup>;
  /** Entries dropped for want of room since last asked. */
  takeEvictions(): number;
  clear(tenant: string): number;
  /** Entries that have not expired; of one tenant when named. */
  stats(tenant?: string): { readonly entries: number };
}

export interface Embedder {
  readonly name: string;
  embed(text: string, signal: AbortSignal): Promise<readonly number[]>;
}
