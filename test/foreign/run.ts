/**
 * Third-party code reads the gateway's output (`npm run test:foreign`): features add checks of their own in
 * `test/foreign/foreign.ts`, and the OpenTelemetry Collector receives traces. Without Go the tier is skipped with a message; with FOREIGN=required it
 * fails.
 */
import { join } from 'node:path';
import { importedOfFeatures } from '../../bench/of-features.ts';
import { type Check, runChecks } from '../support/checks.ts';
import { builtFromGo, goCommand } from '../support/go-programs.ts';
import { collectorChecks, startCollector } from './collector.ts';

/** Exports of `features/<name>/test/foreign/foreign.ts`. */
export interface ChecksWithGo {
  readonly checksWithGo: (go: string) => readonly Check[];
}

const go = goCommand();
if (go === undefined) {
  const isRequired = process.env.FOREIGN === 'required';
  console.log('SKIPPED: neither the log nor the traces were read by foreign code, because Go is not installed.');
  console.log(`0 passed, ${isRequired ? 1 : 0} failed`);
  process.exit(isRequired ? 1 : 0);
}

const ofFeatures = await importedOfFeatures<ChecksWithGo>('test/foreign/foreign.ts');
const collector = await startCollector(builtFromGo(go, 'collector', join(import.meta.dirname, 'collector')));
try {
  const { passed, failed } = await runChecks([
    ...ofFeatures.flatMap(({ checksWithGo }) => checksWithGo(go)),
    ...collectorChecks(collector),
  ]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await collector.stop();
}
