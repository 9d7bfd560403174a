/**
 * The engine against real shells: allowed lines run in a temporary folder and have only the predicted effects. The
 * rows of `bypasses.yaml` prove that the folder reveals harm.
 */

import { casesOf, runs } from '../../support/extent.ts';
import { bypasses } from './bypasses.ts';
import { compare, compareTargets, decide, findingsOf } from './compare.ts';
import { isHere, isolation, Lab } from './lab.ts';

const given = isolation();
const titled = bypasses.map((row) => ({ ...row, shown: JSON.stringify(row.what) }));

test('[effects.differential] no command in the table is allowed', async () => {
  const decided = await Promise.all(
    titled.flatMap(({ what, shown }) =>
      (['pr-writer', 'readonly'] as const).map(async (pack) => ({
        shown,
        pack,
        ...(await decide(what, pack)).decision,
      })),
    ),
  );
  expect(decided.filter(({ decision }) => decision === 'allow')).toEqual([]);
  expect(new Set(titled.map(({ shown }) => shown)).size).toBe(titled.length);
});

const inLab = given ? describe : describe.skip;

inLab('[effects.differential] lines that really run', () => {
  const wanted = runs(1000, 150);
  let lab: Lab;
  beforeAll(() => {
    lab = new Lab(given!);
    process.stdout.write(`lines run ${given!.says}, under ${lab.worlds.join(', ')}\n`);
  });
  afterAll(() => lab.close());

  test('the commands in the table do harm that is visible in the folder', async () => {
    const rows = [...casesOf(titled, 4)].filter(({ needs }) => needs === undefined || isHere(needs));
    const found = await Promise.all(rows.map(({ what }) => findingsOf(lab, what, [])));
    const harmless = rows.filter((_, i) => found[i]!.length === 0).map(({ shown }) => shown);
    expect(harmless).toEqual([]);
  });

  test.each([1, 2])('seed %i: allowed command lines have only the predicted effects', async (seed) => {
    const { decided, allowed, findings } = await compare(lab, seed, wanted);
    process.stdout.write(`seed ${seed}: ${decided} lines decided, ${allowed} allowed and run\n`);
    expect(findings).toEqual([]);
    expect(allowed).toBe(wanted);
  });

  test('allowed calls of programs that take a target have only the predicted effects under the readonly pack', async () => {
    const { findings, allowed } = await compareTargets(lab, 3, runs(60, 20));
    expect(findings).toEqual([]);
    expect(allowed).toBe(runs(60, 20));
  });
});
