/** The Grafana dashboard queries series that exist, by labels that they have. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MetricsRegistry } from '#adapters/telemetry/metrics-registry.ts';
import { grafanaDashboard, grafanaPanels } from '../../../bin/reference/grafana.ts';

const sources = ['core', 'lambdas', 'bin', 'adapters'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
);

/** Every place where something is counted: kind, name and label names. */
const counted = sources.flatMap((text) =>
  [...text.matchAll(/\.(count|observe|gauge)\(\s*'(svc_\w+)',?([^;]*?)\)\s*[;,]/g)].map(
    ([, kind, name, rest = '']) => ({
      kind,
      name: name!,
      labels: [...(/\{([^}]*)\}/.exec(rest)?.[1] ?? '').matchAll(/(\w+)(?=\s*[:,}]|\s*$)/g)].map(([, label]) => label!),
    }),
  ),
);

/** `/metrics` after everything has been counted. */
const registry = new MetricsRegistry();
for (const { kind, name, labels } of counted) {
  const some = Object.fromEntries(labels.map((label) => [label, 'x']));
  if (kind === 'count') registry.add(name, some, 1);
  else if (kind === 'observe') registry.observe(name, some, 1);
  else registry.set(name, 1);
}
const lines = registry.text().split('\n');
const queries = grafanaPanels.flatMap(({ title, queries: own }) =>
  Object.entries(own).flatMap(([legend, expr]) =>
    [...expr.matchAll(/svc_\w+/g)].map(([series]) => [title, series, expr, legend] as const),
  ),
);

test.each(queries)('[watch.runbook] %s: %s exists', (_, series, expr, legend) => {
  const found = lines.filter((line) => line.startsWith(`${series}{`) || line.startsWith(`${series} `));
  expect(found).not.toEqual([]);
  const wanted = [
    ...[...(/by \(([^)]*)\)/.exec(expr)?.[1] ?? '').matchAll(/\w+/g)].map(([label]) => label),
    ...[...expr.matchAll(/\{(\w+)=/g)].map(([, label]) => label!),
    ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
  ];
  for (const label of wanted) expect([label, found.some((line) => line.includes(`${label}="`))]).toEqual([label, true]);
});

test('[watch.runbook] a query for a nonexistent series would be detected', () => {
  expect(lines.some((line) => line.startsWith('svc_no_such_total'))).toBe(false);
  expect(counted.length).toBeGreaterThan(30);
});

test('[watch.runbook] panels do not overlap and have unique ids', () => {
  const { panels } = grafanaDashboard();
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)}:${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
