/**
 * Evaluates all alerts once [alert.lifecycle]: takes measurements, compares them with the rows and writes the changes.
 */

import type { DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ApprovalStore, ChannelLimits } from '#core/approvals/ports.ts';
import type { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import type { ConfigStore } from '#core/configuration/ports.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import { type AlertRow, type AlertScope, platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ContradictionStore } from '#core/evidence/contradiction.ts';
import type { EvidenceLog, Ledger } from '#core/evidence/ports.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { type Clock, type Ids, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { Turns } from '#core/kernel/turns.ts';
import { keyStatuses } from '#core/limits/key-statuses.ts';
import { limitsOfAll } from '#core/limits/limits-of-all.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { Observations } from '#core/observatory/ports.ts';
import type { SetAsideStore } from '#core/observatory/set-aside.ts';
import type { ChainWatch } from './chain-watch.ts';
import { changeAlert } from './change.ts';
import {
  auditChain,
  configurationFile,
  contradictedChains,
  disabledSafeguards,
  notMeasured,
  oldestPending,
  refusedPlugins,
  rejectedCredentials,
  setAsideLooked,
  setAsideSessions,
} from './conditions.ts';
import { keyOf, type Measurement, nextAlert } from './lifecycle.ts';
import type { AlertStore } from './ports.ts';
import type { RefusalWatch } from './refusal-watch.ts';
import { budgetThresholds } from './thresholds.ts';
import type { TrafficWatch } from './traffic-watch.ts';

interface AlertPorts {
  readonly alerts: AlertStore;
  readonly approvals: Pick<ApprovalStore, 'list'>;
  readonly channelLimits: ChannelLimits;
  readonly clock: Clock;
  /** State of the configuration file, if this process watches one. */
  readonly configurationTrouble: ConfigurationTrouble | undefined;
  readonly configStore: Pick<ConfigStore, 'federation' | 'tenantRowIds'>;
  readonly counters: Pick<Counters, 'status'>;
  readonly deliveries: Pick<DeliveryStore, 'enqueue'>;
  readonly evidence: EvidenceLog;
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly observations: Pick<Observations, 'minutes' | 'dimensions'>;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly telemetry: Telemetry;
  /**
   * Returns the number of requests with a rejected credential since the previous call, if this process serves requests.
   */
  readonly rejectedCredentials: (() => number) | undefined;
  /** Conditions of features, by readable name. */
  readonly conditions: Readonly<Record<string, PlatformConditions>>;
  readonly setAside: Pick<SetAsideStore, 'list'>;
  readonly contradictions: Pick<ContradictionStore, 'list'>;
}

/** Measurements for the platform that a feature adds. @param version the active policy version */
export type PlatformConditions = (configuration: Configuration, version: number) => Promise<Measurement[]>;

/** State kept between evaluations. If it is lost, work is merely repeated. */
interface Watches {
  readonly traffic: TrafficWatch;
  readonly chains: ChainWatch;
  readonly refusals: RefusalWatch;
  /** Position among the tenants stored as rows. */
  readonly turns: Turns;
}

const tenantConcurrency = 10;
/**
 * Maximum number of tenants stored as rows that one evaluation covers: the next ones in turn, and some with open alerts
 * so that those resolve in time.
 */
const mostRows = { inTurn: 500, withAlerts: 100 };
/** Time limit for tenants stored as rows. The remaining ones come first in the next evaluation. */
const longestMs = 40_000;

/**
 * Evaluates the alerts of all scopes. A failed measurement leaves its alerts unchanged, and raises an alert of its own
 * [alert.lifecycle].
 * @returns the number of changed alerts.
 */
export async function evaluateAlerts(ports: AlertPorts, watches: Watches): Promise<number> {
  const snapshot = await ports.snapshots.current({ evenStale: true });
  const { configuration } = snapshot;
  if (!configuration.alerts.enabled) return 0;
  const until = ports.clock.now() + longestMs;
  const scopes: AlertScope[] = [platformAlerts, ...configuration.tenants.map(({ id }) => id)];
  let changed = 0;
  await sideBySide(scopes, tenantConcurrency, async (scope) => {
    changed += await evaluateScope(ports, watches, scope, async () => snapshot);
  });
  await rowsInTurn(ports, watches.turns, configuration, async (ids, took) =>
    sideBySide(
      ids,
      tenantConcurrency,
      async (tenant) => {
        took(tenant);
        const view = () => ports.snapshots.current({ evenStale: true, of: { tenant } });
        changed += await evaluateScope(ports, watches, tenant, view);
      },
      () => ports.clock.now() < until,
    ),
  );
  return changed;
}

/**
 * Evaluates one scope. A failure is logged so that the other scopes are still evaluated. @returns the number of changed
 * alerts
 */
async function evaluateScope(
  ports: AlertPorts,
  watches: Watches,
  scope: AlertScope,
  view: () => Promise<Snapshot>,
): Promise<number> {
  try {
    const snapshot = await view();
    const rows = await ports.alerts.list(scope);
    const measures =
      scope === platformAlerts ? ofPlatform(ports, watches, snapshot) : ofTenant(ports, watches, snapshot, scope, rows);
    return await apply(ports, snapshot.configuration, rows, await measuredApart(ports, scope, measures));
  } catch (fault) {
    ports.telemetry.log('error', 'alerts were not evaluated', { scope, error: (fault as Error).message });
    return 0;
  }
}

/** Takes the next tenants stored as rows, and some that have open alerts [tenants.rows]. */
async function rowsInTurn(
  { alerts, configStore, telemetry }: AlertPorts,
  turns: Turns,
  { tenants }: Configuration,
  evaluate: (ids: readonly string[], took: (id: string) => void) => Promise<unknown>,
): Promise<void> {
  try {
    const read = (after: string | undefined, most: number) => configStore.tenantRowIds(after, most);
    await turns.nextPage(mostRows.inTurn, read, async (next, took) => {
      if (next.length === 0) return;
      const open = (await alerts.open({ limit: mostRows.withAlerts })).items;
      const covered = new Set<AlertScope>([platformAlerts, ...tenants.map(({ id }) => id), ...next]);
      const troubled = [...new Set(open.map(({ scope }) => scope))].filter((id) => !covered.has(id));
      await evaluate(troubled, () => {});
      await evaluate(next, took);
    });
  } catch (fault) {
    telemetry.log('error', 'alerts of tenants that are stored as rows were not evaluated', {
      error: (fault as Error).message,
    });
  }
}

/** Measurements for a scope, by readable name. */
type Measures = Readonly<Record<string, () => Promise<Measurement[]>>>;

interface MeasurementBatch {
  readonly measured: readonly Measurement[];
  /** True if no measurement failed. Only in that case does an alert without a measurement count as normal. */
  readonly whole: boolean;
}

/**
 * Runs the measurements independently, so that a failed one becomes an alert.
 * @throws if all fail, because the store is then unavailable.
 */
async function measuredApart(ports: AlertPorts, scope: AlertScope, measures: Measures): Promise<MeasurementBatch> {
  const names = Object.keys(measures);
  const outcomes = await Promise.allSettled(names.map((name) => measures[name]!()));
  const faults = outcomes.flatMap((outcome, n) =>
    outcome.status === 'rejected' ? { name: names[n]!, error: asGatewayError(outcome.reason).message } : [],
  );
  if (faults.length === names.length) throw new Error(faults[0]!.error);
  for (const fault of faults) ports.telemetry.log('error', 'an alert was not measured', { scope, ...fault });
  const found = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  return { measured: [...found, notMeasured(scope, faults)], whole: faults.length === 0 };
}

function ofPlatform(
  ports: AlertPorts,
  { traffic }: Watches,
  { configuration, version }: Pick<Snapshot, 'configuration' | 'version'>,
): Measures {
  const first = configuration.tenants[0]?.id ?? '';
  const refused = ports.rejectedCredentials?.();
  return {
    configuration: async () => [
      ...disabledSafeguards(configuration),
      ...(ports.configurationTrouble ? [configurationFile(ports.configurationTrouble.current, version)] : []),
      ...(refused === undefined ? [] : [rejectedCredentials(refused, configuration)]),
    ],
    budgets: async () => {
      const { budgets } = await ports.counters.status(first, limitsOfAll(configuration, first));
      return budgetThresholds(
        '',
        budgets.filter(({ scope }) => scope === 'global'),
      );
    },
    traffic: () => traffic.platform(ports, configuration.alerts),
    ...Object.fromEntries(
      Object.entries(ports.conditions).map(([name, measure]) => [name, () => measure(configuration, version)]),
    ),
  };
}

function ofTenant(
  ports: AlertPorts,
  { traffic, chains, refusals }: Watches,
  { configuration, identities }: Pick<Snapshot, 'configuration' | 'identities'>,
  tenant: string,
  rows: readonly AlertRow[],
): Measures {
  const now = ports.clock.now();
  return {
    approvals: async () => {
      const [oldest] = (await ports.approvals.list(tenant, 'pending', { limit: 1 })).items;
      const waits = oldest && oldest.expires_at > isoTime(now) ? now - Date.parse(oldest.queued_at) : 0;
      return [oldestPending(tenant, Math.max(0, Math.floor(waits / 1000)), configuration)];
    },
    budgets: async () => {
      // A removed tenant has no budgets, but its evidence is still checked.
      if (!configuration.tenants.some(({ id }) => id === tenant)) return [];
      const { budgets } = await ports.counters.status(tenant, limitsOfAll(configuration, tenant));
      return budgetThresholds(
        tenant,
        budgets.filter(({ scope }) => scope === 'tenant'),
      );
    },
    'budgets of keys': async () => {
      const statuses = await keyStatuses(ports.counters, identities, tenant);
      return budgetThresholds(
        tenant,
        statuses.flatMap((key) => key.budgets),
      );
    },
    traffic: () => traffic.tenant(ports, tenant, configuration.alerts),
    'audit chain': async () => [auditChain(tenant, await chains.look(ports.evidence, tenant, rows))],
    'sessions set aside': async () => [setAsideSessions(tenant, await ports.setAside.list(tenant, setAsideLooked))],
    'contradicted chains': async () =>
      contradictedChains(tenant, await ports.contradictions.list(tenant, setAsideLooked + 1)),
    'refused plugins': async () => [refusedPlugins(tenant, await refusals.look(ports.evidence, tenant, now))],
  };
}

/**
 * Applies the measurements. If none failed, an open alert without a measurement counts as normal, because its traffic,
 * budget or tenant is gone. A failed write of one alert does not stop the others.
 */
async function apply(
  ports: AlertPorts,
  configuration: Configuration,
  rows: readonly AlertRow[],
  { measured, whole }: MeasurementBatch,
): Promise<number> {
  const at = isoTime(ports.clock.now());
  const newest = new Map<string, AlertRow>();
  for (const row of rows) if ((newest.get(row.key)?.number ?? 0) < row.number) newest.set(row.key, row);
  const seen = new Map(measured.map((each) => [keyOf(each), each]));
  const unseen = [...newest.values()]
    .filter(({ key, alert }) => whole && alert.state !== 'resolved' && !seen.has(key))
    .map(({ scope, alert }): Measurement => ({ scope, ...alert, value: 0 }));
  let changed = 0;
  for (const each of [...seen.values(), ...unseen]) {
    const before = newest.get(keyOf(each));
    const step = nextAlert(before, each, at);
    if (!step) continue;
    try {
      if (!step.change) await ports.alerts.note(step.row, before!);
      else if (await changeAlert(ports, configuration, { row: step.row, before, change: step.change })) changed++;
    } catch (fault) {
      const { scope, metric } = each;
      ports.telemetry.log('error', 'an alert was not written', { scope, metric, error: (fault as Error).message });
    }
  }
  return changed;
}
