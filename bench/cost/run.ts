/** `npm run cost`: the AWS cost of calls, of a month without calls, or of a mix of calls that you specify. */
import { parseArgs } from 'node:util';
import { cellsTable } from './cells.ts';
import { pricesOf } from './prices.ts';
import { type CallOption, callKinds, costTables, type Mix, mixCost, mixTable } from './tables.ts';

const names = Object.keys(callKinds) as CallOption[];
const optionOf = (name: CallOption): string => `${name}-per-second`;

const help = `Usage: npm run cost -- [options]

Computes what the gateway costs on AWS from counted requests and a dated price file (bench/cost/prices-<region>.yaml).
Without a rate it prints the tables of docs/explanation/cost.md.

${names.map((name) => `  --${optionOf(name)} N`.padEnd(40) + callKinds[name].what).join('\n')}
  --tenants N                           tenants that make these calls (default: 1)
  --cells                               deployments that 1,000, 10,000 and 100,000 calls per second need
  --region REGION                       (default: us-east-1)
  --json                                as JSON, for a mix
  --help                                this text`;

async function main(): Promise<void> {
  const { values: given } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [optionOf(name), { type: 'string' as const }])),
      tenants: { type: 'string' },
      region: { type: 'string' },
      cells: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const values = given as Readonly<Record<string, string | boolean | undefined>>;
  if (values.help) return console.log(help);
  const region = values.region as string | undefined;
  const { oldest } = pricesOf(region);
  const mix: Mix = Object.fromEntries(
    names.flatMap((name) => {
      const rate = values[optionOf(name)];
      return rate === undefined ? [] : [[name, numberOf(optionOf(name), String(rate))]];
    }),
  );
  const note = `US dollars, ${region ?? 'us-east-1'}, prices of ${oldest} or later\n`;
  if (values.cells) return console.log(`${note}\n${await cellsTable(region)}`);
  if (Object.keys(mix).length === 0) return console.log(`${note}\n${await costTables(region)}`);
  const tenants = values.tenants === undefined ? 1 : Math.ceil(numberOf('tenants', String(values.tenants)));
  const cost = await mixCost(mix, { region, tenants });
  console.log(values.json ? JSON.stringify(cost, undefined, 2) : `${note}\n${mixTable(cost)}`);
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${name} is ${JSON.stringify(text)}; it takes a number above 0.`);
}

await main().catch((fault: Error) => {
  console.error(`${fault.message}\nnpm run cost -- --help lists the options.`);
  process.exitCode = 2;
});
