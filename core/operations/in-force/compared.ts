import type { comparedKinds } from '#core/contracts/in-force.ts';
import type { Call } from '../operation.ts';

/** The request that compares the store with the evidence. */
export type AuditCall = Pick<Call, 'ports' | 'principal' | 'snapshot'>;

/** What a comparison of the store with evidence found. */
export interface Difference {
  readonly of: (typeof comparedKinds)[number];
  /** Which version, key, account, session, definition, sheet, ticket or credential. */
  readonly what: string;
  /** As the store has it, and so as calls are decided by. */
  readonly in_force: string;
  /** As entries have it. */
  readonly evidence: string;
}

export interface Compared {
  /** How much was compared, by what it is. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
  /** What evidence does not say, or was not read. */
  readonly notChecked: readonly string[];
}
