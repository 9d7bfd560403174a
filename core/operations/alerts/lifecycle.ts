/** State transitions of an alert in one evaluation [alert.lifecycle]. Pure, so that every history can be tested. */
import type { Alert, AlertChange, AlertRow, AlertScope, AlertSeverity, AlertType } from '#core/contracts/alert.ts';
import { digestOf } from '#core/kernel/canonical.ts';

/** One measurement. */
export interface Measurement {
  readonly scope: AlertScope;
  readonly type: AlertType;
  readonly dimension: string;
  readonly metric: string;
  readonly value: number;
  readonly threshold: number;
  /** Absent if the measured value is normal. */
  readonly firing?: {
    readonly severity: AlertSeverity;
    readonly message: string;
    readonly evidence?: Alert['evidence'];
  };
}

/** Returns a measurement, which fires if its value is above the threshold. Most alerts are warnings. */
export const measurement = (
  { threshold = 0, ...about }: Omit<Measurement, 'threshold' | 'firing'> & { readonly threshold?: number },
  alert: (Partial<NonNullable<Measurement['firing']>> & { readonly message: string }) | undefined,
): Measurement => ({
  ...about,
  threshold,
  ...(alert && about.value > threshold && { firing: { severity: 'warning', ...alert } }),
});

/** Number of consecutive normal evaluations after which an alert is resolved. */
const normalToResolve = 5;

export const keyOf = ({ type, dimension, metric }: Pick<Measurement, 'type' | 'dimension' | 'metric'>): string =>
  digestOf([type, dimension, metric]).slice(0, 16);

/** Returns `<scope>.<key>-<number>`. A scope may contain dots, but a key may not. */
export const alertId = (scope: AlertScope, key: string, number: number): string => `${scope}.${key}-${number}`;

/** Returns the scope and key in an id, or undefined if the id is malformed. */
export function parseAlertId(id: string): { readonly scope: AlertScope; readonly key: string } | undefined {
  const found = /^([A-Za-z0-9_][A-Za-z0-9._-]*)\.([0-9a-f]{16})-\d{1,9}$/.exec(id);
  return found ? { scope: found[1]!, key: found[2]! } : undefined;
}

interface AlertTransition {
  readonly row: AlertRow;
  /** Absent if only a count or a value changed. */
  readonly change?: Exclude<AlertChange, 'acknowledged'>;
}

const rank: Readonly<Record<AlertSeverity, number>> = { info: 0, warning: 1, critical: 2 };

/**
 * Returns the next state of an alert.
 * @param at ISO time of the evaluation. A minute counts only once, even if several processes evaluate it.
 * @returns undefined if there is no change to write.
 */
export function nextAlert(
  before: AlertRow | undefined,
  measured: Measurement,
  at: string,
): AlertTransition | undefined {
  const minute = at.slice(0, 16);
  const open = before && before.alert.state !== 'resolved' ? before : undefined;
  if (open && open.evaluated === minute) return undefined;
  if (!open) return measured.firing && openAlert(before, measured, at);
  const base = { ...open, revision: open.revision + 1, evaluated: minute };
  const { firing, value, threshold } = measured;
  if (!firing) {
    const normal = open.normal + 1;
    if (normal < normalToResolve) return { row: { ...base, normal } };
    const alert: Alert = { ...open.alert, state: 'resolved', resolved_at: at };
    return { row: { ...base, normal, alert }, change: 'resolved' };
  }
  const { severity, message, evidence } = firing;
  const alert: Alert = { ...open.alert, value, threshold, message, ...(evidence && { evidence }) };
  if (rank[severity] > rank[open.alert.severity])
    return { row: { ...base, normal: 0, alert: { ...alert, severity } }, change: 'escalated' };
  // Nothing is written if the state has not changed since the last minute, unless normal evaluations were counted.
  if (open.normal === 0 && open.alert.value === value) return undefined;
  return { row: { ...base, normal: 0, alert } };
}

function openAlert(before: AlertRow | undefined, measured: Measurement, at: string): AlertTransition {
  const { scope, type, dimension, metric, value, threshold, firing } = measured;
  const key = keyOf(measured);
  const number = (before?.number ?? 0) + 1;
  const { severity, message, evidence } = firing!;
  const alert: Alert = {
    id: alertId(scope, key, number),
    severity,
    type,
    dimension,
    metric,
    value,
    threshold,
    message,
    state: 'active',
    created_at: at,
    ...(evidence && { evidence }),
  };
  const revision = (before?.revision ?? 0) + 1;
  return { row: { scope, key, number, revision, normal: 0, evaluated: at.slice(0, 16), alert }, change: 'opened' };
}
