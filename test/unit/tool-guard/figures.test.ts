/** The corpora and what the guard does on them. */
import { measureHarmful, measureHarmless } from '../../corpora/tool-guard/measure.ts';

const [harmful, harmless] = [measureHarmful(), measureHarmless()];
const rows = ({ written, heldOut }: typeof harmful) => written.rows + heldOut.rows;

test('[guard.figures] the corpora are large enough, and a third of the templates is held out', () => {
  expect([rows(harmful) >= 300, harmful.kinds.size >= 25, rows(harmless) >= 600]).toEqual([true, true, true]);
  for (const { kinds } of [harmful, harmless])
    for (const { written, heldOut } of kinds.values())
      expect(heldOut.rows / (written.rows + heldOut.rows)).toBeGreaterThan(0.3);
});

test.each(['written', 'heldOut'] as const)('[guard.figures] the aims hold on the templates that are %s', (half) => {
  expect(harmful.byKind[half]).toBeGreaterThanOrEqual(0.9);
  expect(harmless[half].acted / harmless[half].rows).toBeLessThanOrEqual(0.01);
});
