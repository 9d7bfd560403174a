import { sealEntry } from '#core/evidence/chain.ts';
import { entryOfImage, imageOf } from '#core/evidence/entry-text.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { draft } from './sample.ts';

const entry = sealEntry(draft('allow', { tool: 't' }, 1), undefined);

test('[evidence.chain] the stored image of an entry contains its text, and is not parsed a second time', () => {
  const image = imageOf(entry);
  expect(image).toEqual({ entry: { S: canonicalize(entry) } });
  expect(entryOfImage(image)).toBe(entry);
});

test.each([
  ['that came from elsewhere', { entry: { S: canonicalize(entry) } }, entry],
  ['without an entry', {}, undefined],
  ['that is not there', undefined, undefined],
  ['that is not JSON', { entry: { S: '{' } }, undefined],
])('an image %s', (_, image, expected) => {
  expect(entryOfImage(image)).toEqual(expected);
});
