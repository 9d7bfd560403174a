/** The monthly cost of a deployment if there are no calls. A test counts the resources in the synthesized templates. */
import type { Prices } from './prices.ts';

export const counted = {
  /**
   * Metrics that alarms read; alarms are billed by metric. Rounded up to the next ten, so that one more alarm does not
   * change the documents.
   */
  alarmMetrics: 110,
  compositeAlarms: 2,
  dashboards: 2,
  secrets: 7,
  /** One of them signs evidence, one signs votes. */
  signingKeys: 3,
  /**
   * Custom metrics that the schedules write each minute. Those written once a day are billed by the hour and left out.
   */
  customMetrics: 5,
} as const;

const minutesOfMonth = 43_800;
/** `sweep` and `notify`: one run each per minute, 0.2 s at 512 and 256 MB. */
const gbSecondsOfMinute = 0.2 * 0.5 + 0.2 * 0.25;
/**
 * Queries of the lists that the schedules check, half a unit each: 64 for `sweep`, 16 for `notify`, plus the
 * configuration.
 */
const readUnitsOfMinute = (64 + 16) * 0.5 + 2;
const logBytesOfMinute = 2_500;

/** @returns US dollars for the dashboards, which `-c dashboards=off` leaves out */
export const dashboardsMonth = (prices: Prices): number => counted.dashboards * prices.dashboard;

/** @returns US dollars by part of the bill */
export const idleMonth = (prices: Prices): Readonly<Record<string, number>> => ({
  alarms: counted.alarmMetrics * prices.alarmMetric + counted.compositeAlarms * prices.compositeAlarm,
  dashboards: dashboardsMonth(prices),
  'schedule metrics': counted.customMetrics * prices.customMetric,
  'secrets and signing keys': counted.secrets * prices.secret + counted.signingKeys * prices.signingKey,
  'schedule runs': minutesOfMonth * (2 * (prices.lambdaRequests / 1e6) + gbSecondsOfMinute * prices.lambdaGbSecond),
  'their reads': (minutesOfMonth * readUnitsOfMinute * prices.readUnits) / 1e6,
  'their logs': ((minutesOfMonth * logBytesOfMinute) / 1e9) * prices.logGb,
});
