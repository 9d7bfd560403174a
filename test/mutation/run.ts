/**
 * Changes single lines of the decision logic, runs the tests of its area and counts the changes that no test notices:
 * `npm run mutation -- [--minutes 10] [--each 40] [--seed 1] [--only core/approvals] [--stages 1] [--workers 2] [--least 80]`. `--each` tries
 * that many changes of each area, whatever the minutes; `--stages 1` runs the quick tests only, so its score is a lower bound. It works in a
 * copy, prints each survivor, and ends with 1 when the share of noticed changes is below `--least` percent.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutants.ts';

const root = join(import.meta.dirname, '../..');
const { values: given } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    each: { type: 'string' },
    only: { type: 'string', default: '' },
    stages: { type: 'string', default: '9' },
    workers: { type: 'string', default: '2' },
    least: { type: 'string', default: '0' },
  },
});

/** What is mutated, and the tests that have to notice: quick ones first, then those over the real store. */
const areas: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'core/tool-policy': [
    ['test/unit/tool-policy', 'test/unit/matching', 'test/property/tool-policy'],
    ['test/policies', 'test/unit/configuration/load'],
  ],
  'core/approvals': [
    ['test/unit/approvals', 'test/unit/slack', 'test/unit/notifications', 'test/state-machines'],
    ['test/contract/(govern|sweep|vote-signature|pending-cap|slack|pull-request-comments|approval-card)\\.test'],
    ['test/contract/(separation-votes|execute-approved|notifications|deliveries|approval-in-evidence)\\.test'],
  ],
  'core/evidence': [
    ['test/unit/evidence', 'test/property/(evidence|checkpoint|redact-values)'],
    ['test/contract/(ledger|checkpoints|signing-keys|malicious-operator)\\.test'],
    ['test/contract/(evidence-rewriting|archive-repair|archive-runs|evidence-retention)\\.test'],
  ],
  'core/limits': [
    ['test/unit/limits', 'test/property/(limits|counter-shards)'],
    ['test/contract/(counters|admissions|key-limits|counter-shards)\\.test'],
  ],
};

/** Types, ports and texts for people have no behaviour of their own. */
const without = /\/(ports|tables|[a-z-]*report[a-z-]*|card|browser-page)\.ts$/;

const files = execFileSync('git', ['ls-files', ...Object.keys(areas)], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !without.test(file) && file.startsWith(given.only));
const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));

const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
interface Attempt {
  readonly mutant: Mutant;
  readonly noticed: boolean;
}

/** As many mutants as fit into the time, drawn in an order that the seed fixes. */
function attempts(): Attempt[] {
  for (const area of areasTried())
    for (const tests of stagesOf(`${area}/`))
      if (!passes(tests))
        throw new Error(`The tests ${tests.join(' ')} fail without any change; nothing can be counted.`);
  const until = Date.now() + Number(given.minutes) * 60_000;
  const tried: Attempt[] = [];
  for (const mutant of sample()) {
    if (given.each === undefined && Date.now() > until) break;
    const path = join(copy, mutant.file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, mutant.text);
    const noticed = stagesOf(mutant.file).some((tests) => !passes(tests));
    writeFileSync(path, before);
    tried.push({ mutant, noticed });
    if (tried.length % 20 === 0) console.log(`${tried.length} tried, score ${scoreOf(tried)} %`);
    if (!noticed) console.log(`survived  ${mutant.file}:${mutant.line}  ${mutant.from}  →  ${mutant.to}`);
  }
  return tried;
}

/** With `--each`, the first of each area's own order, so that one area's tests do not change what another tries. */
function sample(): Mutant[] {
  const seed = Number(given.seed);
  if (given.each === undefined) return shuffled(all, seed);
  const count = Number(given.each);
  return areasTried().flatMap((area) => shuffled(all.filter(isIn(area)), seed).slice(0, count));
}

const isIn =
  (area: string) =>
  ({ file }: Mutant): boolean =>
    file.startsWith(`${area}/`);

const areasTried = (): string[] => Object.keys(areas).filter((area) => all.some(isIn(area)));

const stagesOf = (file: string): readonly (readonly string[])[] =>
  (areas[Object.keys(areas).find((area) => file.startsWith(`${area}/`)) ?? ''] ?? []).slice(0, Number(given.stages));

/** A change that makes a test run without end counts as noticed. */
function passes(tests: readonly string[]): boolean {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  // In a group of its own: a worker that a change made spin does not end by itself.
  const options = [jest, '-w', given.workers, '--bail', '--silent', '--testTimeout=60000', ...tests];
  const { status, pid } = spawnSync(process.execPath, options, {
    ...{ cwd: copy, stdio: 'ignore', timeout: 300_000, detached: true },
  });
  try {
    if (pid > 1) process.kill(-pid, 'SIGKILL');
  } catch {
    // It left none.
  }
  return status === 0;
}

function report(tried: readonly Attempt[]): void {
  for (const area of Object.keys(areas)) {
    const own = tried.filter(({ mutant }) => isIn(area)(mutant));
    if (own.length > 0) console.log(`${area}: ${scoreOf(own)} % of ${own.length}`);
  }
  const score = scoreOf(tried);
  console.log(`score ${score} %: ${tried.length} of ${all.length} changes tried, seed ${given.seed}`);
  if (score < Number(given.least)) process.exitCode = 1;
}

const scoreOf = (tried: readonly Attempt[]): number =>
  tried.length === 0 ? 0 : Math.round((tried.filter(({ noticed }) => noticed).length / tried.length) * 1000) / 10;

/** Fisher and Yates with a small generator, so that a seed gives the same order everywhere. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = [...items];
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}

try {
  for (const path of execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((name) => name !== ''))
    cpSync(join(root, path), join(copy, path), { force: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  report(attempts());
} finally {
  rmSync(copy, { recursive: true, force: true });
}
