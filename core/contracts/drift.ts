/** Ways in which a call departs from the declared task. */

export const driftKinds = [
  'unknown',
  'attachment',
  'expired',
  'protocol',
  'tool',
  'resource',
  'capability',
  'recipient',
  'unclear',
  'count',
  'budget',
  'risk_tier',
] as const;
export type DriftKind = (typeof driftKinds)[number];

/**
 * Kinds of drift with a named object. Once a human has approved the object, the session needs no further approval for
 * it.
 */
export const namingKinds: readonly DriftKind[] = ['protocol', 'tool', 'resource', 'capability', 'recipient'];

/** One departure of a call from the declared task. */
export interface Drift {
  readonly manifest_id: string;
  readonly kind: DriftKind;
  readonly found: string;
  /** What the manifest allows, in plain language. */
  readonly allowed: string;
}
