/** `npm run bench`: every figure in docs/explanation/performance.md in one run, or measurements of a single subject. */
import { Command } from 'commander';
import { progressOf } from '../bin/agentctl/progress.ts';
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
import { type FeatureBench, importedOfFeatures } from './of-features.ts';
import { benchPlugins } from './plugins.ts';
import { benchSimulatedAws } from './simulate-aws.ts';
import { benchSoak } from './soak/run.ts';
import { benchTelemetry } from './telemetry.ts';
import { benchTickets } from './tickets.ts';
import { benchToolGuard } from './tool-guard.ts';
import { benchToolPolicy } from './tool-policy.ts';

const ofFeatures = await importedOfFeatures<FeatureBench>('bench/bench.ts');
const ownRuns = ofFeatures.flatMap(({ ownRun = [] }) => ownRun);

const command = new Command('npm run bench --')
  .description('Prints every figure of docs/explanation/performance.md, or one measurement below.')
  .option('--soak <n>', 'additional actions; rate and memory are compared before and after them', '2000')
  .option('--approvals <n>', 'approvals that are pending together', '1000')
  .option('--json', 'print one JSON document')
  .option('--only <text>', 'run only rows whose names contain the text (with --hostile or --simulate-aws)', '')
  .option('--hostile', 'response times of /health during requests designed to stall the gateway')
  .option('--simulate-aws', 'counters over a simulated DynamoDB')
  .option('--soak-minutes <n>', 'traffic of sixteen callers, with the gateway killed twenty times', '0')
  .option('--tool-guard', 'findings and false alarms of the tool guard, and its cost')
  .option('--browser', "verification of long sessions in this machine's Chromium")
  .option('--plugins', 'precision and recall of the shipped plugins, and the cost of a call')
  .addHelpText('after', "\nExample: npm run bench -- --hostile --only 'JSON'");
for (const { option, description } of ownRuns) command.option(`--${option}`, description);
const values = command
  .parse()
  .opts<{ soak: string; approvals: string; soakMinutes: string; only: string } & Record<string, string | true>>();

if (values.simulateAws) process.exit((await benchSimulatedAws(values.only)) ? 0 : 1);
if (Number(values.soakMinutes) > 0) {
  await benchSoak(Number(values.soakMinutes));
  process.exit(0);
}
if (values.browser) {
  console.table(await benchBrowser());
  process.exit(0);
}
if (values.toolGuard) process.exit((await benchToolGuard()) ? 0 : 1);
if (values.plugins) process.exit((await benchPlugins()) ? 0 : 1);
for (const { option, run } of ownRuns) if (values[option]) process.exit((await run()) ? 0 : 1);
if (values.hostile) process.exit((await benchHostile(values.only)) ? 0 : 1);

const parts: Readonly<Record<string, () => Promise<Record<string, number>> | Record<string, number>>> = {
  'tool policy': benchToolPolicy,
  'effects of shell lines': benchEffects,
  'effects of SQL': benchSqlEffects,
  tickets: benchTickets,
  evidence: benchEvidence,
  ...Object.assign({}, ...ofFeatures.map(({ parts }) => parts)),
  observatory: benchObservatory,
  'content policy': benchContentPolicy,
  'personal data, generated corpus': benchPersonalData,
  'function bundles': benchBundles,
  'test-action, local run': () => benchActions(Number(values.soak)),
  'MCP, local run': benchMcp,
  'local edge, added latency by protocol': benchEdge,
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
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure.padEnd(44)} ${formatNumber(value)}`);
}
if (values.json) console.log(JSON.stringify(all, null, 2));

function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
