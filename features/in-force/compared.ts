import type { RowPlace } from '#core/evidence/entry-text.ts';
import type { Call } from '#core/operations/operation.ts';
import type { comparedKinds } from './kinds.ts';

/** Request to compare the store with the evidence. */
export interface AuditCall extends Pick<Call, 'ports' | 'principal' | 'snapshot'> {
  /** Called with evidence rows that cannot be read. They are reported as a separate difference. */
  readonly unreadable: (row: RowPlace) => void;
}

/** A difference between the store and evidence. */
export interface Difference {
  readonly of: (typeof comparedKinds)[number];
  /** Name of the version, key, account, session, definition, sheet, ticket or credential. */
  readonly what: string;
  /** State in the store, on which decisions are based. */
  readonly in_force: string;
  /** State according to evidence. */
  readonly evidence: string;
}

export interface ComparisonResult {
  /** Number of compared items by kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
  /** Items that have no evidence or were not read. */
  readonly notChecked: readonly string[];
}
