/** Recall and precision of personal-data filters on 5,000 generated text samples. */
import { piiEntities } from '#core/contracts/config.ts';
import { corpus, sizes } from '../../../corpora/personal-data/corpus.ts';
import { scoreOf } from '../../../corpora/personal-data/score.ts';

const samples = corpus();

test('the corpus is the same on every run and contains every kind of example', () => {
  expect(corpus()).toEqual(samples);
  expect(samples).toHaveLength(piiEntities.length * sizes.planted + sizes.without);
  for (const kind of piiEntities)
    expect(samples.filter(({ planted }) => planted?.kind === kind)).toHaveLength(sizes.planted);
});

test.each(piiEntities)('[content.personal-data] recall and precision of %s', (kind) => {
  const { recall, precision, missed, wrong } = scoreOf(kind, samples);
  if (recall < 0.97 || precision < 0.98)
    throw new Error(`recall ${recall}, precision ${precision}\n${[...missed, ...wrong].slice(0, 20).join('\n')}`);
  expect(Math.min(recall, precision)).toBeGreaterThanOrEqual(0.97);
});
