/**
 * The engine against real shells: whatever it allows is run in a throw-away folder, and does nothing but what it promised.
 * The rows of `bypasses.ts` prove that the folder shows harm, and stand for what was allowed once.
 */
import { spawnSync } from 'node:child_process';
import { bypasses } from './bypasses.ts';
import { findingsOf } from './compare.ts';
import { isolation, Lab } from './lab.ts';

const given = isolation();
const isHere = (program: string): boolean => spawnSync('which', [program]).status === 0;
const titled = bypasses.map((row) => ({ ...row, shown: JSON.stringify(row.what) }));

const inLab = given ? describe : describe.skip;

inLab('[effects.differential] lines that really run', () => {
  let lab: Lab;
  beforeAll(() => {
    lab = new Lab(given!);
    process.stdout.write(`lines run ${given!.says}, under ${lab.worlds.join(', ')}\n`);
  });
  afterAll(() => lab.close());

  test('every row of the table does harm that the folder shows', async () => {
    const harmless: string[] = [];
    for (const { what, needs, shown } of titled) {
      if (needs !== undefined && !isHere(needs)) continue;
      if ((await findingsOf(lab, what, [])).length === 0) harmless.push(shown);
    }
    expect(harmless).toEqual([]);
  }, 120_000);
});
