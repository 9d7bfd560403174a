/** The control plane's operations: serving the configuration, receiving status and metrics, listing the planes. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { toStorable } from '#core/configuration/store/schema-history.ts';
import { isSkewed, maxClockSkewMs } from '#core/configuration/store/staleness.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { durationMs } from '#core/contracts/rollout.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { pickMembers } from '#core/kernel/only.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { dimensionOf } from '#core/observatory/dimensions.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { type Call, type Operation, parseBySchema } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';
import { type PlaneRow, type PlaneState, planeMetricsSchema, planeStatusSchema } from './contract.ts';
import { documentHead, etagOf, keyDigest, signDocument } from './document.ts';
import { leaseMs } from './lease.ts';
import { servedConfiguration } from './served.ts';
import { takeStatus } from './take-status.ts';

/**
 * Checks `If-None-Match` by weak comparison, because a compressing proxy weakens tags and the header may list several.
 */
const hasAlready = (sent: string | undefined, etag: string): boolean =>
  sent?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) === true;

/** Returns the active configuration as a signed document, or 304 if the plane already has it. */
export const federationConfig: Operation = async (call) => {
  const { ports, snapshot, query, header } = call;
  const plane = ownPlane(call, query.plane);
  const served = servedBy(snapshot.configuration);
  const stalenessMs = durationMs(snapshot.configuration.federation.max_staleness)!;
  const head = documentHead(
    { plane, version: snapshot.version, digest: served.digest },
    ports.clock.now(),
    stalenessMs,
  );
  const etag = etagOf(head, ports.signer.keyId);
  if (hasAlready(header('if-none-match'), etag))
    return { status: 304, headers: { etag }, body: '', contentType: 'text/plain' };
  const known = served.signed.get(plane);
  const signature = known?.etag === etag ? known.signature : signDocument(head, ports.signer);
  served.signed.set(plane, { etag, signature });
  try {
    return { headers: { etag }, body: { ...head, configuration: served.configuration, ...(await signature) } };
  } catch (fault) {
    served.signed.delete(plane);
    throw fault;
  }
};

interface ServedDocument {
  readonly configuration: unknown;
  readonly digest: string;
  /** Last signature per plane, cached because planes poll often and the document changes only every ten minutes. */
  readonly signed: Map<string, { readonly etag: string; readonly signature: ReturnType<typeof signDocument> }>;
}

/**
 * Serialises the configuration. Members added in newer releases are omitted if they have their default value, so that
 * an upgrade does not change the digest.
 */
const servedBy = remembered((configuration: Configuration): ServedDocument => {
  const served = servedConfiguration(toStorable(configuration).document as Configuration);
  return { configuration: served, digest: digestOf(served), signed: new Map() };
});

export const federationStatus: Operation = async (call) => {
  const { ports, snapshot, principal } = call;
  const status = parseBySchema(planeStatusSchema, call.body());
  const plane = ownPlane(call, status.plane);
  const { wanted, found } = await takeStatus(ports.planes, plane, status, ports.clock.now());
  for (const divergence of found) {
    ports.telemetry.log('error', 'a chain of a data plane differs from the one it reported', { plane, ...divergence });
    await recordAct({ ports, principal }, 'federation.divergence', { plane, ...divergence });
  }
  return { body: { plane, version: snapshot.version, wanted } };
};

export const federationMetrics: Operation = async (call) => {
  const { ports } = call;
  const metrics = parseBySchema(planeMetricsSchema, call.body());
  const plane = ownPlane(call, metrics.plane);
  const now = ports.clock.now();
  const [oldest, newest] = [now - recentHours * 3_600_000, now + maxClockSkewMs];
  const minutes = metrics.minutes.filter(({ at }) => Date.parse(at) >= oldest && Date.parse(at) <= newest);
  await ports.observations.replaceMinutes(dimensionOf('plane', plane), minutes);
  return { body: { plane, accepted: minutes.length, dropped: metrics.minutes.length - minutes.length } };
};

/** Returns the configured planes, each with its last report. */
export const federationPlanes: Operation = async ({ ports, snapshot, principal }) => {
  const { version, configuration } = snapshot;
  const names = planesOf(configuration);
  const rows = new Map((await ports.planes.list(names)).map((row) => [row.plane, row]));
  const planes = names.map((name) => visibleTo(principal, planeView(name, rows.get(name), version, ports.clock.now())));
  return { body: { version, public_key_sha256: keyDigest(await ports.signer.publicKey()) ?? '', planes } };
};

/** Accepts diverged chains after a review. The chains in the plane's next report become the new baseline. */
export const acceptPlane: Operation = async (call) => {
  const { ports, snapshot, params } = call;
  const name = params.name!;
  if (!planesOf(snapshot.configuration).includes(name))
    throw notFound({ noun: 'data plane', list: 'GET /admin/v1/federation/planes' }, name);
  const row = await ports.planes.get(name);
  const divergence = row?.divergence;
  if (!row || !divergence)
    throw new GatewayError('conflict', `No chain of the data plane ${name} differs; there is nothing to accept.`);
  const { divergence: _accepted, ...rest } = row;
  const now = ports.clock.now();
  const accepted = { ...rest, revision: row.revision + 1, accepted_at: isoTime(now), divergences: 0 };
  if (!(await ports.planes.put(accepted, row)))
    throw new GatewayError('conflict', `The data plane ${name} reported at the same moment; try again.`);
  await recordAct(call, 'federation.accept', { plane: name, divergences: row.divergences, first: divergence });
  return { body: planeView(name, accepted, snapshot.version, now) };
};

const planesOf = ({ federation: { role, planes } }: Configuration): string[] =>
  role === 'control' ? planes.map(({ name }) => name) : [];

function planeView(name: string, row: PlaneRow | undefined, version: number, now: number) {
  if (!row) return { name, state: 'never_seen' as PlaneState };
  return {
    name,
    state: stateOf(row, now),
    behind: version - row.version,
    ...pickMembers(row, ['seen_at', 'version', 'healthy', 'refused', 'requests', 'error_rate', 'pending_approvals']),
    ...pickMembers(row, ['skew_seconds', 'divergence', 'divergences', 'conflict']),
  };
}

/** Shows details of divergences only to the platform and the affected tenant. */
function visibleTo({ platform, tenant }: Principal, view: ReturnType<typeof planeView>) {
  if (!('divergence' in view) || platform || view.divergence?.tenant === tenant) return view;
  const { divergence: _hidden, ...rest } = view;
  return rest;
}

/** Returns the worst known state of a plane. */
function stateOf(row: PlaneRow, now: number): PlaneState {
  const lease = leaseMs(row.interval_seconds);
  if (row.divergence) return 'diverged';
  if (row.conflict && now - Date.parse(row.conflict.at) < lease) return 'conflict';
  if (now - Date.parse(row.seen_at) > lease) return 'silent';
  return row.healthy && row.refused === undefined && !isSkewed(row) ? 'ok' : 'unhealthy';
}

/**
 * Returns the plane to which the token belongs.
 * @param named plane named in the request.
 * @throws GatewayError `forbidden` if the request names another plane.
 */
function ownPlane({ principal }: Call, named: string | undefined): string {
  const plane = principal.plane!;
  if (named === undefined || named === plane) return plane;
  throw new GatewayError(
    'forbidden',
    `The token belongs to the plane ${plane}, but the request names the plane ${JSON.stringify(named.slice(0, 64))}: a plane can act only for itself.`,
  );
}
