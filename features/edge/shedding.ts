/** Which requests the edge refuses when it is busy: three tiers of priority [edge.load-shedding]. */

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

/** Share of the capacity from which a tier is shed; critical requests never are. */
const shedFrom: Readonly<Record<Priority, number>> = { critical: Number.POSITIVE_INFINITY, normal: 0.9, low: 0.7 };

/** The busier of the two measures, 1 = full. */
export const loadShare = ({ connections, eventLoopDelayMs }: Load, capacity: Capacity): number =>
  Math.max(connections / capacity.max_connections, eventLoopDelayMs / capacity.max_event_loop_delay_ms);

export const isShed = (priority: Priority, load: Load, capacity: Capacity): boolean =>
  loadShare(load, capacity) >= shedFrom[priority];

/**
 * @param header the values of `X-Priority`; anything but one known word is `normal`.
 * @param mayBeCritical whether the key is marked `priority: critical`; asked only for a request that says so.
 */
export function priorityOf(header: string | undefined, mayBeCritical: () => boolean): Priority {
  const word = header?.trim().toLowerCase();
  if (word === 'low') return 'low';
  return word === 'critical' && mayBeCritical() ? 'critical' : 'normal';
}
