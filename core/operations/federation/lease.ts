/** A gateway that has not reported for so many intervals is silent, and may be replaced by another of the same name. */
const intervals = 3;
const leastSeconds = 30;

/** Milliseconds that a plane may be silent before it counts as gone. */
export const leaseMs = (intervalSeconds: number): number => Math.max(leastSeconds, intervals * intervalSeconds) * 1000;
