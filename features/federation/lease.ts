/** Number of missed reports after which a gateway counts as gone and another one with the same name may replace it. */
const intervals = 3;
const leastSeconds = 30;

/** Returns the number of milliseconds without a report after which a plane counts as gone. */
export const leaseMs = (intervalSeconds: number): number => Math.max(leastSeconds, intervals * intervalSeconds) * 1000;
