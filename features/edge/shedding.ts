/** Determines which requests the edge refuses under load, using three priority tiers [edge.load-shedding]. */

const priorities = ['critical', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

interface Load {
  readonly connections: number;
  readonly eventLoopDelayMs: number;
}

interface Capacity {
  readonly max_connections: number;
  readonly max_event_loop_delay_ms: number;
}

/** Load share from which each tier is shed. Critical requests are never refused. */
const shedFrom: Readonly<Record<Priority, number>> = { critical: Number.POSITIVE_INFINITY, normal: 0.9, low: 0.7 };

/** Returns the higher of the two load measures, where 1 means full. */
export const loadShare = ({ connections, eventLoopDelayMs }: Load, capacity: Capacity): number =>
  Math.max(connections / capacity.max_connections, eventLoopDelayMs / capacity.max_event_loop_delay_ms);

export const isShed = (priority: Priority, load: Load, capacity: Capacity): boolean =>
  loadShare(load, capacity) >= shedFrom[priority];

/**
 * Returns the priority of a request.
 * @param header the values of `X-Priority`; anything other than a single known word means `normal`.
 * @param mayBeCritical returns true if the key has `priority: critical`; only called for a request that asks for that
 * priority.
 */
export function priorityOf(header: string | undefined, mayBeCritical: () => boolean): Priority {
  const word = header?.trim().toLowerCase();
  if (word === 'low') return 'low';
  return word === 'critical' && mayBeCritical() ? 'critical' : 'normal';
}
