/** Leader election: only the replica that holds the Lease does the work [operator.kubernetes]. */
import { setTimeout as wait } from 'node:timers/promises';
import { type KubernetesApi, KubernetesError, type Lease } from './kubernetes-api.ts';

export interface LeaseSettings {
  readonly name: string;
  /** This replica's name, unique among replicas. */
  readonly identity: string;
  /** Time without a renewal after which another replica takes over. */
  readonly durationMs: number;
  readonly renewMs: number;
}

export interface Leadership {
  /** Aborts when the lease is lost or the process ends. */
  readonly signal: AbortSignal;
  /** Called before every write. @throws Error if another replica may already hold the lease. */
  assertHeld(): void;
}

/** Runs the work whenever this replica holds the lease. Releases the lease once `ended` aborts. */
export async function whileLeading(
  api: Pick<KubernetesApi, 'lease' | 'createLease' | 'updateLease'>,
  settings: LeaseSettings,
  work: (leadership: Leadership) => Promise<void>,
  { ended, report }: { readonly ended: AbortSignal; report(fault: unknown): void },
): Promise<void> {
  const { durationMs, renewMs } = settings;
  const pause = (ms: number) => wait(ms, undefined, { signal: ended }).catch(() => undefined);
  /**
   * The last version seen of another holder's lease, and the local time at which it was first seen, because machines'
   * clocks differ.
   */
  let seen = { version: '', at: 0 };

  while (!ended.aborted) {
    const begun = performance.now();
    const held = await take().catch((fault) => void report(fault));
    if (held) await lead(held, begun);
    else await pause(renewMs);
  }

  async function take(): Promise<Lease | undefined> {
    const found = await api.lease(settings.name);
    if (!found) return unlessConflict(api.createLease(leaseOf(undefined)));
    const { holderIdentity = '' } = found.spec;
    const version = found.metadata.resourceVersion!;
    if (version !== seen.version) seen = { version, at: performance.now() };
    const isFree = holderIdentity === '' || holderIdentity === settings.identity;
    if (!isFree && performance.now() - seen.at < durationMs) return undefined;
    return unlessConflict(api.updateLease(leaseOf(found)));
  }

  async function lead(first: Lease, begun: number): Promise<void> {
    // Measured from before the request, because the server's renewal time is not earlier.
    let renewed = begun;
    let lease = first;
    const lost = new AbortController();
    const isHeld = () => performance.now() - renewed < durationMs * safeShare;
    const assertHeld = () => {
      if (!isHeld()) lost.abort();
      if (lost.signal.aborted) throw new Error('The lease was not renewed in time: another replica may hold it.');
    };
    const signal = AbortSignal.any([ended, lost.signal]);
    const working = work({ signal, assertHeld }).catch(report);
    while (!signal.aborted && isHeld()) {
      await wait(renewMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const at = performance.now();
      try {
        const next = await unlessConflict(api.updateLease(leaseOf(lease)));
        if (!next) break;
        lease = next;
        renewed = at;
      } catch (fault) {
        report(fault);
      }
    }
    lost.abort();
    await working;
    if (ended.aborted) await release(lease).catch(report);
  }

  async function release(lease: Lease): Promise<void> {
    await unlessConflict(api.updateLease({ ...lease, spec: { ...lease.spec, holderIdentity: '' } }));
  }

  function leaseOf(found: Lease | undefined): Lease {
    const time = new Date().toISOString().replace('Z', '000Z'); // microseconds, as in the API server
    const isOurs = found?.spec.holderIdentity === settings.identity;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: found?.metadata ?? { name: settings.name },
      spec: {
        holderIdentity: settings.identity,
        leaseDurationSeconds: Math.ceil(durationMs / 1000),
        acquireTime: isOurs ? found.spec.acquireTime! : time,
        renewTime: time,
        leaseTransitions: (found?.spec.leaseTransitions ?? 0) + (found && !isOurs ? 1 : 0),
      },
    };
  }
}

/**
 * Fraction of the lease duration after which the holder stops, so that it stops before another replica can take over.
 */
const safeShare = 2 / 3;

const unlessConflict = (written: Promise<Lease>): Promise<Lease | undefined> =>
  written.catch((fault: unknown) => {
    if (fault instanceof KubernetesError && fault.status === 409) return undefined;
    throw fault;
  });
