/**
 * Queries that the sql-explorer pack allows, run by a real PostgreSQL: no data changes, and no server file is read. To
 * run without end: `node test/differential/sql/run.ts --endless --seed <n>`.
 */
import { execFileSync } from 'node:child_process';
import { runs } from '../support/extent.ts';
import type { Summary } from './sql/run.ts';

/** Runs the queries in a separate process, because the database is WebAssembly that cannot be interrupted. */
function summaryOf(seed: number, allowed: number): Summary {
  const args = ['test/differential/sql/run.ts', '--seed', String(seed), '--allowed', String(allowed)];
  try {
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 540_000 })) as Summary;
  } catch (failed) {
    // If there are holes, the process exits with 1 and the assertions show them.
    const { stdout } = failed as { stdout?: string };
    if (stdout === undefined || !stdout.startsWith('{')) throw failed;
    return JSON.parse(stdout) as Summary;
  }
}

const wanted = runs(1000, 300);

test('[effects.sql] hundreds of allowed queries change no data and read no server files', () => {
  const { asked, allowed, ran, holes, traceless, listed } = summaryOf(1, wanted);
  console.info(
    `asked ${asked}, allowed ${allowed}, ran to their end ${ran}; calls of listed functions ${listed.calls}, ran ${listed.ran}`,
  );
  expect(holes).toEqual([]);
  // The database detects each hostile form, so an allowed one would have been found.
  expect(traceless).toEqual([]);
  expect(listed.traces).toEqual([]);
  expect(listed.ran).toBeGreaterThan(listed.calls / 2);
  expect(allowed).toBeGreaterThanOrEqual(wanted);
  expect(ran).toBeGreaterThan(0.8 * allowed);
  expect(asked).toBeGreaterThan(1.3 * allowed);
});
