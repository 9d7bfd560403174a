/** Ports for the projections of evidence, which are derived, idempotent by entry hash, and rebuildable. */
import type { modelUsageSchema, usageSchema } from '#core/contracts/answers/usage.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Shape } from '#core/contracts/shape.ts';
import type { Page } from '#core/kernel/page.ts';
import type { TimedSums } from './buckets.ts';
import type { Dimension, Scope } from './dimensions.ts';
import type { Projection } from './projection.ts';
import type { RequestFilter } from './request-filter.ts';
import type { RequestRow } from './request-row.ts';
import type { RecordedTrace } from './traces.ts';
import type { Violation } from './violation.ts';

/** The most recent traces from all processes of a deployment. For display only, never for decisions. */
export interface TraceRing {
  /**
   * Stores traces that belong to one tenant or to none.
   * @param suffix unique hex digits.
   * @throws GatewayError `service_unavailable`
   */
  put(tenant: string, traces: readonly RecordedTrace[], suffix: string, nowMs: number): Promise<void>;
  /**
   * Returns, in no particular order, at least the newest `limit` traces of each tenant, and those without a tenant. A
   * trace may be split.
   * @throws GatewayError `service_unavailable`
   */
  recent(tenants: readonly string[], limit: number, nowMs: number): Promise<readonly RecordedTrace[]>;
}

/** ISO 8601 times in whole hours; by default, all stored data. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
}

export interface Usage extends Shape<typeof usageSchema> {
  readonly tenant: string;
  readonly from?: string;
  readonly to?: string;
  /** Blocked actions by policy, or by rule if the rule does not belong to a policy. */
  readonly blocked_by_policy: Readonly<Record<string, number>>;
  readonly cache: CacheCounts;
  readonly content: ContentCounts;
}

export type ModelUsage = Shape<typeof modelUsageSchema>;

interface CacheCounts {
  readonly hits: number;
  readonly semantic_hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/** Content filter findings in chat calls. Each filter counts once per call and phase. */
export interface ContentCounts {
  readonly by_action: Readonly<Record<string, number>>;
  /** Numbers of blocks and reviews, by filter. */
  readonly by_policy: Readonly<Record<string, number>>;
}

interface RequestQuery extends RequestFilter {
  /** Rows before this ISO time are not returned, even if they are still stored. */
  readonly since: string;
  /** Rows after this ISO time are not returned. */
  readonly until?: string | undefined;
  readonly limit: number;
  readonly cursor?: string;
}

export interface BucketQuery {
  readonly dimension: Dimension;
  /** ISO times of the first and last minute, inclusive. */
  readonly from: string;
  readonly to: string;
}

/** A scope's stamps by hour (`2026-11-25T10`). A stamp changes with every batch that adds to the hour. */
export type HourStamps = ReadonlyMap<string, string>;

export interface Observations {
  /** Applies projections. Re-applying a projection has no effect. */
  apply(projections: readonly Projection[]): Promise<void>;
  usage(tenant: string, query: UsageQuery): Promise<Usage>;
  /** Lists violations, newest first. */
  violations(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<Violation>>;
  /** Lists requests, newest first. A page may have fewer rows than requested without being the last. */
  requests(tenant: string, query: RequestQuery): Promise<Page<RequestRow>>;
  /**
   * Returns one dimension's sums per minute, oldest first, omitting minutes without traffic. Pass them to `bucketsOf`
   * and `totalsOf`. Kept for 48 hours.
   * @param stamps the scope's stamps, read before this call. An hour with an unchanged stamp is not re-read
   * [admin.analytics].
   */
  minutes(scope: Scope, query: BucketQuery, stamps?: HourStamps): Promise<readonly TimedSums[]>;
  /**
   * Returns the sums per hour, for every hour that overlaps the time range. Data plane dimensions have only minutes.
   */
  hours(scope: Scope, query: BucketQuery, stamps?: HourStamps): Promise<readonly TimedSums[]>;
  stamps(scope: Scope, span: { readonly from: string; readonly to: string }): Promise<HourStamps>;
  /** Stores minutes of one platform dimension that were counted elsewhere. Each of them replaces the stored minute. */
  replaceMinutes(dimension: Dimension, minutes: readonly TimedSums[]): Promise<void>;
  /** Lists models, providers and tools that have buckets between two ISO times, by kind and name. */
  dimensions(scope: Scope, span: { readonly from: string; readonly to: string }): Promise<readonly Dimension[]>;
}

/** Permanent copies of entries: an Object-Lock bucket on AWS, a folder locally. */
export interface Archive {
  /** Stores entries of one session. Succeeds for entries that are already stored. Resolves when all are stored. */
  keep(entries: readonly EvidenceEntry[]): Promise<void>;
}
