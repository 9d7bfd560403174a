/** Conditions not based on traffic: pending approvals, disabled safeguards, rejected credentials and others. */

import type { FileTrouble } from '#core/configuration/file-trouble.ts';
import { type AlertScope, platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { type Contradiction, contradictedInWords } from '#core/evidence/contradiction.ts';
import { countText } from '#core/kernel/count-text.ts';
import { type FailedEntry, setAsideInWords } from '#core/observatory/set-aside.ts';
import { type Measurement, measurement } from './lifecycle.ts';
import { type Refusal, refusalWindowMs } from './refusal-watch.ts';

const ofPlatform = { scope: platformAlerts, type: 'system', dimension: 'global' } as const;
const ofTenant = (tenant: string) => ({ scope: tenant, dimension: `tenant:${tenant}` });

/** Measures a tenant's oldest pending approval. @param seconds its age; 0 if there are no pending approvals */
export function oldestPending(tenant: string, seconds: number, { alerts }: Configuration): Measurement {
  const threshold = alerts.oldest_pending_seconds;
  return measurement(
    { ...ofTenant(tenant), type: 'approval', metric: 'oldest_pending_seconds', value: seconds, threshold },
    {
      message: `tenant:${tenant}: an approval has been pending for ${seconds} seconds; the threshold is ${threshold}. Vote on it on the console's page Approvals, or with agentctl approve.`,
    },
  );
}

/** Reports safeguards that the configuration disables [policy.break-glass]. */
export function disabledSafeguards({ policies, tool_policies }: Configuration): Measurement[] {
  const guards = [...new Set(tool_policies.disable_guards)];
  return [
    measurement(
      { ...ofPlatform, metric: 'break_glass', value: policies.break_glass ? 1 : 0 },
      {
        severity: 'critical',
        message:
          'policies.break_glass is on: filters that fail let calls pass. Set it to false when the emergency is over.',
      },
    ),
    measurement(
      { ...ofPlatform, metric: 'guards_disabled', value: guards.length },
      { message: `tool_policies.disable_guards switches off ${guards.join(', ')}.` },
    ),
  ];
}

/**
 * Reports problems with this process's configuration file [policy.hot-reload]. The message does not quote the file,
 * because alerts are part of a tenant's evidence and are sent to channels, and the file may name other tenants.
 */
export const configurationFile = (trouble: FileTrouble | undefined, version: number): Measurement =>
  measurement(
    { ...ofPlatform, metric: 'configuration_file', value: trouble ? 1 : 0 },
    trouble && {
      message: `The configuration file ${trouble.file} does not load, so version ${version} stays in force. \`agentctl status\` with the admin token shows why; correct the file and save it.`,
    },
  );

/**
 * Measures rejected credentials.
 * @param refused the number of requests in the last minute for which this process rejected the credential
 */
export function rejectedCredentials(refused: number, { alerts }: Configuration): Measurement {
  const threshold = alerts.rejected_credentials_per_minute;
  return measurement(
    { ...ofPlatform, metric: 'rejected_credentials', value: refused, threshold },
    {
      message: `${refused} requests in a minute came with an unknown credential; the threshold is ${threshold}. A caller may be guessing keys, or a client has an old one.`,
    },
  );
}

/** Reports plugins, packs and modules refused within the window. */
export function refusedPlugins(tenant: string, refusals: readonly Refusal[]): Measurement {
  const last = refusals.at(-1);
  return measurement(
    { ...ofTenant(tenant), type: 'system', metric: 'refused_plugins', value: refusals.length },
    last && {
      message: `tenant:${tenant}: ${countText(refusals.length, 'refusal')} of plugins, packs or modules in ${refusalWindowMs / 60_000} minutes, the latest for ${JSON.stringify(last.name)} (${last.reason}). \`agentctl supply-chain list\` shows who asked and why.`,
    },
  );
}

/** Reports measurements that failed. Meanwhile, alerts that depend on them neither open nor resolve. */
export function notMeasured(
  scope: AlertScope,
  faults: readonly { readonly name: string; readonly error: string }[],
): Measurement {
  const [first] = faults;
  const about = scope === platformAlerts ? ofPlatform : { ...ofTenant(scope), type: 'system' as const };
  return measurement(
    { ...about, metric: 'not_measured', value: faults.length },
    first && {
      message: `${about.dimension}: alerts of ${faults.map(({ name }) => name).join(', ')} could not be measured: ${first.error.slice(0, 300).toWellFormed()} Until they can, they neither open nor resolve; the gateway's log has each error.`,
    },
  );
}

export interface BrokenSession {
  readonly session_id: string;
  readonly index: number;
  readonly reason: string;
}

/** Returns a measurement of evidence. Its alert is critical and cites the first entry concerned. */
const evidenceMeasurement = <Place extends { readonly session_id: string; readonly index: number }>(
  about: Pick<Measurement, 'scope' | 'dimension' | 'metric' | 'value'> & { readonly threshold?: number },
  first: Place | undefined,
  says: (first: Place) => string,
): Measurement =>
  measurement(
    { ...about, type: 'evidence' },
    first && {
      severity: 'critical',
      message: says(first),
      evidence: { session_id: first.session_id, index: first.index },
    },
  );

export const auditChainMetric = 'audit_chain';

/** Reports a tenant's broken audit chains. */
export function auditChain(tenant: string, broken: readonly BrokenSession[]): Measurement {
  const others = broken.length > 1 ? ` So is the evidence of ${broken.length - 1} more.` : '';
  return evidenceMeasurement(
    { ...ofTenant(tenant), metric: auditChainMetric, value: broken.length },
    broken[0],
    ({ session_id, index, reason }) =>
      `tenant:${tenant}: the evidence of session ${session_id} is broken at entry ${index}: ${reason}.${others} Run \`agentctl evidence verify --session ${session_id}\`.`,
  );
}

/** Maximum number of rows examined per tenant for sessions with a fault. */
export const setAsideLooked = 100;

/** Reports sessions that the projection has set aside [audit.set-aside]. */
export const setAsideSessions = (tenant: string, rows: readonly FailedEntry[]): Measurement =>
  evidenceMeasurement(
    { ...ofTenant(tenant), metric: 'set_aside', value: rows.length },
    rows[0],
    () => `tenant:${tenant}: ${setAsideInWords(rows, setAsideLooked)}`,
  );

/**
 * Reports each chain that contradicts its evidence in a separate alert, and any chains beyond the maximum in one joint
 * alert [evidence.contradicted].
 */
export const contradictedChains = (tenant: string, rows: readonly Contradiction[]): Measurement[] => [
  ...rows
    .slice(0, setAsideLooked)
    .map((row) =>
      evidenceMeasurement(
        { scope: row.tenant, dimension: `session:${row.session_id}`, metric: 'contradicted', value: 1 },
        row,
        () => contradictedInWords([row], 2),
      ),
    ),
  ...rows
    .slice(setAsideLooked, setAsideLooked + 1)
    .map((row) =>
      evidenceMeasurement(
        { ...ofTenant(tenant), metric: 'contradicted', value: setAsideLooked + 1, threshold: setAsideLooked },
        row,
        ({ session_id }) =>
          `tenant:${tenant}: more than ${setAsideLooked} chains contradict their evidence; session ${session_id} and those after it have no alert of their own yet. The log names each in the line "a chain contradicts its evidence". If tables were restored to an earlier time, put their entries back: \`agentctl restore entries\`.`,
      ),
    ),
];
