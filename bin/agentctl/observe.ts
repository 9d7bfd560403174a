/** `analytics` by dimension, and `alerts` [cli.observe]. */

import { count, type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import type { Parent } from './command.ts';
import { addOperation, commandOf } from './operation-command.ts';
import { type Output, paint } from './output.ts';
import { sparkline } from './sparkline.ts';

export const observeCommands = [commandOf('analytics', showAnalytics), addAlerts];

function addAlerts(program: Parent): void {
  const alerts = addOperation(program, 'listAlerts', showAlerts);
  addOperation({ ...alerts, command: alerts.command.enablePositionalOptions() }, 'acknowledgeAlert', showAcknowledged);
}

function showAnalytics(out: Output, answer: Fields): void {
  const rows = Object.entries(fields(answer.summary)).map(([dimension, each]) => {
    const buckets = list(each);
    const sum = (name: string) => buckets.reduce((total, bucket) => total + count(bucket[name]), 0);
    const slowest = Math.max(0, ...buckets.map((bucket) => count(bucket.p95_latency_ms)));
    return [
      dimension,
      sum('requests'),
      sum('errors'),
      sum('blocked'),
      sum('reviewed'),
      slowest === 0 ? '' : `${slowest} ms`,
      sum('tokens'),
      `$${sum('cost_usd').toFixed(6)}`,
      sparkline(buckets, answer),
    ];
  });
  if (rows.length === 0) {
    out.line('no traffic in this period');
    return;
  }
  out.line(`${text(answer.from) ?? ''} to ${text(answer.to) ?? ''}, step ${text(answer.step) ?? ''}`);
  out.table(
    ['dimension', 'requests', 'errors', 'blocked', 'reviewed', 'worst p95', 'tokens', 'cost', 'requests over time'],
    rows,
  );
}

function showAlerts(out: Output, answer: Fields): void {
  const alerts = list(answer.alerts);
  if (alerts.length === 0) out.line('no alert');
  for (const alert of alerts) {
    const severity = text(alert.severity) ?? '';
    const open = alert.state !== 'resolved';
    const style = !open ? 'dim' : severity === 'critical' ? 'red' : 'yellow';
    const by = text(alert.acknowledged_by);
    const state = `${text(alert.state) ?? ''}${open && by !== undefined ? ` by ${by}` : ''}`;
    out.line(paint(style, severity), `  ${state}  since ${text(alert.created_at) ?? ''}  ${text(alert.id) ?? ''}`);
    out.line(`  ${text(alert.message) ?? ''}`);
  }
}

const showAcknowledged = (out: Output, { id, acknowledged_by }: Fields): void =>
  out.line(`${id}: acknowledged by ${text(acknowledged_by) ?? ''}`);
