/** The two tables of `docs/explanation/cost.md`. */
import { onLambda, onTasks, type Parts, total } from './calls.ts';
import { idleMonth } from './idle.ts';

/** Target in US dollars; undefined where none was set. */
const rows: readonly (readonly [what: string, parts: Parts, target?: number])[] = [
  ['chat of 2 s, answered whole, on Lambda', onLambda('chat'), 25],
  ['stream of 30 s on Lambda', onLambda('stream'), 120],
  ['stream of 30 s in containers', onTasks('stream'), 40],
  ['allowed action', onLambda('action'), 20],
  ['review, its vote and its use', onLambda('review')],
  ['MCP call of 0.2 s', onLambda('mcp')],
];
const idleTarget = 25;

const usd = (amount: number): string => amount.toFixed(amount >= 100 ? 0 : 1);
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** US dollars a million calls, and US dollars a month. */
export function costTables(): string {
  const parts = ['api', 'compute', 'tables', 'archive', 'workflow', 'logs'] as const;
  const head = ['A million calls', 'API', 'compute', 'tables', 'archive', 'workflow', 'logs', 'in all', 'target'];
  const idle = Object.entries(idleMonth());
  const idleTotal = idle.reduce((sum, [, amount]) => sum + amount, 0);
  return [
    line(head),
    line(['---', ...head.slice(1).map(() => '---:')]),
    ...rows.map(([what, cost, target]) =>
      line([what, ...parts.map((part) => usd(cost[part])), usd(total(cost)), target === undefined ? '' : `${target}`]),
    ),
    '',
    line(['An idle month', 'USD']),
    line(['---', '---:']),
    ...idle.map(([what, amount]) => line([what, usd(amount)])),
    line([`in all (target ${idleTarget})`, usd(idleTotal)]),
  ].join('\n');
}
