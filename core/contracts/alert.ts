/** An alert: something an operator should know, from when it was noticed until it was normal again [alert.lifecycle]. */

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
  /** `global`, or as in analytics: `tenant:<id>`, `model:<name>`, `provider:<name>`. */
  readonly dimension: string;
  readonly metric: string;
  /** As last measured, and what it is compared with. */
  readonly value: number;
  readonly threshold: number;
  readonly message: string;
  readonly state: AlertState;
  readonly created_at: string;
  readonly acknowledged_by?: string;
  readonly acknowledged_at?: string;
  readonly resolved_at?: string;
  /** What it rests on: the session of a broken chain, the mean and deviation of a baseline. */
  readonly evidence?: Readonly<Record<string, string | number>>;
}

/** Whose alert it is: a tenant's id, or `platformAlerts`. */
export type AlertScope = string;
/** No id of a tenant: those begin with a letter or digit. */
export const platformAlerts: AlertScope = '_';

/** The row of one (type, dimension, metric): its newest alert. Older ones stand beside it. */
export interface AlertRow {
  readonly scope: AlertScope;
  /** Digest of type, dimension and metric. */
  readonly key: string;
  /** How many alerts of this key there were: part of the id. */
  readonly number: number;
  /** Raised by each write, which carries the one it read. */
  readonly revision: number;
  /** Consecutive normal evaluations. */
  readonly normal: number;
  /** ISO minute of the last evaluation that counted. */
  readonly evaluated: string;
  readonly alert: Alert;
}

/** What happened to an alert; each is an entry of the evidence and a message. */
export type AlertChange = 'opened' | 'escalated' | 'acknowledged' | 'resolved';
