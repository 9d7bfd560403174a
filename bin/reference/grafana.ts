/** A Grafana dashboard over `/metrics`: golden signals, decisions, approvals, cost [watch.runbook]. */

interface GrafanaPanel {
  readonly title: string;
  readonly unit: string;
  /** PromQL queries by legend. */
  readonly queries: Readonly<Record<string, string>>;
}

const rate = (series: string, by?: string) =>
  by === undefined ? `sum(rate(${series}[5m]))` : `sum by (${by}) (rate(${series}[5m]))`;
const quantile = (of: number, series: string) => `histogram_quantile(${of}, sum by (le) (rate(${series}_bucket[5m])))`;

const rows: Readonly<Record<string, readonly GrafanaPanel[]>> = {
  'Golden signals': [
    { title: 'Chat calls', unit: 'reqps', queries: { '{{outcome}}': rate('svc_chat_requests_total', 'outcome') } },
    {
      title: 'Failed share of chat calls',
      unit: 'percentunit',
      queries: {
        failed: `${rate('svc_chat_requests_total{outcome="failed"}')} / ${rate('svc_chat_requests_total')}`,
      },
    },
    {
      title: 'Latency of chat calls',
      unit: 'ms',
      queries: { p50: quantile(0.5, 'svc_chat_latency_ms'), p95: quantile(0.95, 'svc_chat_latency_ms') },
    },
    {
      title: 'First token',
      unit: 'ms',
      queries: { p50: quantile(0.5, 'svc_first_token_ms'), p95: quantile(0.95, 'svc_first_token_ms') },
    },
    {
      title: 'Provider errors',
      unit: 'reqps',
      queries: { '{{provider}}': rate('svc_provider_errors_total', 'provider') },
    },
    { title: 'Breakers that are open', unit: 'none', queries: { open: 'max(svc_breaker_open)' } },
  ],
  Decisions: [
    { title: 'Tool calls', unit: 'reqps', queries: { '{{decision}}': rate('svc_policy_decisions_total', 'decision') } },
    {
      title: 'Tool calls by protocol',
      unit: 'reqps',
      queries: { '{{protocol}}': rate('svc_policy_decisions_total', 'protocol') },
    },
    {
      title: 'Findings of filters',
      unit: 'reqps',
      queries: { '{{policy}} {{action}}': rate('svc_policy_violations_total', 'policy, action') },
    },
    {
      title: 'Findings of the tool guard',
      unit: 'reqps',
      queries: { '{{kind}} {{action}}': rate('svc_tool_guard_findings_total', 'kind, action') },
    },
    { title: 'Risk alerts', unit: 'reqps', queries: { '{{rule}}': rate('svc_risk_alerts_total', 'rule') } },
    { title: 'Alerts', unit: 'reqps', queries: { '{{type}} {{change}}': rate('svc_alerts_total', 'type, change') } },
  ],
  Approvals: [
    { title: 'Waiting', unit: 'none', queries: { waiting: 'max(svc_approvals_pending)' } },
    { title: 'Oldest that waits', unit: 's', queries: { age: 'max(svc_approval_oldest_seconds)' } },
    { title: 'Last decision took', unit: 's', queries: { took: 'max(svc_approval_latency_seconds)' } },
    {
      title: 'Time until a channel accepted the message',
      unit: 's',
      queries: { p95: quantile(0.95, 'svc_delivery_delay_seconds') },
    },
    {
      title: 'Notifications given up',
      unit: 'none',
      queries: { dead: 'sum(increase(svc_deliveries_dead_total[1h]))' },
    },
    {
      title: 'Credentials',
      unit: 'reqps',
      queries: { '{{broker}} {{outcome}}': rate('svc_credentials_total', 'broker, outcome') },
    },
    {
      title: 'Unknown keys and tokens',
      unit: 'none',
      queries: { rejected: 'sum(increase(svc_credentials_rejected_total[5m]))' },
    },
  ],
  Cost: [
    {
      title: 'Spend per hour, US dollars',
      unit: 'currencyUSD',
      queries: { spend: 'sum(increase(svc_chat_cost_microusd_total[1h])) / 1000000' },
    },
    { title: 'Tokens', unit: 'none', queries: { '{{direction}}': rate('svc_chat_tokens_total', 'direction') } },
    {
      title: 'Budgets with a warning or exhausted',
      unit: 'reqps',
      queries: { '{{tier}}': rate('svc_budget_tier_total', 'tier') },
    },
  ],
};

/** @internal A test queries each of them. */
export const grafanaPanels: readonly GrafanaPanel[] = Object.values(rows).flat();

const [width, height, perRow] = [8, 8, 3];

/** Returns the dashboard in Grafana's import format; on import, Grafana asks which Prometheus to use. */
export function grafanaDashboard() {
  let y = 0;
  const panels = Object.entries(rows).flatMap(([title, own]) => {
    const row = { type: 'row', title, gridPos: { h: 1, w: width * perRow, x: 0, y }, collapsed: false, panels: [] };
    const placed = own.map((panel, n) => ({
      ...graph(panel),
      gridPos: { h: height, w: width, x: (n % perRow) * width, y: y + 1 + Math.floor(n / perRow) * height },
    }));
    y += 1 + Math.ceil(own.length / perRow) * height;
    return [row, ...placed];
  });
  return {
    __inputs: [{ name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', pluginId: 'prometheus' }],
    title: 'Agent governance gateway',
    uid: 'agent-governance-gateway',
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    panels: panels.map((panel, n) => ({ id: n + 1, ...panel })),
  };
}

function graph({ title, unit, queries }: GrafanaPanel) {
  const datasource = { type: 'prometheus', uid: '${DS_PROMETHEUS}' };
  return {
    type: 'timeseries',
    title,
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], n) => ({
      refId: String.fromCharCode(65 + n),
      datasource,
      expr,
      legendFormat,
    })),
  };
}
