/** Alerts for operators, from detection until the metric is normal again [alert.lifecycle]. */
import type { alertSchema } from './answers/alerts.ts';
import type { Shape } from './shape.ts';

export type Alert = Shape<typeof alertSchema>;
export type AlertSeverity = Alert['severity'];
export type AlertType = Alert['type'];

/** Owner of an alert: a tenant id, or `platformAlerts`. */
export type AlertScope = string;
/** The platform's own scope. It cannot clash with a tenant id, which begins with a letter or digit. */
export const platformAlerts: AlertScope = '_';

/** Row with the newest alert for one (type, dimension, metric) combination. Older alerts have rows of their own. */
export interface AlertRow {
  readonly scope: AlertScope;
  /** Digest of type, dimension and metric. */
  readonly key: string;
  /** Number of alerts for this key so far. Part of the id. */
  readonly number: number;
  /** Incremented by each write, which must state the revision it read. */
  readonly revision: number;
  /** Number of consecutive normal evaluations. */
  readonly normal: number;
  /** ISO minute of the last evaluation that counted. */
  readonly evaluated: string;
  readonly alert: Alert;
}

/** Change to an alert. Each change creates an evidence entry and a message. */
export type AlertChange = 'opened' | 'escalated' | 'acknowledged' | 'resolved';
