/** One evaluation of everything that has alerts [alert.evaluated]: measure, compare with the rows, write what changed. */
import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import type { ConfigStore } from '#core/configuration/ports.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import { type AlertRow, type AlertScope, platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { EvidenceLog, Ledger } from '#core/evidence/ports.ts';
import type { PlaneStore } from '#core/federation/ports.ts';
import { type Clock, type Ids, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { keyStatuses } from '#core/limits/key-statuses.ts';
import { limitsOfAll } from '#core/limits/limits-of-all.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { DeliveryStore } from '#core/notifications/ports.ts';
import type { Observations } from '#core/observatory/ports.ts';
import type { SetAsideStore } from '#core/observatory/set-aside.ts';
import type { ChainWatch } from './chain-watch.ts';
import { changeAlert } from './change.ts';
import {
  auditChain,
  configurationFile,
  disabledSafeguards,
  oldestPending,
  refusedPlugins,
  rejectedCredentials,
  setAsideLooked,
  setAsideSessions,
} from './conditions.ts';
import { controlPlaneConditions, dataPlaneConditions } from './federation-watch.ts';
import { evaluated, keyOf, type Measured } from './lifecycle.ts';
import type { AlertStore } from './ports.ts';
import type { RefusalWatch } from './refusal-watch.ts';
import { budgetThresholds } from './thresholds.ts';
import type { TrafficWatch } from './traffic-watch.ts';

interface AlertPorts {
  readonly alerts: AlertStore;
  readonly approvals: Pick<ApprovalStore, 'list'>;
  readonly clock: Clock;
  /** Where this process follows a configuration file. */
  readonly configurationTrouble: ConfigurationTrouble | undefined;
  readonly configStore: Pick<ConfigStore, 'federation'>;
  readonly counters: Pick<Counters, 'status'>;
  readonly deliveries: Pick<DeliveryStore, 'enqueue'>;
  readonly evidence: EvidenceLog;
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly observations: Pick<Observations, 'minutes' | 'dimensions'>;
  readonly planes: Pick<PlaneStore, 'list'>;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly telemetry: Telemetry;
  /** Requests with a refused credential since it was last asked, where this process answers requests. */
  readonly rejectedCredentials: (() => number) | undefined;
  readonly setAside: Pick<SetAsideStore, 'list'>;
}

/** Remembers between evaluations; losing them costs work only. */
interface Watches {
  readonly traffic: TrafficWatch;
  readonly chains: ChainWatch;
  readonly refusals: RefusalWatch;
}

const tenantConcurrency = 10;

/** @returns how many alerts changed. What cannot be measured is left as it is and logged. */
export async function evaluateAlerts(ports: AlertPorts, watches: Watches): Promise<number> {
  const { configuration, identities, version } = await ports.snapshots.current({ evenStale: true });
  if (!configuration.alerts.enabled) return 0;
  const scopes: AlertScope[] = [platformAlerts, ...configuration.tenants.map(({ id }) => id)];
  let changed = 0;
  await sideBySide(scopes, tenantConcurrency, async (scope) => {
    try {
      const rows = await ports.alerts.list(scope);
      const measured =
        scope === platformAlerts
          ? await ofPlatform(ports, watches, { configuration, version })
          : await ofTenant(ports, watches, { configuration, identities }, scope, rows);
      changed += await apply(ports, configuration, rows, measured);
    } catch (fault) {
      ports.telemetry.log('error', 'alerts were not evaluated', { scope, error: (fault as Error).message });
    }
  });
  return changed;
}

async function ofPlatform(
  ports: AlertPorts,
  { traffic }: Watches,
  { configuration, version }: Pick<Snapshot, 'configuration' | 'version'>,
): Promise<Measured[]> {
  const first = configuration.tenants[0]?.id ?? '';
  const { budgets } = await ports.counters.status(first, limitsOfAll(configuration, first));
  const refused = ports.rejectedCredentials?.();
  return [
    ...disabledSafeguards(configuration),
    ...(ports.configurationTrouble ? [configurationFile(ports.configurationTrouble.current, version)] : []),
    ...(refused === undefined ? [] : [rejectedCredentials(refused, configuration)]),
    ...budgetThresholds(
      '',
      budgets.filter(({ scope }) => scope === 'global'),
    ),
    ...(await traffic.platform(ports, configuration.alerts)),
    ...(await ofFederation(ports, configuration, version)),
  ];
}

async function ofFederation(ports: AlertPorts, configuration: Configuration, version: number): Promise<Measured[]> {
  const { role, planes } = configuration.federation;
  const now = ports.clock.now();
  if (role === 'data') return dataPlaneConditions(configuration, await ports.configStore.federation(), now);
  if (role === 'none' || planes.length === 0) return [];
  return controlPlaneConditions(await ports.planes.list(planes.map(({ name }) => name)), version, now);
}

async function ofTenant(
  ports: AlertPorts,
  { traffic, chains, refusals }: Watches,
  { configuration, identities }: Pick<Snapshot, 'configuration' | 'identities'>,
  tenant: string,
  rows: readonly AlertRow[],
): Promise<Measured[]> {
  const now = ports.clock.now();
  const [pending, { budgets }, keys, ofTraffic, broken, refused, aside] = await Promise.all([
    ports.approvals.list(tenant, 'pending', { limit: 1 }),
    ports.counters.status(tenant, limitsOfAll(configuration, tenant)),
    keyStatuses(ports.counters, identities, tenant),
    traffic.tenant(ports, tenant, configuration.alerts),
    chains.look(ports.evidence, tenant, rows),
    refusals.look(ports.evidence, tenant, now),
    ports.setAside.list(tenant, setAsideLooked),
  ]);
  const [oldest] = pending.items;
  const waits = oldest && oldest.expires_at > isoTime(now) ? now - Date.parse(oldest.queued_at) : 0;
  return [
    oldestPending(tenant, Math.max(0, Math.floor(waits / 1000)), configuration),
    ...budgetThresholds(
      tenant,
      budgets.filter(({ scope }) => scope === 'tenant'),
    ),
    ...budgetThresholds(
      tenant,
      keys.flatMap((key) => key.budgets),
    ),
    ...ofTraffic,
    auditChain(tenant, broken),
    setAsideSessions(tenant, aside),
    refusedPlugins(tenant, refused),
  ];
}

/** What is open and was not measured is normal: its traffic, its budget or its tenant is gone. */
async function apply(
  ports: AlertPorts,
  configuration: Configuration,
  rows: readonly AlertRow[],
  measured: readonly Measured[],
): Promise<number> {
  const at = isoTime(ports.clock.now());
  const newest = new Map<string, AlertRow>();
  for (const row of rows) if ((newest.get(row.key)?.number ?? 0) < row.number) newest.set(row.key, row);
  const seen = new Map(measured.map((each) => [keyOf(each), each]));
  const unseen = [...newest.values()]
    .filter(({ key, alert }) => alert.state !== 'resolved' && !seen.has(key))
    .map(({ scope, alert }): Measured => ({ scope, ...alert, value: 0 }));
  let changed = 0;
  for (const each of [...seen.values(), ...unseen]) {
    const before = newest.get(keyOf(each));
    const step = evaluated(before, each, at);
    if (!step) continue;
    if (!step.change) await ports.alerts.note(step.row, before!);
    else if (await changeAlert(ports, configuration, { row: step.row, before, change: step.change })) changed++;
  }
  return changed;
}
