/** The configuration in force, compiled, at most five seconds old. */

import type { Identities, ResolvedKey } from '#core/configuration/identity/identities.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import type { Clock, ObjectStore, SecretStore } from '#core/kernel/ports.ts';
import { type CompiledPolicy, compilePolicy } from '#core/policy/rules/compile.ts';
import { buildPolicyDocument } from '../load/policy-document.ts';
import type { ConfigStore, FederationState, VersionRow } from '../ports.ts';
import { identitiesOf, keyDigests, type ResolvedSecrets, resolvedSecrets } from './secrets.ts';
import { stalenessOf } from './staleness.ts';
import { readBody } from './stored-form.ts';
import { commonWarnings } from './warnings.ts';

export interface Snapshot {
  readonly version: number;
  readonly sha256: string;
  readonly configuration: Configuration;
  readonly policy: CompiledPolicy;
  readonly policyDocument: ToolPolicyDocument;
  readonly identities: Identities;
  readonly warnings: readonly string[];
  /** The tenant whose levels its policy holds; absent where no level has rules. */
  readonly ofTenant?: string | undefined;
}

export interface Snapshots {
  /**
   * The same object as long as nothing changed.
   * @throws GatewayError `service_unavailable` when nothing is stored, or the store has not answered for 30 seconds:
   * without knowing the policy, no caller is admitted. The same on a data plane that has no configuration of its control plane, or
   * a stale one and `federation.stale: refuse`.
   */
  current(how?: SnapshotReadOptions): Promise<Snapshot>;
  /** Looks now, for callers that just stored a version. Staleness is not looked at. */
  refresh(): Promise<Snapshot>;
}

export interface SnapshotsPort {
  readonly snapshots: Snapshots;
}

interface SnapshotReadOptions {
  /** For what has to go on whatever the control plane says: reading, alerts, ending what was begun. Never for a decision. */
  readonly evenStale?: boolean;
}

interface SnapshotDeps {
  readonly configStore: ConfigStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** Secrets of this process itself, which count in place of the stored digests: a host on this machine has them in its environment. */
  readonly secrets?: SecretStore;
  /** Something stored has changed, so values kept from secrets may be old. */
  readonly changed?: () => void;
  /** In [0, 1): spreads the looks of many processes over time. @default none */
  readonly random?: () => number;
  /** Keys beside the configuration's: those the local run generates. */
  readonly overlayKeys?: readonly ResolvedKey[];
}

/** One second less than promised, since a look takes time. */
const freshMs = 4_000;
/** Taken from that at random, so that environments which began together do not look together. */
const jitterMs = 1_000;
const toleratedMs = 30_000;

interface CachedSnapshot {
  readonly snapshot: Snapshot;
  readonly secrets: ResolvedSecrets;
  /** When the look began that found it: what happened later may have been missed. */
  readonly lookedAt: number;
  /** Milliseconds it is used for. */
  readonly freshMs: number;
  readonly keysRevision: number;
  /** Of a data plane. */
  readonly federation?: FederationState | undefined;
}

export function createSnapshots(deps: SnapshotDeps): Snapshots {
  const { clock } = deps;
  let held: CachedSnapshot | undefined;
  let looking: Promise<Snapshot> | undefined;

  let looks = 0;
  let heldLook = 0;

  /** An older look never replaces what a later one found. Looks are counted: the clock may be set back. */
  const look = async (): Promise<Snapshot> => {
    const nth = ++looks;
    const found = await lookAt(deps, held);
    if (held && nth < heldLook) return held.snapshot;
    held = found;
    heldLook = nth;
    return held.snapshot;
  };
  /** Milliseconds since the look began, and more than any limit where the clock was set back behind it. */
  const ageOf = ({ lookedAt }: CachedSnapshot): number => {
    const age = clock.now() - lookedAt;
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  };

  const known = async (): Promise<Snapshot> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    try {
      return await looking;
    } catch (thrown) {
      if (held && ageOf(held) <= toleratedMs) return held.snapshot;
      throw unavailable(thrown);
    }
  };

  return {
    async current({ evenStale = false } = {}) {
      const snapshot = held && ageOf(held) < held.freshMs ? held.snapshot : await known();
      if (!evenStale) assertFederated(snapshot, held?.federation, clock.now());
      return snapshot;
    },

    async refresh() {
      try {
        return await look();
      } catch (thrown) {
        throw unavailable(thrown);
      }
    },
  };
}

/** One consistent read of the pointer; the body only if the version is another. */
async function lookAt(deps: SnapshotDeps, before: CachedSnapshot | undefined): Promise<CachedSnapshot> {
  const lookedAt = deps.clock.now();
  const fresh = { lookedAt, freshMs: freshMs - jitterMs * (deps.random?.() ?? 0) };
  const inForce = await deps.configStore.inForce();
  if (!inForce)
    throw new GatewayError(
      'service_unavailable',
      'No configuration is stored yet; store one with PUT /admin/v1/config.',
    );
  const { row, keys } = inForce;
  const same = before?.snapshot.version === row.version && before.snapshot.sha256 === row.sha256;
  const base = same ? before.snapshot : await compiled(deps.objects, row);
  if (before && !(same && keys.revision === before.keysRevision)) deps.changed?.();
  const { role } = base.configuration.federation;
  const federation = role === 'data' ? await deps.configStore.federation() : undefined;
  const digests = deps.secrets ? await keyDigests(base.configuration, deps.secrets) : keys.digests;
  const secrets = resolvedSecrets(base.configuration, digests);
  if (same && secrets.fingerprint === before.secrets.fingerprint)
    return { ...before, ...fresh, keysRevision: keys.revision, federation };

  const { identities, warnings } = identitiesOf(
    base.configuration,
    secrets,
    inTenants(base.configuration, deps.overlayKeys ?? []),
  );
  const snapshot = {
    ...base,
    identities,
    warnings: [...commonWarnings(base), ...secrets.warnings, ...warnings],
  };
  return { snapshot, secrets, ...fresh, keysRevision: keys.revision, federation };
}

async function compiled(objects: ObjectStore, row: VersionRow): Promise<Omit<Snapshot, 'identities' | 'warnings'>> {
  const configuration = await readBody(objects, row);
  const policyDocument = buildPolicyDocument(configuration);
  return {
    version: row.version,
    sha256: row.sha256,
    configuration,
    policyDocument,
    policy: compilePolicy(policyDocument),
  };
}

/** Generated keys stay usable when another configuration renames their tenant: they belong to the first one. */
const inTenants = ({ tenants }: Configuration, keys: readonly ResolvedKey[]): ResolvedKey[] =>
  keys.map((key) =>
    tenants.some(({ id }) => id === key.tenant) ? key : { ...key, tenant: tenants[0]?.id ?? key.tenant },
  );

/** @throws GatewayError `service_unavailable` where a data plane may not decide by what it has. */
function assertFederated({ configuration }: Snapshot, state: FederationState | undefined, now: number): void {
  const stale = stalenessOf(configuration.federation, state, now);
  if (stale && (stale.never || configuration.federation.stale === 'refuse'))
    throw new GatewayError('service_unavailable', stale.reason, { retryAfterSeconds: 10 });
}

function unavailable(thrown: unknown): GatewayError {
  const error = asGatewayError(thrown);
  if (error.code === 'service_unavailable') return error;
  return new GatewayError('service_unavailable', 'The policy in force cannot be read; try again shortly.', {
    cause: thrown,
  });
}
