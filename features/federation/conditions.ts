/**
 * Federation conditions [federation.staleness]: documents and staleness on a data plane, and all planes on their
 * control plane.
 */
import type { FederationState } from '#core/configuration/ports.ts';
import { maxClockSkewMs, stalenessOf, stateOf } from '#core/configuration/store/staleness.ts';
import { platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { type Measurement, measurement } from '#core/operations/alerts/lifecycle.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import type { PlaneRow } from './contract.ts';
import { leaseMs } from './lease.ts';

const ofPlane = (plane: string | undefined) =>
  ({ scope: platformAlerts, type: 'system', dimension: `plane:${plane}` }) as const;

/** Returns the conditions of this gateway's role. */
export async function conditions(
  { clock, configStore, planes }: Pick<GatewayPorts, 'clock' | 'configStore' | 'planes'>,
  configuration: Configuration,
  version: number,
): Promise<Measurement[]> {
  const { role, planes: listed } = configuration.federation;
  const now = clock.now();
  if (role === 'data') return dataPlaneConditions(configuration, await configStore.federation(), now);
  if (role === 'none' || listed.length === 0) return [];
  return controlPlaneConditions(await planes.list(listed.map(({ name }) => name)), version, now);
}

function dataPlaneConditions(
  { federation }: Configuration,
  given: FederationState | undefined,
  now: number,
): Measurement[] {
  if (federation.role !== 'data') return [];
  const state = stateOf(federation, given);
  const stale = stalenessOf(federation, state, now);
  const about = ofPlane(federation.plane);
  const refused = state?.refused?.reason;
  return [
    measurement(
      { ...about, metric: 'federation_document', value: refused === undefined ? 0 : 1 },
      refused === undefined
        ? undefined
        : {
            severity: 'critical',
            message: `The document of the control plane is refused: ${refused.replace(/\.$/, '')}. ${state!.version > 0 ? 'The last good one stays in force.' : 'No other came before, so calls are refused.'}`,
          },
    ),
    measurement(
      { ...about, metric: 'federation_stale', value: stale ? 1 : 0 },
      stale && {
        severity: 'critical',
        message: `${stale.reason} ${federation.stale === 'refuse' || stale.never ? 'Calls are refused' : 'Calls go on'} until the control plane confirms a configuration.`,
      },
    ),
  ];
}

/**
 * Returns the conditions of each plane that has reported to this control plane.
 * @param version this gateway's active policy version
 */
export const controlPlaneConditions = (rows: readonly PlaneRow[], version: number, now: number): Measurement[] =>
  rows.flatMap((row) => [
    chainsOf(row),
    silenceOf(row, now),
    conflictOf(row, now),
    setBackOf(row, version),
    skewOf(row),
  ]);

const chainsOf = ({ plane, divergence, divergences }: PlaneRow): Measurement =>
  measurement(
    { ...ofPlane(plane), type: 'evidence', metric: 'evidence_heads', value: divergences },
    divergence && {
      severity: 'critical',
      message: `plane:${plane}: the evidence of session ${divergence.session_id} of tenant ${divergence.tenant} does not match what the plane reported (${divergence.kind} at entry ${divergence.index}).`,
      evidence: { session_id: divergence.session_id, index: divergence.index },
    },
  );

function silenceOf({ plane, seen_at, interval_seconds }: PlaneRow, now: number): Measurement {
  const value = Math.max(0, Math.floor((now - Date.parse(seen_at)) / 1000));
  return measurement(
    { ...ofPlane(plane), metric: 'plane_silent_seconds', value, threshold: leaseMs(interval_seconds) / 1000 },
    { message: `plane:${plane}: no report since ${seen_at}.` },
  );
}

function conflictOf({ plane, conflict, interval_seconds }: PlaneRow, now: number): Measurement {
  const holds = conflict !== undefined && now - Date.parse(conflict.at) < leaseMs(interval_seconds);
  return measurement(
    { ...ofPlane(plane), metric: 'plane_conflict', value: holds ? 1 : 0 },
    {
      severity: 'critical',
      message: `plane:${plane}: two gateways report under this name. Give each its own plane and token, and replace a token that is used elsewhere.`,
    },
  );
}

const setBackOf = (row: PlaneRow, version: number): Measurement =>
  measurement(
    { ...ofPlane(row.plane), metric: 'versions_ahead', value: Math.max(0, row.version - version) },
    {
      severity: 'critical',
      message: `plane:${row.plane}: it has version ${row.version}, and version ${version} is in force here: this control plane was restored to an earlier state, and its planes refuse the configuration it serves. Store the configuration repeatedly until the version is above ${row.version}.`,
    },
  );

/**
 * Measures clock skew. A plane whose clock is slow refuses documents; if it is fast, its minutes that lie in the future
 * do not count.
 */
function skewOf({ plane, skew_seconds: seconds = 0 }: PlaneRow): Measurement {
  const value = Math.abs(seconds);
  return measurement(
    { ...ofPlane(plane), metric: 'plane_skew_seconds', value, threshold: maxClockSkewMs / 1000 },
    {
      message: `plane:${plane}: its clock is ${Math.round(value / 60)} minutes ${seconds > 0 ? 'ahead of' : 'behind'} the one here; at most ${maxClockSkewMs / 60_000} are allowed. Set the clocks.`,
    },
  );
}
