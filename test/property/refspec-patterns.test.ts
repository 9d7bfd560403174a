/** Refspec patterns against branch globs: a push that could reach a protected branch is held. */
import fc from 'fast-check';
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { refspecBranch } from '#core/effects/git/branches.ts';
import { checkEffectLimits } from '#core/effects/limits/check.ts';
import { globMatches } from '#core/text/matching/glob.ts';

/** Strings over a few letters, so that names collide; they include a combining mark and an upper-case letter. */
const text = fc
  .array(fc.constantFrom('a', 'b', 'n', 'i', 'B', '/', '-', '1', 'n\u0303', '\u0308'), { maxLength: 5 })
  .map((chars) => chars.join(''));
const piece = fc.constantFrom(
  'a',
  'b',
  'n',
  '/',
  '-',
  '1',
  '*',
  '**',
  '?',
  '[!a]',
  '[a-n]',
  '{a,b/}',
  '{n,**}',
  '\u00f1',
);
const glob = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
const plain = fc.stringMatching(/^[abn/1-]{0,3}$/);

const isHeld = (protectedGlob: string, spec: string): boolean =>
  checkEffectLimits(sandboxSchema.parse({ git: { protected_branches: [protectedGlob] } }), [
    { protocol: 'git', tool: 'scm.push', target: 'a/b', capability: 'write', parameters: { ...refspecBranch(spec) } },
  ]) !== undefined;

test('[action.sandbox-rules] a refspec pattern that matches a branch in a protected glob is held', () => {
  let shared = 0;
  fc.assert(
    fc.property(glob, plain, plain, text, (protectedGlob, before, behind, between) => {
      if (!globMatches(protectedGlob, before + between + behind)) return;
      shared++;
      const pattern = `refs/heads/${before}*${behind}`;
      expect([protectedGlob, pattern, isHeld(protectedGlob, `${pattern}:${pattern}`)]).toEqual([
        protectedGlob,
        pattern,
        true,
      ]);
    }),
    { numRuns: 5000 },
  );
  expect(shared).toBeGreaterThan(100);
  // A letter and a mark that combine into another letter.
  expect(globMatches('[!a]', 'a\u0308')).toBe(true);
  expect(isHeld('[!a]', 'refs/heads/a*:refs/heads/a*')).toBe(true);
});

test('[action.sandbox-rules] a refspec pattern for a folder outside the protected glob is not held', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[abn1-]{1,3}$/), (name) => {
      expect(isHeld(`x${name}/*`, `refs/heads/${name}/*:refs/heads/${name}/*`)).toBe(false);
      expect(isHeld(`${name}/*`, `refs/heads/${name}/*:refs/heads/${name}/*`)).toBe(true);
    }),
  );
});
