/** Alerts for operators, from detection until the metric is normal again [alert.lifecycle]. */

export const alertStates = ['active', 'acknowledged', 'resolved'] as const;
type AlertState = (typeof alertStates)[number];
export const alertSeverities = ['critical', 'warning', 'info'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];
export const alertTypes = [
  'static_threshold',
  'statistical_baseline',
  'budget',
  'approval',
  'evidence',
  'system',
] as const;
export type AlertType = (typeof alertTypes)[number];

export interface Alert {
  readonly id: string;
  readonly severity: AlertSeverity;
  readonly type: AlertType;
  /** `global`, an analytics dimension (`tenant:<id>`, `model:<name>`, `provider:<name>`), or `session:<id>`. */
  readonly dimension: string;
  readonly metric: string;
  /** The last measured value, which is compared with `threshold`. */
  readonly value: number;
  readonly threshold: number;
  readonly message: string;
  readonly state: AlertState;
  readonly created_at: string;
  readonly acknowledged_by?: string;
  readonly acknowledged_at?: string;
  readonly resolved_at?: string;
  /** Facts that support the alert, such as the session of a broken chain or a baseline's mean and deviation. */
  readonly evidence?: Readonly<Record<string, string | number>>;
}

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
