/** Projections of the evidence stream: derived, idempotent by entry hash, rebuildable. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Page } from '#core/kernel/page.ts';
import type { TimedSums } from './buckets.ts';
import type { Dimension, Scope } from './dimensions.ts';
import type { Projection } from './projection.ts';
import type { RequestRow } from './request-row.ts';
import type { RecordedTrace } from './traces.ts';
import type { Violation } from './violation.ts';

/** The last traces of all processes of a deployment. What it holds is for looking at, never for deciding. */
export interface TraceRing {
  /**
   * Puts traces of one tenant, or of none.
   * @param suffix hex digits that no other put has.
   * @throws GatewayError `service_unavailable`
   */
  put(tenant: string, traces: readonly RecordedTrace[], suffix: string, nowMs: number): Promise<void>;
  /**
   * Returns at least the newest `limit` of each tenant, and of none, in no order; a trace may come in parts.
   * @throws GatewayError `service_unavailable`
   */
  recent(tenants: readonly string[], limit: number, nowMs: number): Promise<readonly RecordedTrace[]>;
}

/** ISO 8601 times, whole hours count; everything kept by default. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
}

export interface Usage {
  readonly tenant: string;
  readonly from?: string;
  readonly to?: string;
  /** Decisions on tool actions in all. */
  readonly total: number;
  readonly decisions: Readonly<Record<string, number>>;
  readonly protocols: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly decisions_by_protocol: readonly { decision: string; protocol: string; count: number }[];
  /** Blocked actions by the rule that blocked them. */
  readonly blocked_by_rule: Readonly<Record<string, number>>;
  /** The same by policy; by rule where what blocked belongs to no policy. */
  readonly blocked_by_policy: Readonly<Record<string, number>>;
  /** Chat calls in all, whatever became of them. */
  readonly requests: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly cost_microusd: number;
  readonly cost_usd: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** By resolved model, the dearest first. */
  readonly models: readonly ModelUsage[];
  readonly cache: CacheCounts;
  readonly content: ContentCounts;
}

export interface ModelUsage {
  readonly model: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly errors: number;
}

interface CacheCounts {
  readonly hits: number;
  readonly semantic_hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/** What content filters found in chat calls, each filter once a call and phase. */
export interface ContentCounts {
  readonly by_action: Readonly<Record<string, number>>;
  /** Blocks and reviews by filter. */
  readonly by_policy: Readonly<Record<string, number>>;
}

interface RequestQuery {
  /** Rows before this ISO time are not shown, whether or not they are still kept. */
  readonly since: string;
  /** As the caller named the model, or as aliases resolved it. */
  readonly model?: string;
  readonly outcome?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface BucketQuery {
  readonly dimension: Dimension;
  /** ISO times of the first and last minute, both included. */
  readonly from: string;
  readonly to: string;
}

/** By hour (`2026-11-25T10`) of a scope, a text that changes with every batch that adds to the hour. */
export type HourStamps = ReadonlyMap<string, string>;

export interface Observations {
  /** Applies what entries add, each once: an entry applied before changes nothing. */
  apply(projections: readonly Projection[]): Promise<void>;
  usage(tenant: string, query: UsageQuery): Promise<Usage>;
  /** Newest first. */
  violations(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<Violation>>;
  /** Newest first; a page may hold fewer rows than asked for and still not be the last. */
  requests(tenant: string, query: RequestQuery): Promise<Page<RequestRow>>;
  /**
   * Sums of one dimension by minute, oldest first; minutes without traffic are left out. `bucketsOf` and `totalsOf` make
   * numbers of them. Kept 48 hours.
   * @param stamps of the scope, read before this call: an hour that had the same stamp when it was read is not read again [analytics.kept].
   */
  minutes(scope: Scope, query: BucketQuery, stamps?: HourStamps): Promise<readonly TimedSums[]>;
  /** The same by the hour, for every hour in which `from`, `to` or a time between them lies. Dimensions of planes have minutes only. */
  hours(scope: Scope, query: BucketQuery, stamps?: HourStamps): Promise<readonly TimedSums[]>;
  /** Stamps of the hours of a span. */
  stamps(scope: Scope, span: { readonly from: string; readonly to: string }): Promise<HourStamps>;
  /** Minutes of one dimension of the platform that are counted elsewhere: each replaces what was there. */
  replaceMinutes(dimension: Dimension, minutes: readonly TimedSums[]): Promise<void>;
  /** Models, providers and tools with buckets between two ISO times, by kind and name. */
  dimensions(scope: Scope, span: { readonly from: string; readonly to: string }): Promise<readonly Dimension[]>;
}

/** Where entries are copied for good: an Object-Lock bucket on AWS, a folder here. */
export interface Archive {
  /** Keeps entries of one session; what was kept before is success. Resolves when every one of them is kept. */
  keep(entries: readonly EvidenceEntry[]): Promise<void>;
}
