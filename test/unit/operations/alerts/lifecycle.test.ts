import fc from 'fast-check';
import type { AlertRow } from '#core/contracts/alert.ts';
import { alertId, keyOf, type Measurement, nextAlert, parseAlertId } from '#core/operations/alerts/lifecycle.ts';

const normalToResolve = 5;

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
const what = { scope: 'default', type: 'static_threshold', dimension: 'tenant:default', metric: 'error_rate' } as const;
const measured = (value: number, severity: 'warning' | 'critical' = 'warning'): Measurement => ({
  ...what,
  value,
  threshold: 1,
  ...(value > 1 && { firing: { severity, message: `${value}` } }),
});

/** Evaluates one value per minute. @returns the row after each, and the changes */
function history(values: readonly Measurement[]) {
  const changes: (string | undefined)[] = [];
  let row: AlertRow | undefined;
  for (const [n, each] of values.entries()) {
    const step = nextAlert(row, each, minute(n));
    row = step?.row ?? row;
    changes.push(step?.change);
  }
  return { row, changes };
}

test('[alert.lifecycle] an alert opens once, resolves after five consecutive normal evaluations, and reopens under a new id', () => {
  const values = [2, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 5].map((value) => measured(value));
  const { row, changes } = history(values);
  const opened = changes.flatMap((change, n) => (change ? [[n, change]] : []));
  expect(opened).toEqual([
    [0, 'opened'],
    [11, 'resolved'],
    [13, 'opened'],
  ]);
  expect(row).toMatchObject({ number: 2, normal: 0, alert: { state: 'active', value: 5, created_at: minute(13) } });
  expect(row?.alert.id).toBe(alertId('default', keyOf(what), 2));
  expect(row?.alert).not.toHaveProperty('resolved_at');
});

test('[alert.lifecycle] a higher severity is reported as a change, and a lower one is not', () => {
  const values = [measured(2), measured(3, 'critical'), measured(2), measured(3, 'critical')];
  expect(history(values).changes).toEqual(['opened', 'escalated', undefined, undefined]);
});

test('[alert.lifecycle] a minute counts only once, however often it is evaluated', () => {
  const { row } = history([measured(2), measured(0)]);
  expect(row?.normal).toBe(1);
  for (const value of [0, 3]) expect(nextAlert(row, measured(value), minute(1))).toBeUndefined();
});

test('[alert.lifecycle] an unchanged alert is not written again', () => {
  const { row } = history([measured(2)]);
  expect(nextAlert(row, measured(2), minute(1))).toBeUndefined();
  expect(nextAlert(row, measured(4), minute(1))?.row.alert.value).toBe(4);
  expect(nextAlert(undefined, measured(0), minute(0))).toBeUndefined();
});

test('[alert.lifecycle] an acknowledged alert stays acknowledged until it resolves', () => {
  const { row } = history([measured(2)]);
  const acknowledged = { ...row!, alert: { ...row!.alert, state: 'acknowledged' as const, acknowledged_by: 'alice' } };
  expect(nextAlert(acknowledged, measured(9), minute(1))?.row.alert).toMatchObject({ state: 'acknowledged', value: 9 });
  let next = acknowledged as AlertRow;
  for (let n = 1; n <= normalToResolve; n++) next = nextAlert(next, measured(0), minute(n))!.row;
  expect(next.alert).toMatchObject({
    state: 'resolved',
    acknowledged_by: 'alice',
    resolved_at: minute(normalToResolve),
  });
});

test('[alert.lifecycle] an alert opens only if it is not already open, and resolves only after five normal evaluations', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 }), (values) => {
      const { changes } = history(values.map((value) => measured(value)));
      let open = false;
      for (const [n, change] of changes.entries()) {
        if (change === 'opened') expect(open).toBe(false);
        if (change === 'resolved') {
          expect(open).toBe(true);
          expect(Math.max(...values.slice(n - normalToResolve + 1, n + 1))).toBeLessThanOrEqual(1);
        }
        if (change === 'opened' || change === 'resolved') open = change === 'opened';
        if (values[n]! > 1) expect(open).toBe(true);
      }
    }),
  );
});

test.each(['x', '_.0123456789abcdef-1', 'a.b.0123456789abcdef-12'])(
  'id %j is parsed into the parts it was built from, or rejected',
  (id) => {
    const place = parseAlertId(id);
    if (place) expect(alertId(place.scope, place.key, Number(id.split('-').at(-1)))).toBe(id);
    else expect(id).toBe('x');
  },
);
