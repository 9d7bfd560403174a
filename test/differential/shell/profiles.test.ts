/** Programs against their profiles: lines generated from the profiles are run if they are allowed. */
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

  test('promise all that the programs of this machine do', async () => {
    const { decided, allowed, findings } = await compare(lab, seed, 600, new ProfileLines(seed));
    expect(findings).toEqual([]);
    expect(allowed).toBe(600);
    // Most of what is built is not everyday use.
    expect(decided).toBeGreaterThan(allowed);
  });
});
