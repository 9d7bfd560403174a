/**
 * Federation conditions [federation.staleness]: documents and staleness on a data plane, and all planes on their
 * control plane.
 */
import type { FederationState } from '#core/configuration/ports.ts';
import { isSkewed, maxClockSkewMs, stalenessOf, stateOf } from '#core/configuration/store/staleness.ts';
import { platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { PlaneRow } from '#core/contracts/federation.ts';
import { leaseMs } from '#core/operations/federation/lease.ts';
import type { Measurement } from './lifecycle.ts';

export function dataPlaneConditions(
  { federation }: Configuration,
  given: FederationState | undefined,
  now: number,
): Measurement[] {
  if (federation.role !== 'data') return [];
  const state = stateOf(federation, given);
  const stale = stalenessOf(federation, state, now);
  const base = { scope: platformAlerts, type: 'system', dimension: `plane:${federation.plane}`, threshold: 0 } as const;
  const refused = state?.refused?.reason;
  return [
    {
      ...base,
      metric: 'federation_document',
      value: refused === undefined ? 0 : 1,
      ...(refused !== undefined && {
        firing: {
          severity: 'critical',
          message: `The document of the control plane is refused: ${refused.replace(/\.$/, '')}. ${state!.version > 0 ? 'The last good one stays in force.' : 'No other came before, so calls are refused.'}`,
        },
      }),
    },
    {
      ...base,
      metric: 'federation_stale',
      value: stale ? 1 : 0,
      ...(stale && {
        firing: {
          severity: 'critical',
          message: `${stale.reason} ${federation.stale === 'refuse' || stale.never ? 'Calls are refused' : 'Calls go on'} until the control plane confirms a configuration.`,
        },
      }),
    },
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

const baseOf = ({ plane }: PlaneRow) =>
  ({ scope: platformAlerts, type: 'system', dimension: `plane:${plane}`, threshold: 0 }) as const;

function chainsOf(row: PlaneRow): Measurement {
  const { plane, divergence, divergences } = row;
  return {
    ...baseOf(row),
    type: 'evidence',
    metric: 'evidence_heads',
    value: divergences,
    ...(divergence && {
      firing: {
        severity: 'critical',
        message: `plane:${plane}: the evidence of session ${divergence.session_id} of tenant ${divergence.tenant} does not match what the plane reported (${divergence.kind} at entry ${divergence.index}).`,
        evidence: { session_id: divergence.session_id, index: divergence.index },
      },
    }),
  };
}

function silenceOf(row: PlaneRow, now: number): Measurement {
  const seconds = Math.max(0, Math.floor((now - Date.parse(row.seen_at)) / 1000));
  const threshold = leaseMs(row.interval_seconds) / 1000;
  return {
    ...baseOf(row),
    metric: 'plane_silent_seconds',
    value: seconds,
    threshold,
    ...(seconds > threshold && {
      firing: { severity: 'warning', message: `plane:${row.plane}: no report since ${row.seen_at}.` },
    }),
  };
}

function conflictOf(row: PlaneRow, now: number): Measurement {
  const { conflict } = row;
  const holds = conflict !== undefined && now - Date.parse(conflict.at) < leaseMs(row.interval_seconds);
  return {
    ...baseOf(row),
    metric: 'plane_conflict',
    value: holds ? 1 : 0,
    ...(holds && {
      firing: {
        severity: 'critical',
        message: `plane:${row.plane}: two gateways report under this name. Give each its own plane and token, and replace a token that is used elsewhere.`,
      },
    }),
  };
}

function setBackOf(row: PlaneRow, version: number): Measurement {
  const ahead = Math.max(0, row.version - version);
  return {
    ...baseOf(row),
    metric: 'versions_ahead',
    value: ahead,
    ...(ahead > 0 && {
      firing: {
        severity: 'critical',
        message: `plane:${row.plane}: it has version ${row.version}, and version ${version} is in force here: this control plane was restored to an earlier state, and its planes refuse the configuration it serves. Store the configuration repeatedly until the version is above ${row.version}.`,
      },
    }),
  };
}

/**
 * Measures clock skew. A plane whose clock is slow refuses documents; if it is fast, its minutes that lie in the future
 * do not count.
 */
function skewOf(row: PlaneRow): Measurement {
  const seconds = row.skew_seconds ?? 0;
  return {
    ...baseOf(row),
    metric: 'plane_skew_seconds',
    value: Math.abs(seconds),
    threshold: maxClockSkewMs / 1000,
    ...(isSkewed(row) && {
      firing: {
        severity: 'warning',
        message: `plane:${row.plane}: its clock is ${Math.round(Math.abs(seconds) / 60)} minutes ${seconds > 0 ? 'ahead of' : 'behind'} the one here; at most ${maxClockSkewMs / 60_000} are allowed. Set the clocks.`,
      },
    }),
  };
}
