/** Benches and other parts that features contribute, found by the names of their files. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import type { StoreOptions } from '#adapters/tables/store.ts';
import type { ChainLog } from '#core/evidence/chain-log.ts';
import type { Clock } from '#core/kernel/ports.ts';

/** Exports of `features/<name>/bench/bench.ts`. */
export interface FeatureBench {
  /** Measures figures for `npm run bench`, by the heading of each part. */
  readonly parts?: Readonly<Record<string, () => Promise<Record<string, number>>>>;
  /** A bench that runs only with its own option. */
  readonly ownRun?: {
    readonly option: string;
    readonly description: string;
    /** @returns whether the figures meet their targets. */
    readonly run: () => Promise<boolean>;
  };
}

/** Exports of `features/<name>/bench/simulated-log.ts`. */
export interface SimulatedLog {
  /** Opens a log whose services are simulated. `signing` runs before each signature. */
  readonly openSimulatedLog: (options: {
    readonly client: S3Client;
    readonly store: StoreOptions;
    readonly clock: Clock;
    readonly pause: (ms: number) => Promise<void>;
    readonly signing: () => Promise<void>;
  }) => ChainLog;
}

/** Imports a file of this name from every feature that has one. @param file path in the feature's folder. */
export const importedOfFeatures = <Module>(file: string): Promise<readonly Module[]> =>
  Promise.all(
    globSync(`features/*/${file}`)
      .sort()
      .map((path) => import(resolve(path)) as Promise<Module>),
  );
