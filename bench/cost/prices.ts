/**
 * Prices of AWS in us-east-1, in US dollars, on demand, written down from memory on 2026-11-22: compare them with AWS's pages before
 * you plan with them. Free tiers and discounts are left out.
 */
export const pricesOf = '2026-11-22';

export const prices = {
  /** A million requests of a regional REST API; a streamed answer is one. */
  restRequests: 3.5,
  lambdaRequests: 0.2,
  /** A GB-second on arm64. */
  lambdaGbSecond: 0.000_013_333_4,
  /** A million units of tables on demand. */
  writeUnits: 0.625,
  readUnits: 0.125,
  s3Puts: 5,
  /** A million signatures with an elliptic-curve key. */
  signatures: 15,
  /** A million transitions of a standard workflow. */
  transitions: 25,
  logGb: 0.5,
  /** A million traces, of which X-Ray's default keeps one in twenty. */
  traces: 5,
  fargateVcpuHour: 0.032_38,
  fargateGbHour: 0.003_56,
  loadBalancerUnitHour: 0.008,
  /** A month. */
  alarmMetric: 0.1,
  compositeAlarm: 0.5,
  customMetric: 0.3,
  secret: 0.4,
  signingKey: 1,
} as const;
