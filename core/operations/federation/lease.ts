/** Missed reports after which a gateway counts as gone, and may be replaced by another of the same name. */
const intervals = 3;
const leastSeconds = 30;

/** Returns the milliseconds of silence after which a plane counts as gone. */
export const leaseMs = (intervalSeconds: number): number => Math.max(leastSeconds, intervals * intervalSeconds) * 1000;
