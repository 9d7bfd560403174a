/**
 * `npm run bench`: every figure of docs/explanation/performance.md in one run. `--soak N` sets over how many further
 * actions memory is taken (2,000 by default), `--approvals N` how many are pending together (1,000); `--json` prints one document.
 * `--hostile` measures something else: what /health takes beside requests that were made to stop the gateway; `--only TEXT` takes the
 * rows whose names hold it. `--simulate-aws` measures the counters over a simulated DynamoDB, with `--only` as well.
 * `--soak-minutes N` keeps mixed traffic going while the gateway is killed every two minutes, and checks what is left.
 * `--provenance` prints which planted attacks rules on sources stop, how many tasks need no human, and what tracing costs.
 * `--tool-guard` prints what the guard on tools catches, what it alarms on falsely and what it costs.
 * `--browser` measures the verification of long sessions in the Chromium of this machine.
 * `--plugins` prints precision and recall of the shipped plugins, and what a call through the pool costs.
 */
import { parseArgs } from 'node:util';
import { progressOf } from '../bin/progress.ts';
import { benchActions } from './actions.ts';
import { benchApprovals } from './approvals.ts';
import { benchBrowser } from './browser.ts';
import { benchBundles } from './bundles.ts';
import { benchChat } from './chat.ts';
import { benchContentPolicy, benchPersonalData } from './content-policy.ts';
import { benchEdge } from './edge.ts';
import { benchEffects } from './effects.ts';
import { benchSqlEffects } from './effects-sql.ts';
import { benchEvidence } from './evidence.ts';
import { benchFederation } from './federation.ts';
import { benchHostile } from './hostile/run.ts';
import { benchMcp } from './mcp.ts';
import { benchObservatory } from './observatory.ts';
import { benchPlugins } from './plugins.ts';
import { benchProjection } from './projection.ts';
import { benchProvenance } from './provenance.ts';
import { benchSimulatedAws } from './simulate-aws.ts';
import { benchSoak } from './soak/run.ts';
import { benchTelemetry } from './telemetry.ts';
import { benchTickets } from './tickets.ts';
import { benchToolGuard } from './tool-guard.ts';
import { benchToolPolicy } from './tool-policy.ts';
import { benchTransparency } from './transparency.ts';

const { values } = parseArgs({
  options: {
    soak: { type: 'string', default: '2000' },
    approvals: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
    'soak-minutes': { type: 'string', default: '0' },
    'tool-guard': { type: 'boolean', default: false },
    plugins: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    provenance: { type: 'boolean', default: false },
    'simulate-aws': { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

if (values['simulate-aws']) process.exit((await benchSimulatedAws(values.only)) ? 0 : 1);
if (Number(values['soak-minutes']) > 0) {
  await benchSoak(Number(values['soak-minutes']));
  process.exit(0);
}
if (values.browser) {
  console.table(await benchBrowser());
  process.exit(0);
}
if (values['tool-guard']) process.exit((await benchToolGuard()) ? 0 : 1);
if (values.plugins) process.exit((await benchPlugins()) ? 0 : 1);
if (values.provenance) process.exit((await benchProvenance()) ? 0 : 1);
if (values.hostile) process.exit((await benchHostile(values.only)) ? 0 : 1);

const parts: Readonly<Record<string, () => Promise<Record<string, number>> | Record<string, number>>> = {
  'tool policy': benchToolPolicy,
  'effects of shell lines': benchEffects,
  'effects of SQL': benchSqlEffects,
  tickets: benchTickets,
  evidence: benchEvidence,
  'transparency log': benchTransparency,
  observatory: benchObservatory,
  'projection on AWS, simulated': benchProjection,
  'content policy': benchContentPolicy,
  'personal data, generated corpus': benchPersonalData,
  'function bundles': benchBundles,
  'test-action, local run': () => benchActions(Number(values.soak)),
  'MCP, local run': benchMcp,
  'edge of this machine, added by protocol': benchEdge,
  '500 data planes, local run': benchFederation,
  'approvals, local run': () => benchApprovals(Number(values.approvals)),
  'telemetry, local run': benchTelemetry,
  'chat, local run': () => benchChat(Number(values.soak)),
};

const all: Record<string, Record<string, number>> = {};
const progress = progressOf('parts', { total: Object.keys(parts).length });
for (const [name, bench] of Object.entries(parts)) {
  if (!values.json) console.log(`\n${name}`);
  progress.add();
  const figures = await bench();
  progress.end();
  all[name] = figures;
  if (values.json) continue;
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure.padEnd(44)} ${shown(value)}`);
}
if (values.json) console.log(JSON.stringify(all, null, 2));

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
