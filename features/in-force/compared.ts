import type { RowPlace } from '#core/evidence/entry-text.ts';
import type { Call } from '#core/operations/operation.ts';
import type { comparedKinds } from './kinds.ts';

/** The request that compares the store with the evidence. */
export interface AuditCall extends Pick<Call, 'ports' | 'principal' | 'snapshot'> {
  /** Receives rows of evidence that cannot be read. They are a difference of their own. */
  readonly unreadable: (row: RowPlace) => void;
}

/** A difference between the store and evidence. */
export interface Difference {
  readonly of: (typeof comparedKinds)[number];
  /** Name of the version, key, account, session, definition, sheet, ticket or credential. */
  readonly what: string;
  /** State in the store, by which calls are decided. */
  readonly in_force: string;
  /** State according to evidence. */
  readonly evidence: string;
}

export interface Compared {
  /** Number of compared items by kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
  /** Items without evidence, or that were not read. */
  readonly notChecked: readonly string[];
}
