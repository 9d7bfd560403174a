/** Drift that a human accepted: what a session may do beyond its task sheet without asking again [manifest.asks-once]. */

import { type Drift, namingKinds } from '#core/contracts/drift.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { digestOf } from '#core/kernel/canonical.ts';

const longestFound = 200;

export const shortened = (text: string): string =>
  text.length > longestFound ? `${text.slice(0, longestFound - 1)}…` : text;

/** As many as a session's head keeps; what is accepted beyond them asks again. */
const maxAccepted = 64;

type DriftName = Pick<Drift, 'manifest_id' | 'kind' | 'found'>;

/**
 * Name of a drift in its session. Undefined for what asks each time: a drift that names nothing (a count, a budget), a text
 * that was shortened, and one that evidence redacts.
 */
export function driftKey({ manifest_id, kind, found }: DriftName): string | undefined {
  if (!namingKinds.includes(kind) || typeof found !== 'string' || found.length >= longestFound) return undefined;
  return digestOf({ manifest_id, kind, found }).slice(0, 32);
}

/** Whether the approver was shown each drift that the call has now. */
export function isEachDriftShown(now: readonly Drift[], shown: readonly Drift[] = []): boolean {
  const keys = shown.map(driftKey);
  return now.length > 0 && now.every((each) => keys.includes(driftKey(each)) && driftKey(each) !== undefined);
}

/** Keys after an entry: an approved call whose drift its approver was shown adds those of that drift. */
export function acceptedAfter(
  before: readonly string[] | undefined,
  { kind, body }: Pick<EvidenceEntry, 'kind' | 'body'>,
): readonly string[] | undefined {
  if (kind !== 'allow' || body.accepts_drift !== true || !Array.isArray(body.drift)) return before;
  const keys = (body.drift as readonly Drift[]).map(driftKey).filter((key) => key !== undefined);
  return [...new Set([...(before ?? []), ...keys])].slice(0, maxAccepted);
}
