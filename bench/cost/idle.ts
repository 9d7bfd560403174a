/** The monthly cost of a deployment that gets no calls. A test counts the resources in the synthesized templates. */
import type { Prices } from './prices.ts';

export const counted = {
  /**
   * Number of metrics that alarms read; alarms are billed by metric. It is rounded up to the next ten, so that one more
   * alarm does not change the documents.
   */
  alarmMetrics: 110,
  compositeAlarms: 2,
  dashboards: 2,
  secrets: 7,
  /** Number of signing keys. One signs evidence, and one signs votes. */
  signingKeys: 3,
  /**
   * Custom metrics that the schedules write every minute. Metrics written once a day are billed by the hour and left
   * out.
   */
  customMetrics: 5,
} as const;

const minutesOfMonth = 43_800;
/** GB-seconds per minute used by `sweep` and `notify`: one run of 0.2 s each, at 512 and 256 MB. */
const gbSecondsOfMinute = 0.2 * 0.5 + 0.2 * 0.25;
/**
 * Read units per minute used by the schedules to query their lists, half a unit each: 64 queries for `sweep`, 16 for
 * `notify`, plus the configuration.
 */
const readUnitsOfMinute = (64 + 16) * 0.5 + 2;
const logBytesOfMinute = 2_500;

/** @returns US dollars for the dashboards, which `-c dashboards=off` leaves out */
export const dashboardsMonth = (prices: Prices): number => counted.dashboards * prices.dashboard;

/** @returns US dollars by category of the bill */
export const idleMonth = (prices: Prices): Readonly<Record<string, number>> => ({
  alarms: counted.alarmMetrics * prices.alarmMetric + counted.compositeAlarms * prices.compositeAlarm,
  dashboards: dashboardsMonth(prices),
  'schedule metrics': counted.customMetrics * prices.customMetric,
  'secrets and signing keys': counted.secrets * prices.secret + counted.signingKeys * prices.signingKey,
  'schedule runs': minutesOfMonth * (2 * (prices.lambdaRequests / 1e6) + gbSecondsOfMinute * prices.lambdaGbSecond),
  'their reads': (minutesOfMonth * readUnitsOfMinute * prices.readUnits) / 1e6,
  'their logs': ((minutesOfMonth * logBytesOfMinute) / 1e9) * prices.logGb,
});
