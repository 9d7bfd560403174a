/** Ways in which a call leaves the task it was declared for. */

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

/** Kinds that name something: once a human approved it, the same thing does not ask again in its session. */
export const namingKinds: readonly DriftKind[] = ['protocol', 'tool', 'resource', 'capability', 'recipient'];

/** One way in which a call left the task it was declared for. */
export interface Drift {
  readonly manifest_id: string;
  readonly kind: DriftKind;
  readonly found: string;
  /** What the manifest allows, in words. */
  readonly allowed: string;
}
