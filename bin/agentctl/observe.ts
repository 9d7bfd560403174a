/** `analytics` by dimension, and `alerts` [cli.observe]. */
import type { Command } from 'commander';
import { addCommand, type Parent } from './command.ts';
import { count, type Fields, fields, list, text } from './json-fields.ts';
import { showAnswer } from './operation-command.ts';
import { type Output, painted } from './output.ts';
import { sparkline } from './sparkline.ts';

export function addObserve(parent: Parent): void {
  addAnalytics(parent);
  const alerts = addAlerts(parent);
  addAcknowledge({ ...alerts, command: alerts.command.enablePositionalOptions() });
}

const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function addAnalytics(parent: Parent): void {
  addCommand<Readonly<Record<string, string | readonly string[] | undefined>>>(parent, {
    usage: 'analytics',
    summary: 'Show requests, errors, latency, tokens and cost of the last 48 hours by dimension',
    examples: [
      'analytics',
      'analytics --dimension model:gpt-4o --dimension tool:scm.create_pull_request --step 5m',
      'analytics --path acme/web --dimension global',
      "analytics --from 2026-11-23T08:00:00Z --step 1h --json | jq '.summary'",
    ],
    options: (command: Command) =>
      command
        .option(
          '--dimension <dimension>',
          'global, tenant:<id>, model:<name>, provider:<name>, tool:<name> (repeatable)',
          several,
        )
        .option('--from <time>', 'earliest time (ISO 8601; default: an hour ago)')
        .option('--to <time>', 'latest time')
        .option('--step <step>', '1m, 5m or 1h')
        .option(
          '--path <glob>',
          'totals of all tenants below a path of the organisations, such as acme/web or acme/**/production',
        ),
    run: (cli, { dimension, from, to, step, path }) =>
      showAnswer(cli, 'analytics', { query: { dimension, from, to, step, path } }, showAnalytics),
  });
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
    out.line('no traffic in this time');
    return;
  }
  out.line(`${text(answer.from) ?? ''} to ${text(answer.to) ?? ''}, step ${text(answer.step) ?? ''}`);
  out.table(
    ['dimension', 'requests', 'errors', 'blocked', 'reviewed', 'worst p95', 'tokens', 'cost', 'requests over time'],
    rows,
  );
}

function addAlerts(parent: Parent): Parent {
  return addCommand<{ readonly only?: string }>(parent, {
    usage: 'alerts',
    summary: 'List alerts, newest first',
    examples: ['alerts', 'alerts --only active', "alerts --json | jq -r '.alerts[] | [.severity, .message] | @tsv'"],
    options: (command: Command) => command.option('--only <state>', 'active, acknowledged or resolved'),
    run: (cli, { only }) =>
      showAnswer(cli, 'listAlerts', { query: { state: only } }, (out, answer) => showAlerts(out, list(answer.alerts))),
  });
}

function showAlerts(out: Output, alerts: readonly Fields[]): void {
  if (alerts.length === 0) out.line('no alert');
  for (const alert of alerts) {
    const severity = text(alert.severity) ?? '';
    const open = alert.state !== 'resolved';
    const style = !open ? 'dim' : severity === 'critical' ? 'red' : 'yellow';
    const by = text(alert.acknowledged_by);
    const state = `${text(alert.state) ?? ''}${open && by !== undefined ? ` by ${by}` : ''}`;
    out.line(painted(style, severity), `  ${state}  since ${text(alert.created_at) ?? ''}  ${text(alert.id) ?? ''}`);
    out.line(`  ${text(alert.message) ?? ''}`);
  }
}

function addAcknowledge(parent: Parent): void {
  addCommand(parent, {
    usage: 'acknowledge <id>',
    summary: 'Acknowledge an alert: a person is looking into it',
    examples: ['alerts acknowledge default.58d2e2b6e25fa1ce-1'],
    run: (cli, _options, [id = '']) =>
      showAnswer(cli, 'acknowledgeAlert', { path: { id } }, (out, { acknowledged_by }) =>
        out.line(`${id}: acknowledged by ${text(acknowledged_by) ?? ''}`),
      ),
  });
}
