/** Compares programs with their profiles: lines generated from the profiles are run if they are allowed. */
import { runs } from '../../support/extent.ts';
import { compare } from './compare.ts';
import { isolation, Lab } from './lab.ts';
import { ProfileLines } from './profile-lines.ts';

const given = isolation();
const inLab = given ? describe : describe.skip;
const seed = 20_261_122;

inLab('[effects.profiles] profiles', () => {
  let lab: Lab;
  beforeAll(() => {
    lab = new Lab(given!);
  });
  afterAll(() => lab.close());

  test('predict everything that the programs on this machine actually do', async () => {
    const wanted = runs(600, 150);
    const { decided, allowed, findings } = await compare(lab, seed, wanted, new ProfileLines(seed));
    expect(findings).toEqual([]);
    expect(allowed).toBe(wanted);
    // Most generated lines are not everyday use.
    expect(decided).toBeGreaterThan(allowed);
  });
});
