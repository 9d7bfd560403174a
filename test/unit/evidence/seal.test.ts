/** Verification of a manifest by itself: the error names the position. */
import { examineSeal } from '#core/evidence/seal.ts';

test.each([
  ['text', /^the manifest is malformed at its root: /],
  [{}, /^the manifest is malformed at \w+: /],
  [{ tenant: 'default', hash: 7 }, /^the manifest is malformed at \w+: /],
])('[evidence.verify.offline] of %j', (manifest, defect) => {
  expect(examineSeal({ manifest })).toEqual({
    given: true,
    defect: expect.stringMatching(defect),
    originChecked: false,
  });
});

test('[evidence.verify.offline] a bundle without a manifest has no defect', () => {
  expect(examineSeal({})).toEqual({ given: false, originChecked: false });
});
