/** Levels of `logging/setLevel` and `notifications/message` (RFC 5424). */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export const isLogLevel = (value: unknown): value is (typeof logLevels)[number] =>
  (logLevels as readonly unknown[]).includes(value);
