/** Determines whether a data plane may still use its control plane's configuration [federation.staleness]. */
import type { FederationSettings } from '#core/contracts/config/federation.ts';
import { durationMs } from '#core/contracts/rollout.ts';
import type { FederationState } from '../ports.ts';

/** Maximum difference between two planes' clocks. */
export const maxClockSkewMs = 15 * 60_000;

/**
 * Reports whether a plane's clock differs from the control plane's by more than the allowed maximum
 * [federation.last-good].
 */
export const isSkewed = ({ skew_seconds = 0 }: { readonly skew_seconds?: number | undefined }): boolean =>
  Math.abs(skew_seconds) * 1000 > maxClockSkewMs;

interface Staleness {
  readonly reason: string;
  /** True if no document has ever arrived. */
  readonly never: boolean;
}

/** Returns the state if it belongs to the configured plane and control plane. */
export const stateOf = (
  settings: FederationSettings,
  state: FederationState | undefined,
): FederationState | undefined =>
  state && state.plane === settings.plane && state.control_plane_url === settings.control_plane_url ? state : undefined;

/**
 * Returns the reason why a data plane's configuration is stale.
 * @returns undefined if it is not stale, and on gateways that are not data planes.
 */
export function stalenessOf(
  settings: FederationSettings,
  given: FederationState | undefined,
  now: number,
): Staleness | undefined {
  if (settings.role !== 'data') return undefined;
  const state = stateOf(settings, given);
  if (!state || state.document_sha256 === '')
    return {
      never: true,
      reason: `The control plane has not sent a configuration yet; the data plane ${settings.plane} refuses calls until it does.`,
    };
  const age = now - Date.parse(state.confirmed_at);
  const stale = (why: string): Staleness => ({
    never: false,
    reason: `The configuration of the data plane ${settings.plane} is stale: ${why}.`,
  });
  if (age > durationMs(settings.max_staleness)!)
    return stale(
      `the control plane last confirmed it at ${state.confirmed_at}, and max_staleness is ${settings.max_staleness}`,
    );
  if (age < -maxClockSkewMs) return stale('it was confirmed in the future, so the clock here was set back');
  if (now > Date.parse(state.expires_at) + maxClockSkewMs) return stale(`its document expired at ${state.expires_at}`);
  return undefined;
}
