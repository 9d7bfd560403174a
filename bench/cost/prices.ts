/** Prices in one region, read from a file that gives the source and date of each price (`prices-<region>.yaml`). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

const names = [
  ...(['restRequests', 'lambdaRequests', 'lambdaGbSecond', 'writeUnits', 'readUnits', 's3Puts', 's3Gets'] as const),
  ...(['signatures', 'transitions', 'logGb', 'traces', 'fargateVcpuHour', 'fargateGbHour'] as const),
  ...([
    'loadBalancerHour',
    'loadBalancerUnitHour',
    'natHour',
    'natGb',
    'alarmMetric',
    'compositeAlarm',
    'dashboard',
    'customMetric',
    'secret',
    'signingKey',
  ] as const),
] as const;

/**
 * A note on how a price was checked: the stored copy of the page that confirms it, or a statement that there is no such
 * copy.
 */
const checked = z.string().min(10);

const schema = z.strictObject({
  region: z.string(),
  prices: z.record(
    z.enum(names),
    z.strictObject({ usd: z.number().positive(), per: z.string(), source: z.url(), date: z.iso.date(), checked }),
  ),
});

/** US dollars by name; requests, units and signatures are priced per million. */
export type Prices = Readonly<Record<(typeof names)[number], number>>;

const folder = import.meta.dirname;

/**
 * Reads a region's prices. @throws Error if the region has no file (the message lists the regions that have one) or the
 * file is invalid
 */
export function pricesOf(region = 'us-east-1'): { readonly prices: Prices; readonly oldest: string } {
  const file = join(folder, `prices-${region}.yaml`);
  if (!/^[a-z0-9-]+$/.test(region) || !existsSync(file)) {
    const known = readdirSync(folder).flatMap((name) => /^prices-(.+)\.yaml$/.exec(name)?.[1] ?? []);
    throw new Error(
      `No prices for ${region}. Regions with a file: ${known.join(', ')}. Copy one and change its values.`,
    );
  }
  const { prices } = schema.parse(parse(readFileSync(file, 'utf8')));
  const entries = Object.entries(prices);
  return {
    prices: Object.fromEntries(entries.map(([name, { usd }]) => [name, usd])) as Prices,
    oldest: entries.map(([, { date }]) => date).toSorted()[0]!,
  };
}
