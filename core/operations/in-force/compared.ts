import type { comparedKinds } from '#core/contracts/in-force.ts';
import type { Call } from '../operation.ts';

/** The request that compares the store with the evidence. */
export type AuditCall = Pick<Call, 'ports' | 'principal' | 'snapshot'>;

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
