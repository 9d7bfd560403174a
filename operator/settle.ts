/**
 * Computes the writes after a reconciliation: changed conditions, and the release of deleted objects. These are pure
 * functions.
 */
import type { Observed, ReconcileOutcome } from './plan.ts';
import {
  type Condition,
  finalizer,
  type Gateway,
  type GatewayStatus,
  type Part,
  type PartStatus,
} from './resources.ts';

interface StatusWrite {
  readonly object: Gateway | Part;
  readonly status: GatewayStatus | PartStatus;
}
export interface Settlement {
  readonly statuses: readonly StatusWrite[];
  /** Deleted objects that the gateway no longer uses. */
  readonly release: readonly (Gateway | Part)[];
}

/** Computes the writes. @param now ISO 8601 time, for conditions whose status changes. */
export function settle({ gateway, parts }: Observed, outcome: ReconcileOutcome, now: string): Settlement {
  const gone = gateway.metadata.deletionTimestamp !== undefined;
  const release = [gateway, ...parts].filter(
    (object) =>
      object.metadata.deletionTimestamp !== undefined &&
      object.metadata.finalizers?.includes(finalizer) &&
      (gone || outcome.stored),
  );
  const released = new Set(release);
  const statuses = [gateway, ...parts]
    .filter((object) => !released.has(object) && !isLeftToGateway(object, outcome))
    .map((object) => ({ object, status: statusOf(object, outcome, now) }))
    .filter(({ object, status }) => !isEqualJson(object.status ?? {}, status));
  return { statuses, release };
}

/**
 * Returns whether a part keeps its conditions, which it does during a rollout unless it failed before
 * [operator.kubernetes].
 */
function isLeftToGateway({ kind, status }: Gateway | Part, outcome: ReconcileOutcome): boolean {
  if (kind === 'Gateway' || outcome.stored || outcome.reason !== 'RollingOut') return false;
  const synced = status?.conditions?.find(({ type }) => type === 'Synced');
  return synced === undefined || synced.status === 'True';
}

/**
 * Settles parts whose Gateway does not exist. Deleted parts are released immediately, because they are not used by any
 * gateway.
 */
export function settleWithoutGateway(parts: readonly Part[], now: string): Settlement {
  const release = parts.filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer),
  );
  const statuses = parts
    .filter((part) => !release.includes(part))
    .map((object) => ({ object, status: statusOf(object, gatewayMissing(object), now) }))
    .filter(({ object, status }) => !isEqualJson(object.status ?? {}, status));
  return { statuses, release };
}

const gatewayMissing = ({ spec }: Part): ReconcileOutcome => ({
  stored: false,
  reason: 'GatewayMissing',
  message: `spec.gateway: found ${spec.gateway}. Allowed: the name of a Gateway in the same namespace. Create the Gateway.`,
});

function statusOf(object: Gateway | Part, outcome: ReconcileOutcome, now: string): GatewayStatus | PartStatus {
  const observedGeneration = object.metadata.generation ?? 0;
  const before = object.status?.conditions ?? [];
  const condition = (
    type: Condition['type'],
    truth: Condition['status'],
    reason: string,
    message: string,
  ): Condition => {
    const last = before.find((each) => each.type === type);
    const lastTransitionTime = last?.status === truth ? last.lastTransitionTime : now;
    return { type, status: truth, reason, message, observedGeneration, lastTransitionTime };
  };
  if (!outcome.stored) {
    const { reason, message } = outcome;
    const conditions = [
      condition('Ready', isServing(object, reason) ? 'True' : 'False', reason, message),
      condition('Synced', 'False', reason, message),
    ];
    return { ...object.status, conditions, observedGeneration };
  }
  const { version, sha256, composed, warnings } = outcome;
  const message = `In force as version ${version} of the configuration.`;
  // Parts omit the version; otherwise each change to one part would update the status of all parts.
  const said = object.kind === 'Gateway' ? message : 'In force.';
  const conditions = [condition('Ready', 'True', 'Stored', said), condition('Synced', 'True', 'Stored', said)];
  if (object.kind !== 'Gateway') return { conditions, observedGeneration };
  return { conditions, observedGeneration, version, sha256, composed, warnings };
}

/** Returns whether the gateway still serves the object's last configuration although a newer one was refused. */
function isServing({ kind, status }: Gateway | Part, reason: string): boolean {
  if (['Unreachable', 'Unauthorized', 'DeploymentMissing', 'GatewayMissing'].includes(reason)) return false;
  return kind === 'Gateway' ? (status as GatewayStatus | undefined)?.version !== undefined : isReady(status);
}
const isReady = (status: PartStatus | undefined): boolean =>
  status?.conditions?.some(({ type, status: truth }) => type === 'Ready' && truth === 'True') ?? false;

/** Compares values regardless of member order, which the API server changes. */
const isEqualJson = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
