/**
 * Cost of an entry's copies, counted by running the product's own projection at a given rate of entries (simulated in
 * virtual time).
 */
import { entryBatches } from '#core/contracts/evidence-streams.ts';
import { type EvidenceTally, simulateProjection } from '../simulated/projection.ts';
import type { Prices } from './prices.ts';

export interface EvidenceRate {
  readonly entriesPerSecond: number;
  readonly tenants: number;
}

/** Seconds between two entries of a session, assuming an agent that thinks and acts. */
const secondsOfEntry = 4;
/** Minimum number of simulated batching windows, so that the last one, which is shorter, carries little weight. */
const windows = 5;
/** Highest simulated rate. At higher rates the cost per entry does not change, because batches are already full. */
const mostSimulated = 100;

const counted = new Map<string, Promise<EvidenceTally>>();

/** Counts the requests caused by a rate of entries. Each load is simulated only once. */
export function countEvidence({ entriesPerSecond, tenants }: EvidenceRate): Promise<EvidenceTally> {
  const rate = Math.min(entriesPerSecond, mostSimulated);
  const load = {
    entriesPerSecond: rate,
    tenants: Math.min(tenants, Math.ceil(rate)),
    sessions: Math.max(1, Math.round((rate * secondsOfEntry) / tenants)),
    seconds: Math.max(windows * entryBatches.windowSeconds, Math.min(600, 300 / rate)),
    shards: 4,
  };
  const key = JSON.stringify(load);
  const tally = counted.get(key) ?? simulateProjection(load);
  counted.set(key, tally);
  return tally;
}

/** Returns US dollars for a million entries. */
export function evidenceCost(tally: EvidenceTally, prices: Prices): number {
  const { entries, puts, gets, signatures, writeUnits, readUnits, invocations, gbSeconds } = tally;
  const sum =
    puts * prices.s3Puts +
    gets * prices.s3Gets +
    signatures * prices.signatures +
    writeUnits * prices.writeUnits +
    readUnits * prices.readUnits +
    invocations * prices.lambdaRequests;
  return sum / entries + (gbSeconds / entries) * prices.lambdaGbSecond * 1e6;
}
