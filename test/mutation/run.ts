/**
 * Changes single lines of the decision logic and counts the changes that no test notices:
 * `npm run mutation -- [--seed 7] [--each 40] [--only core/approvals,core/limits] [--also policies,property,contract] [--workers 2] [--least 80]`.
 * Of each area it draws `--each` changes in an order that the seed fixes, and runs the quick tests that import the changed file, nearest first;
 * `--also` runs those of further folders for what the quick ones left. It works in copies and prints the seed, each survivor and each
 * change that is known to have no effect. It ends with 1 when an area's share of noticed changes is below `--least` percent.
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonWithoutEffect } from './equivalent.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { reachingTests } from './reaching.ts';
import { runTests } from './run-tests.ts';
import { shuffled } from './shuffled.ts';

const root = join(import.meta.dirname, '../..');
const { values: given } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    each: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    also: { type: 'string', default: '' },
    workers: { type: 'string', default: '2' },
    least: { type: 'string', default: '0' },
  },
});

/** What is drawn from, each on its own: one area's size does not change what another is asked. */
const areas = [
  'core/policy/rules',
  'core/approvals',
  'core/evidence',
  'core/limits',
  'core/actions',
  'core/effects/limits',
  'core/configuration/identity',
  'core/execution/credentials',
];

const only = given.only.split(',');

/** Types, ports and texts for people have no behaviour of their own. */
const without = /\/(ports|tables|[a-z-]*report[a-z-]*|card|browser-page)\.ts$/;

type Outcome = 'noticed' | 'noticed by further tests' | 'noticed by its time-out' | 'survived' | 'no effect';

interface Attempt {
  readonly area: string;
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '');
const sources = listed.filter((name) => name.endsWith('.ts') || name.endsWith('.tsx'));
const quick = reachingTests(root, sources, /^test\/(unit|state-machines)\/.*\.test\.ts$/);
const further = reachingTests(root, sources, new RegExp(`^test/(${given.also.replaceAll(',', '|')})/.*\\.test\\.ts$`));

const testsOf = (file: string): { quick: readonly string[]; further: readonly string[] } => ({
  quick: quick(file),
  further: given.also === '' ? [] : further(file),
});

function drawn(): { readonly area: string; readonly mutant: Mutant }[] {
  return areas.flatMap((area) => {
    const own = sources.filter(
      (file) => file.startsWith(`${area}/`) && only.some((start) => file.startsWith(start)) && !without.test(file),
    );
    const mutants = own.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
    return shuffled(mutants, Number(given.seed))
      .slice(0, Number(given.each))
      .map((mutant) => ({ area, mutant }));
  });
}

async function attempt(copy: string, mutant: Mutant): Promise<Outcome> {
  if (reasonWithoutEffect(mutant) !== undefined) return 'no effect';
  const tests = testsOf(mutant.file);
  const path = join(copy, mutant.file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, mutant.text);
  try {
    const first = await runTests(root, copy, tests.quick);
    if (first !== 'passed') return first === 'failed' ? 'noticed' : 'noticed by its time-out';
    const second = await runTests(root, copy, tests.further);
    return second === 'passed' ? 'survived' : 'noticed by further tests';
  } finally {
    writeFileSync(path, before);
  }
}

/** Each worker takes the next mutant until none is left, in a copy of its own. */
async function attempts(copies: readonly string[]): Promise<Attempt[]> {
  const sample = drawn();
  const used = [
    ...new Set(sample.flatMap(({ mutant }) => [...testsOf(mutant.file).quick, ...testsOf(mutant.file).further])),
  ];
  const share = (worker: number) => used.filter((_, at) => at % copies.length === worker);
  const before = await Promise.all(copies.map((copy, worker) => runTests(root, copy, share(worker), true)));
  if (before.some((result) => result !== 'passed'))
    throw new Error('The tests fail without any change, so nothing can be counted. Run them first.');
  const tried: Attempt[] = [];
  const open = sample.values();
  const work = async (copy: string): Promise<void> => {
    for (const { area, mutant } of open) {
      const outcome = await attempt(copy, mutant);
      tried.push({ area, mutant, outcome });
      if (tried.length % 20 === 0) console.log(`${tried.length} of ${sample.length} tried`);
      const said = outcome === 'no effect' ? `no effect: ${reasonWithoutEffect(mutant)}` : outcome;
      if (!outcome.startsWith('noticed'))
        console.log(`${said}  ${mutant.file}:${mutant.line}  ${mutant.from}  →  ${mutant.to}`);
    }
  };
  await Promise.all(copies.map(work));
  return tried;
}

function report(tried: readonly Attempt[]): void {
  const count = (own: readonly Attempt[], outcome: Outcome): number =>
    own.filter((each) => each.outcome === outcome).length;
  const line = (name: string, own: readonly Attempt[]): number => {
    const counted = own.length - count(own, 'no effect');
    const score = counted === 0 ? 100 : Math.round(((counted - count(own, 'survived')) / counted) * 1000) / 10;
    const parts = (['noticed', 'noticed by further tests', 'noticed by its time-out', 'survived', 'no effect'] as const)
      .map((outcome) => `${outcome} ${count(own, outcome)}`)
      .join(', ');
    console.log(`${name}: ${score} % of ${counted} (${parts})`);
    return score;
  };
  console.log(
    `seed ${given.seed}, ${given.each} of each area, quick tests${given.also === '' ? '' : ` and ${given.also}`}`,
  );
  for (const area of areas) {
    const own = tried.filter((each) => each.area === area);
    if (own.length > 0 && line(area, own) < Number(given.least)) process.exitCode = 1;
  }
  line('all', tried);
}

const copies = Array.from({ length: Number(given.workers) }, () => mkdtempSync(join(tmpdir(), 'mutation-')));
try {
  for (const copy of copies) {
    for (const path of listed) cpSync(join(root, path), join(copy, path), { force: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  }
  console.log(`seed ${given.seed}`);
  report(await attempts(copies));
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
