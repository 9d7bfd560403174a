/**
 * The data plane's side of a federation: polls the configuration, then reports [federation.poll] [federation.metrics].
 */

import { adminPrincipal } from '#core/configuration/identity/identities.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import { recordAct } from '#core/operations/record.ts';
import type { PollResult } from './poll.ts';
import type { ControlPlane } from './ports.ts';
import type { Reports } from './report.ts';

interface PollHost {
  /** Seconds between two runs, if the host schedules the runs. */
  readonly everySeconds: number | undefined;
  /** Distinguishes gateways with the same name. Stable across restarts. */
  readonly instance: string;
}

/** Identifies a gateway by its signing key, as on a local machine. */
export const ofSigningKey = ({ signer }: GatewayPorts): PollHost => ({
  instance: signer.keyId,
  everySeconds: undefined,
});
/** Identifies a deployment whose schedule runs the function. */
export const ofDeployment = ({ adminUrl }: GatewayPorts): PollHost => ({
  instance: sha256(adminUrl).slice(0, 16),
  everySeconds: 60,
});

/**
 * Polls and reports if the configuration makes this gateway a data plane. Never rejects because of a control plane
 * failure.
 */
export const createPoll = (ports: GatewayPorts, controlPlane: ControlPlane, host: PollHost) => {
  let reports: Reports | undefined;
  const failures = new Failures(ports);
  return async (): Promise<{ polled: PollResult | 'failed' }> => {
    const { federation } = (await ports.snapshots.current({ evenStale: true })).configuration;
    if (federation.role !== 'data') return { polled: 'not_a_data_plane' };
    // Loaded on demand: every host has this handler, but few are data planes.
    const [{ pollControlPlane }, { Reports: Loaded }] = await Promise.all([import('./poll.ts'), import('./report.ts')]);
    reports ??= new Loaded();
    const unreachable = (reason: string) => failures.note('the control plane was not reached', reason);
    const polling = { ...ports, controlPlane, record: recordOf(ports), unreachable };
    const polled = await failures.noted('the configuration of the control plane was not applied', () =>
      pollControlPlane(polling),
    );
    const reporting = { ...ports, controlPlane, ...host };
    await failures.noted('the control plane did not accept the report', () => reports!.send(reporting));
    return { polled: polled ?? 'failed' };
  };
};

/** Logs a failure when it begins or changes, not at every attempt. */
class Failures {
  readonly #telemetry: GatewayPorts['telemetry'];
  readonly #last = new Map<string, string>();

  constructor({ telemetry }: GatewayPorts) {
    this.#telemetry = telemetry;
  }

  async noted<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const done = await work();
      this.#last.delete(what);
      return done;
    } catch (fault) {
      this.note(what, fault instanceof Error ? fault.message : String(fault));
      return undefined;
    }
  }

  note(what: string, error: string): void {
    if (this.#last.get(what) !== error) this.#telemetry.log('warn', what, { error });
    this.#last.set(what, error);
  }
}

const recordOf = (ports: GatewayPorts) => async (action: string, details: Record<string, unknown>) => {
  const { configuration } = await ports.snapshots.current({ evenStale: true });
  const principal = adminPrincipal(configuration.tenants[0]?.id ?? 'default');
  const name = 'control-plane';
  return recordAct({ ports, principal: { ...principal, key_id: name, name, person: name } }, action, details);
};
