/**
 * Drift accepted by a human: calls outside the task sheet that a session may repeat without a new approval
 * [manifest.drift].
 */

import { type Drift, namingKinds } from '#core/contracts/drift.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { digestOf } from '#core/kernel/canonical.ts';

const longestFound = 200;

export const shortenValue = (text: string): string =>
  text.length > longestFound ? `${text.slice(0, longestFound - 1)}…` : text;

/** Maximum number per session head. Any additional accepted drift needs approval each time. */
const maxAccepted = 64;

type DriftName = Pick<Drift, 'manifest_id' | 'kind' | 'found'>;

/**
 * Returns the key of a drift within its session. Undefined for drift that needs approval each time because it has no
 * name (a count, a budget), or because it is shortened or redacted in evidence.
 */
export function driftKey({ manifest_id, kind, found }: DriftName): string | undefined {
  if (!namingKinds.includes(kind) || typeof found !== 'string' || found.length >= longestFound) return undefined;
  return digestOf({ manifest_id, kind, found }).slice(0, 32);
}

/** Checks whether the approver was shown every drift that the call has now. */
export function isEachDriftShown(now: readonly Drift[], shown: readonly Drift[] = []): boolean {
  const keys = shown.map(driftKey);
  return now.length > 0 && now.every((each) => keys.includes(driftKey(each)) && driftKey(each) !== undefined);
}

/** Returns the keys after an entry. An approved call adds the drift that its approver was shown. */
export function acceptedAfter(
  before: readonly string[] | undefined,
  { kind, body }: Pick<EvidenceEntry, 'kind' | 'body'>,
): readonly string[] | undefined {
  if (kind !== 'allow' || body.accepts_drift !== true || !Array.isArray(body.drift)) return before;
  const keys = (body.drift as readonly Drift[]).map(driftKey).filter((key) => key !== undefined);
  return [...new Set([...(before ?? []), ...keys])].slice(0, maxAccepted);
}
