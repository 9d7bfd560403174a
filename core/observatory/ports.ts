/** Projections of the evidence stream (architecture: idea 5): derived, idempotent by entry hash, rebuildable. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Page } from '#core/evidence/ports.ts';
import type { Projection, Violation } from './project.ts';

/** ISO 8601 times, whole hours count; everything kept unless told. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
}

export interface Usage {
  readonly tenant: string;
  readonly from?: string;
  readonly to?: string;
  /** Decisions in all. */
  readonly total: number;
  readonly decisions: Readonly<Record<string, number>>;
  readonly protocols: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly decisions_by_protocol: readonly { decision: string; protocol: string; count: number }[];
  /** Blocked actions by the rule that blocked them. */
  readonly blocked_by_rule: Readonly<Record<string, number>>;
}

export interface Observations {
  /** Applies what entries add, each once: an entry applied before changes nothing. */
  apply(projections: readonly Projection[]): Promise<void>;
  usage(tenant: string, query: UsageQuery): Promise<Usage>;
  /** Newest first. */
  violations(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<Violation>>;
}

/** Where entries are copied for good: an Object-Lock bucket on AWS, a folder here. */
export interface Archive {
  /** Keeps the entry; one kept before is success. */
  keep(entry: EvidenceEntry): Promise<void>;
}
