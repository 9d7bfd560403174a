/** Reports from a data plane to its control plane [federation.metrics]: status, chains and minutes of traffic. */
import type { ApprovalStore } from '#core/approvals/ports.ts';
import { stalenessOf, stateOf } from '#core/configuration/store/staleness.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import { dayMs, minuteMs } from '#core/kernel/durations.ts';
import { maxValues } from '#core/kernel/json.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { totalsOf } from '#core/observatory/buckets.ts';
import { everyTenant } from '#core/observatory/dimensions.ts';
import { addUp } from '#core/observatory/measures.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { ReportedChains } from './chains.ts';
import { maxHeads, maxMinutes, type PlaneMetrics, type PlaneStatus, type WantedHead } from './contract.ts';
import { controlPlaneAddress, type PollPorts } from './poll.ts';
import { type ControlPlaneAddress, ControlPlaneRefusal } from './ports.ts';

interface ReportPorts
  extends Pick<PollPorts, 'clock' | 'configStore' | 'controlPlane' | 'secrets' | 'snapshots' | 'telemetry'> {
  readonly approvals: Pick<ApprovalStore, 'pendingKeys'>;
  readonly evidence: EvidenceLog;
  readonly observations: Pick<Observations, 'minutes'>;
  /** Distinguishes gateways with the same name. Stable across restarts. */
  readonly instance: string;
  /**
   * Seconds between two runs, if the host runs this on a schedule. In that case, requested chains are sent immediately.
   */
  readonly everySeconds: number | undefined;
}

const trafficMinutes = 5;
/**
 * Number of recent minutes that may still change after being sent, because projections lag and the current minute is
 * incomplete.
 */
const lateMinutes = 3;
/** Maximum number of pending requests counted per tenant. */
const maxCounted = 200;

/** Sends one data plane's reports in sequence. */
export class Reports {
  readonly #chains = new ReportedChains();
  #wanted: readonly WantedHead[] = [];
  #sentUntil: number | undefined;

  /**
   * Sends the status, followed by all minutes stored since the last report, including those stored during a network
   * partition.
   * @throws ControlPlaneRefused, or Error if the control plane cannot be reached; the rest is sent next time.
   */
  async send(ports: ReportPorts): Promise<void> {
    const { configuration } = await ports.snapshots.current({ evenStale: true });
    const to = await controlPlaneAddress(ports, configuration.federation);
    if (!to) return;
    await this.#status(ports, to);
    // With a schedule, the next report is a minute away and may come from a process without this memory.
    if (ports.everySeconds !== undefined && this.#wanted.length > 0) await this.#status(ports, to);
    await this.#metrics(ports, to);
  }

  async #status(ports: ReportPorts, to: ControlPlaneAddress): Promise<void> {
    const { configuration } = await ports.snapshots.current({ evenStale: true });
    const tenants = configuration.tenants.map(({ id }) => id);
    const evidence_heads = await this.#chains.changed(
      { evidence: ports.evidence, expiresBefore: expiresBefore(configuration, ports.clock.now()) },
      tenants,
      this.#wanted,
    );
    const state = stateOf(configuration.federation, await ports.configStore.federation());
    const now = ports.clock.now();
    const status: PlaneStatus = {
      plane: to.plane,
      instance: ports.instance,
      interval_seconds: Math.max(configuration.federation.poll_seconds, ports.everySeconds ?? 0),
      sent_at: isoTime(now),
      version: state?.version ?? 0,
      healthy: stalenessOf(configuration.federation, state, now) === undefined,
      ...(state?.refused && { refused: state.refused.reason }),
      ...(await trafficOf(ports)),
      pending_approvals: await pendingOf(ports, tenants),
      evidence_heads,
    };
    const answer = (await ports.controlPlane.post(to, 'status', status)) as { wanted?: readonly WantedHead[] };
    this.#chains.taken(evidence_heads);
    this.#wanted = Array.isArray(answer.wanted) ? answer.wanted.slice(0, maxHeads) : [];
  }

  async #metrics(ports: ReportPorts, to: ControlPlaneAddress): Promise<void> {
    const { clock, observations, controlPlane, instance, telemetry } = ports;
    const now = clock.now();
    const from = Math.max(this.#sentUntil ?? 0, now - recentHours * 60 * minuteMs);
    const sums = await observations.minutes(everyTenant, {
      dimension: 'global',
      from: isoTime(from),
      to: isoTime(now),
    });
    // Sums up the shards of a minute. A sent minute replaces the earlier one, so it must be complete.
    const minutes = [...Map.groupBy(sums, ({ at }) => at)].map(([at, same]) => ({
      at,
      measures: addUp(same.map(({ measures }) => measures)),
    }));
    for (const some of portionsOf(minutes))
      await controlPlane
        .post(to, 'metrics', { plane: to.plane, instance, minutes: some })
        .catch((fault: unknown) => refusedMinutes(telemetry, some, fault));
    this.#sentUntil = now - lateMinutes * minuteMs;
  }
}

/** Drops minutes that the control plane rejects. If they were sent again, they would block all later ones. */
function refusedMinutes(telemetry: ReportPorts['telemetry'], minutes: readonly SentMinute[], fault: unknown): void {
  if (!(fault instanceof ControlPlaneRefusal) || (fault.status !== 400 && fault.status !== 413)) throw fault;
  const [first, last] = [minutes[0]!.at, minutes.at(-1)!.at];
  telemetry.log('error', 'the control plane does not accept minutes of traffic', { first, last, error: fault.message });
}

const expiresBefore = ({ evidence: { retention_days: days } }: Configuration, now: number): string | undefined =>
  days === undefined ? undefined : isoTime(now - days * dayMs);

type SentMinute = PlaneMetrics['minutes'][number];

/** Splits minutes into batches that the control plane accepts, limited by the number of minutes and of JSON values. */
function portionsOf(minutes: readonly SentMinute[]): SentMinute[][] {
  const portions: SentMinute[][] = [];
  let values = Number.POSITIVE_INFINITY;
  for (const minute of minutes) {
    const more = Object.keys(minute.measures).length + 3;
    if (values + more > maxValues / 2 || portions.at(-1)!.length === maxMinutes) {
      portions.push([]);
      values = 0;
    }
    portions.at(-1)!.push(minute);
    values += more;
  }
  return portions;
}

async function trafficOf({ clock, observations }: ReportPorts): Promise<Pick<PlaneStatus, 'requests' | 'error_rate'>> {
  const now = clock.now();
  const span = { from: isoTime(now - trafficMinutes * minuteMs), to: isoTime(now) };
  const sums = await observations.minutes(everyTenant, { dimension: 'global', ...span });
  const { requests, error_rate } = totalsOf(sums.map(({ measures }) => measures));
  return { requests, error_rate };
}

async function pendingOf({ approvals }: ReportPorts, tenants: readonly string[]): Promise<number> {
  const keys = await Promise.all(tenants.map((tenant) => approvals.pendingKeys(tenant, maxCounted)));
  return keys.flat().length;
}
