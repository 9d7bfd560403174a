/**
 * One poll of the control plane by a data plane [federation.poll], which fetches the configuration if it has changed.
 */
import type { FederationState } from '#core/configuration/ports.ts';
import { secretsOfVersion } from '#core/configuration/store/keys-in-evidence.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import { stateOf } from '#core/configuration/store/staleness.ts';
import type { FederationSettings } from '#core/contracts/config/federation.ts';
import { durationMs } from '#core/contracts/rollout.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { type Clock, isoTime, type SecretStore, type Telemetry } from '#core/kernel/ports.ts';
import {
  type ApplyDeps,
  applyServed,
  lastServedConfiguration,
  type ServedText,
  storeServed,
} from '#core/operations/federation/apply.ts';
import { verifyDocument } from './document.ts';
import { type ConfigAnswer, type ControlPlane, type ControlPlaneAddress, ControlPlaneRefusal } from './ports.ts';

export interface PollPorts extends Omit<ApplyDeps, 'clock' | 'secrets'> {
  readonly clock: Clock;
  readonly controlPlane: ControlPlane;
  readonly secrets: SecretStore;
  readonly snapshots: Snapshots;
  readonly telemetry: Pick<Telemetry, 'log' | 'count'>;
  /** Records in evidence that a version was activated or that a document was refused. */
  readonly record: (action: string, details: Record<string, unknown>) => Promise<unknown>;
  /** Called with the reason after each failed poll. */
  readonly unreachable: ((reason: string) => void) | undefined;
}

export type PollResult = 'adopted' | 'unchanged' | 'refused' | 'unreachable' | 'not_a_data_plane';

/** Polls once. If a document is refused, only the state changes; it contains the reason. */
export async function pollControlPlane(ports: PollPorts): Promise<PollResult> {
  const snapshot = await ports.snapshots.refresh();
  const { federation } = snapshot.configuration;
  const to = await controlPlaneAddress(ports, federation);
  if (!to) return 'not_a_data_plane';
  const last = await lastServedConfiguration(ports, snapshot.configuration);
  // Without the stored document, a 304 would confirm nothing.
  const etag = last?.served && last.state.etag !== '' ? last.state.etag : undefined;
  let answer: ConfigAnswer;
  try {
    answer = await ports.controlPlane.config(to, etag);
  } catch (fault) {
    return pollFailure(ports, snapshot, fault as Error);
  }
  if (answer.changed) return processDocument(ports, snapshot, answer);
  return confirmDocument(ports, snapshot, last!.state, last!.served!);
}

/** Returns the control plane's address, or undefined for a gateway that is not a data plane. */
export async function controlPlaneAddress(
  { secrets, telemetry }: Pick<PollPorts, 'secrets' | 'telemetry'>,
  { role, plane, control_plane_url: url, token_env }: FederationSettings,
): Promise<ControlPlaneAddress | undefined> {
  if (role !== 'data' || plane === undefined || url === undefined || token_env === undefined) return undefined;
  const token = (await secrets.get(token_env))?.trim();
  if (!token) telemetry.log('error', 'the data plane has no token', { name: token_env });
  return { url, plane, token: token ?? 'none' };
}

async function pollFailure(ports: PollPorts, snapshot: Snapshot, fault: Error): Promise<PollResult> {
  // A replaced token is reread immediately instead of after its cache time. 403 is the response to another plane's
  // token.
  if (fault instanceof ControlPlaneRefusal && (fault.status === 401 || fault.status === 403)) ports.secrets.refused?.();
  if (fault instanceof ControlPlaneRefusal && !fault.mayPass) return refuseDocument(ports, snapshot, fault.message);
  ports.telemetry.count('svc_federation_polls_total', { outcome: 'unreachable' });
  ports.unreachable?.(fault.message);
  return 'unreachable';
}

/** Processes a new document: verifies and merges it, stores it as a version, and remembers it. */
async function processDocument(
  ports: PollPorts,
  snapshot: Snapshot,
  answer: ConfigAnswer & { changed: true },
): Promise<PollResult> {
  const { federation } = snapshot.configuration;
  const before = stateOf(federation, await ports.configStore.federation());
  const verified = verifyDocument(answer.document, {
    plane: federation.plane!,
    trustedKeys: federation.trusted_keys,
    last: before,
    now: ports.clock.now(),
  });
  if (!verified.ok) return refuseDocument(ports, snapshot, verified.reason);
  const { version, digest, expires_at, configuration } = verified.document;
  try {
    await applyDocument(ports, snapshot, configuration, { version, digest });
  } catch (fault) {
    const error = asGatewayError(fault);
    if (error.kind.status >= 500) throw fault; // the store is down, so the document is not at fault
    return refuseDocument(ports, snapshot, error.message);
  }
  const document_sha256 = await storeServed(ports.objects, configuration);
  const found = { version, digest, document_sha256, etag: answer.etag, expires_at };
  await remember(ports, federation, { ...found, confirmed_at: isoTime(ports.clock.now()) });
  ports.telemetry.count('svc_federation_polls_total', { outcome: 'adopted' });
  return 'adopted';
}

async function applyDocument(
  ports: PollPorts,
  { configuration, version, sha256 }: Snapshot,
  served: ServedText,
  from: { readonly version: number; readonly digest: string },
): Promise<void> {
  const current = (await ports.configStore.current()) ?? {
    version,
    sha256,
    created_at: '',
    created_by: '',
    source: 'file',
  };
  const { clock, configStore, objects, listedSecretNames } = ports;
  // The secrets with the keys are not needed, because their digests are already stored.
  const deps = { clock, configStore, objects, listedSecretNames };
  const outcome = await applyServed(deps, served, configuration, current);
  if (!outcome) return;
  await ports.snapshots.refresh();
  const secrets = await secretsOfVersion(configStore, outcome.row.version);
  await ports.record('federation.adopt', {
    control_plane_version: from.version,
    digest: from.digest,
    policy_version: outcome.row.version,
    sha256: outcome.row.sha256,
    ...secrets,
  });
  ports.telemetry.log('info', 'the configuration of the control plane is in force', { version: from.version });
  for (const warning of outcome.warnings) ports.telemetry.log('warn', warning);
}

/**
 * Handles an unchanged document. Restores its configuration if that was changed locally or if its version was not
 * stored.
 */
async function confirmDocument(
  ports: PollPorts,
  snapshot: Snapshot,
  state: FederationState,
  served: ServedText,
): Promise<PollResult> {
  await applyDocument(ports, snapshot, served, state);
  const now = ports.clock.now();
  const stalenessMs = durationMs(snapshot.configuration.federation.max_staleness)!;
  const due = now - Date.parse(state.confirmed_at) >= Math.min(60_000, stalenessMs / 10);
  if (due || state.refused)
    await remember(ports, snapshot.configuration.federation, { ...state, confirmed_at: isoTime(now) });
  ports.telemetry.count('svc_federation_polls_total', { outcome: 'unchanged' });
  return 'unchanged';
}

async function remember(
  { configStore, snapshots }: PollPorts,
  { plane, control_plane_url }: FederationSettings,
  found: Omit<FederationState, 'revision' | 'plane' | 'control_plane_url' | 'refused'>,
): Promise<void> {
  const { refused: _refused, ...rest } = found as FederationState;
  const read = await configStore.federation();
  // Another process may have applied a later document in the meantime. In that case, the later one stays.
  if (read && read.plane === plane && read.control_plane_url === control_plane_url && read.version > found.version)
    return;
  const revision = (read?.revision ?? 0) + 1;
  await configStore.putFederation({ ...rest, revision, plane: plane!, control_plane_url: control_plane_url! }, read);
  await snapshots.refresh(); // refreshed here so that callers need not wait for it
}

/**
 * Refuses a document; the last valid one stays active. The first refusal for each reason is recorded. The alert lasts
 * until a valid document arrives.
 */
async function refuseDocument(ports: PollPorts, { configuration }: Snapshot, reason: string): Promise<PollResult> {
  const { plane, control_plane_url } = configuration.federation;
  const read = await ports.configStore.federation();
  ports.telemetry.count('svc_federation_polls_total', { outcome: 'refused' });
  if (read?.refused?.reason === reason) return 'refused';
  const known = stateOf(configuration.federation, read);
  const nothing = {
    version: 0,
    digest: '',
    document_sha256: '',
    etag: '',
    expires_at: isoTime(0),
    confirmed_at: isoTime(0),
  };
  const state: FederationState = {
    ...(known ?? { ...nothing, plane: plane!, control_plane_url: control_plane_url! }),
    revision: (read?.revision ?? 0) + 1,
    refused: { at: isoTime(ports.clock.now()), reason: reason.slice(0, 1_000) },
  };
  if (!(await ports.configStore.putFederation(state, read))) return 'refused';
  ports.telemetry.log('error', 'a document of the control plane was refused; the last good one stays', { reason });
  await ports.record('federation.refuse', { reason: reason.slice(0, 1_000) });
  return 'refused';
}
