/**
 * Third-party code reads the gateway's output (`npm run test:foreign`): Go libraries verify the transparency log, and
 * the OpenTelemetry Collector receives traces. Without Go the tier is skipped with a message; with FOREIGN=required it
 * fails.
 */
import { join } from 'node:path';
import { check, runChecks } from '../support/checks.ts';
import { builtFromGo, goCommand } from '../support/go-programs.ts';
import { collectorChecks, startCollector } from './collector.ts';
import { verifyLog } from './log.ts';

const go = goCommand();
if (go === undefined) {
  const isRequired = process.env.FOREIGN === 'required';
  console.log('SKIPPED: neither the log nor the traces were read by foreign code, because Go is not installed.');
  console.log(`0 passed, ${isRequired ? 1 : 0} failed`);
  process.exit(isRequired ? 1 : 0);
}

const collector = await startCollector(builtFromGo(go, 'collector', join(import.meta.dirname, 'collector')));
try {
  const { passed, failed } = await runChecks([
    check("[transparency.tree] Go's libraries verify notes, tiles and proofs of the log", () => verifyLog(go)),
    ...collectorChecks(collector),
  ]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await collector.stop();
}
